package org.restheart.core.chaos;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.bson.BsonDocument;
import org.restheart.core.chaos.Ledger.Period;

/// Listens to inserts as server-sent events, and resumes after each break with the id of its last event.
final class EventListener implements AutoCloseable {
    /// The key of documents that are inserted until each listener has received one.
    static final String FIRST = "first";

    private static final int SILENCE_MILLIS = 5_000;

    private final int port;
    private final Ledger ledger;
    private final List<String> keys = new ArrayList<>();
    private String lastId = "";
    private volatile boolean begun;
    private volatile boolean over;
    private int resumed;
    private volatile int received;

    EventListener(int port, Ledger ledger) {
        this.port = port;
        this.ledger = ledger;
        Thread.ofVirtual().name("listener").start(this::run);
    }

    boolean hasBegun() {
        return begun;
    }

    int received() {
        return received;
    }

    private void run() {
        while (!over) {
            try (var socket = new Socket()) {
                socket.setSoTimeout(SILENCE_MILLIS);
                socket.connect(new InetSocketAddress("127.0.0.1", port), SILENCE_MILLIS);
                listen(socket);
            } catch (IOException _) {
                pause(); // broken or silent: again
            }
        }
    }

    private void pause() {
        try {
            Thread.sleep(200);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private void listen(Socket socket) throws IOException {
        var request =
                "GET /inserts/_streams/all HTTP/1.1\r\nHost: chaos\r\nAccept: text/event-stream\r\nAuthorization: "
                        + GatewayChild.CREDENTIALS + "\r\n"
                        + (lastId.isEmpty() ? "" : "Last-Event-ID: " + lastId + "\r\n") + "\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        var in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        var status = in.readLine();
        if (status == null || !status.contains(" 200")) {
            ledger.answered(status == null ? 0 : Integer.parseInt(status.split(" ")[1]));
            throw new IOException("refused");
        }
        resumed += lastId.isEmpty() ? 0 : 1;
        for (var line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            // the head, of which nothing is needed
        }
        var id = "";
        var data = "";
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("id:")) {
                id = line.substring(3).strip();
            } else if (line.startsWith("data:")) {
                data = line.substring(5);
            } else if (line.isEmpty() && !data.isEmpty()) {
                take(id, data);
                data = "";
            }
        }
        throw new IOException("ended");
    }

    private synchronized void take(String id, String data) {
        lastId = id;
        var key = BsonDocument.parse(data)
                .getDocument("fullDocument")
                .getString("k")
                .getValue();
        if (key.equals(FIRST)) {
            begun = true;
            return;
        }
        keys.add(key);
        received++;
    }

    /// Compares the events with the documents that were acknowledged and those that are there.
    synchronized List<String> violations(Map<String, Period> acknowledged, Set<String> stored) {
        var found = new ArrayList<String>();
        var seen = new HashSet<String>();
        var last = new HashMap<String, Integer>();
        for (var key : keys) {
            var period = acknowledged.get(key);
            if (!seen.add(key)) {
                (period == null ? ledger.current() : period).doubled();
                found.add("event " + key + " came twice");
            }
            if (period != null) { // of others nobody knows when they were carried out
                int worker = key.indexOf('-');
                int n = Integer.parseInt(key.substring(worker + 1));
                if (last.merge(key.substring(0, worker), n, Math::max) > n) {
                    period.reordered();
                    found.add("event " + key + " came late");
                }
            }
        }
        for (var key : stored) {
            if (!seen.contains(key)) {
                acknowledged.getOrDefault(key, ledger.current()).lost();
                found.add("event " + key + " did not come");
            }
        }
        return found;
    }

    synchronized String summary() {
        return keys.size() + " events, resumed " + resumed + " times";
    }

    @Override
    public void close() {
        over = true;
    }
}
