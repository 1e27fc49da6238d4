package org.restheart.core.graphql;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.core.dataapi.ConformanceGateway;

/// A client of graphql-sse with distinct connections. Waits half a minute at most.
final class GraphqlEvents implements AutoCloseable {
    private final Socket socket = new Socket();
    private final BufferedReader in;
    private final List<String> head = new ArrayList<>();

    /// @param event its name
    record Sent(String id, String event, String data) {
        BsonDocument result() {
            return BsonDocument.parse(data);
        }
    }

    private GraphqlEvents(ConformanceGateway gateway, String user, String app, String json, List<String> fields)
            throws IOException {
        socket.setSoTimeout(30_000);
        socket.connect(new InetSocketAddress("127.0.0.1", gateway.port()));
        var content = json.getBytes(StandardCharsets.UTF_8);
        var request = "POST /graphql/" + app + " HTTP/1.1\r\nHost: test\r\nAccept: text/event-stream\r\n"
                + "Content-Type: application/json\r\nContent-Length: " + content.length + "\r\nAuthorization: Basic "
                + Base64.getEncoder().encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8)) + "\r\n"
                + fields.stream().map(field -> field + "\r\n").collect(Collectors.joining()) + "\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
        socket.getOutputStream().write(content);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
        for (var line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
            head.add(line);
        }
    }

    /// @param json of the request
    static GraphqlEvents ask(ConformanceGateway gateway, String user, String app, String json) throws IOException {
        return new GraphqlEvents(gateway, user, app, json, List.of());
    }

    /// @param fields of the request, further ones
    static GraphqlEvents open(ConformanceGateway gateway, String user, String app, String query, String... fields)
            throws IOException {
        var body = new BsonDocument("query", new BsonString(query)).toJson();
        return new GraphqlEvents(gateway, user, app, body, List.of(fields));
    }

    List<String> head() {
        return head;
    }

    String status() {
        return head.getFirst();
    }

    /// The next event; comments and the framing of chunks are passed over.
    Sent next() throws IOException {
        var id = "";
        var event = "";
        for (var line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("id:")) {
                id = line.substring(3);
            } else if (line.startsWith("event:")) {
                event = line.substring(6);
            } else if (line.startsWith("data:")) {
                return new Sent(id, event, line.substring(5));
            }
        }
        throw new IOException("the stream has ended");
    }

    /// The id of the next event, which has nothing else.
    String position() throws IOException {
        var id = "";
        for (var line = in.readLine(); line != null && (id.isEmpty() || !line.isEmpty()); line = in.readLine()) {
            if (line.startsWith("id:")) {
                id = line.substring(3);
            } else if (line.startsWith("event:") || line.startsWith("data:")) {
                throw new IOException("not a position: " + line);
            }
        }
        return id;
    }

    BsonDocument data() throws IOException {
        return next().result().getDocument("data");
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
