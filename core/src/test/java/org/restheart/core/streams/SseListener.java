package org.restheart.core.streams;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/// Listens to a stream as server-sent events. Waits half a minute at most.
final class SseListener implements AutoCloseable {
    private final Socket socket = new Socket();
    private final BufferedReader in;
    private final List<String> head = new ArrayList<>();

    /// @param id of the last event that is known; null for none
    record Sent(String id, BsonDocument data) {}

    SseListener(StreamsGateway gateway, String target, @Nullable String lastEventId) throws IOException {
        this(gateway, target, lastEventId, List.of());
    }

    private SseListener(StreamsGateway gateway, String target, @Nullable String lastEventId, List<String> fields)
            throws IOException {
        var uri = gateway.uri("http", target);
        socket.setSoTimeout(30_000);
        socket.connect(new InetSocketAddress(uri.getHost(), uri.getPort()));
        var request = "GET " + target + " HTTP/1.1\r\nHost: test\r\nAccept: text/event-stream\r\n"
                + fields.stream().map(field -> field + "\r\n").collect(Collectors.joining())
                + (lastEventId == null ? "" : "Last-Event-ID: " + lastEventId + "\r\n") + "\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        for (var line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            head.add(line);
        }
    }

    /// @param fields of the request, further ones
    static SseListener open(StreamsGateway gateway, String target, String... fields) throws IOException {
        return new SseListener(gateway, target, null, List.of(fields));
    }

    /// The first line; empty if the connection has ended without one.
    String status() {
        return head.isEmpty() ? "" : head.getFirst();
    }

    /// The next id, also one without an event.
    String nextId() throws IOException {
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("id:")) {
                return line.substring(3);
            }
        }
        throw ended();
    }

    /// The next event; comments and ids without an event are passed over.
    Sent next() throws IOException {
        var id = "";
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("id:")) {
                id = line.substring(3);
            } else if (line.startsWith("data:")) {
                return new Sent(id, BsonDocument.parse(line.substring(5)));
            }
        }
        throw ended();
    }

    private IOException ended() {
        return new IOException("the stream has ended, which began with '" + status() + "'");
    }

    int nextN() throws IOException {
        return next().data().getDocument("fullDocument").getInt32("n").getValue();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
