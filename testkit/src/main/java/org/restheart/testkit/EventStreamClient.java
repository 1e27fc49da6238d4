package org.restheart.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/// Reads server-sent events from a connection of its own. Waits half a minute at most.
public abstract class EventStreamClient implements AutoCloseable {
    private final Socket socket = new Socket();
    private final BufferedReader in;
    private static final int RECEIVED = 128 << 10;

    private final List<String> head = new ArrayList<>();

    /// @param id empty for none
    /// @param event its name; empty for none
    public record Event(String id, String event, String data) {
        public BsonDocument document() {
            return BsonDocument.parse(data);
        }
    }

    /// @param request its method and target
    /// @param fields further ones than `Host` and `Accept`
    protected EventStreamClient(int port, String request, List<String> fields, String content) throws IOException {
        socket.setSoTimeout(60_000);
        socket.setReceiveBufferSize(RECEIVED); // some systems hold 30 MB for a client that does not read
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        var sent = request + " HTTP/1.1\r\nHost: test\r\nAccept: text/event-stream\r\n"
                + fields.stream().map(field -> field + "\r\n").collect(Collectors.joining()) + "\r\n" + content;
        socket.getOutputStream().write(sent.getBytes(StandardCharsets.UTF_8));
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        for (var line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            head.add(line);
        }
    }

    /// The first line and the fields of the response.
    public final List<String> head() {
        return head;
    }

    /// The first line; empty if the connection has ended without one.
    public final String status() {
        return head.isEmpty() ? "" : head.getFirst();
    }

    protected final @Nullable String readLine() throws IOException {
        return in.readLine();
    }

    /// The next event; comments, ids without an event and the framing of chunks are passed over.
    public final Event next() throws IOException {
        var id = "";
        var event = "";
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("id:")) {
                id = line.substring(3);
            } else if (line.startsWith("event:")) {
                event = line.substring(6);
            } else if (line.startsWith("data:")) {
                return new Event(id, event, line.substring(5));
            }
        }
        throw ended();
    }

    protected final IOException ended() {
        return new IOException("the stream has ended, which began with '" + status() + "'");
    }

    @Override
    public final void close() throws IOException {
        socket.close();
    }
}
