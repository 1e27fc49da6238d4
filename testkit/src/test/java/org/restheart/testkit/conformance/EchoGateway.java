package org.restheart.testkit.conformance;

import com.mongodb.client.MongoClient;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/// Answers with the request it has received, and with the collections of the database that the path begins with.
final class EchoGateway implements RunningGateway {
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final MongoClient client;
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.ofLiteral("127.0.0.1"));

    EchoGateway(MongoClient client) throws IOException {
        this.client = client;
    }

    void start() {
        Thread.ofVirtual().start(this::serve);
    }

    void stop() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public int port() {
        return socket.getLocalPort();
    }

    @Override
    public Optional<String> password(String user) {
        return user.equals("admin") ? Optional.of("secret") : Optional.empty();
    }

    private void serve() {
        while (!socket.isClosed()) {
            try (var connection = socket.accept()) {
                answer(connection);
            } catch (IOException _) {
                // stop() closes the socket; a request that fails here fails its test
            }
        }
    }

    private void answer(Socket connection) throws IOException {
        var in = new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.UTF_8));
        var start = in.readLine();
        var target = start.substring(start.indexOf(' ') + 1, start.lastIndexOf(' '));
        var echo = JSON.createObjectNode()
                .put("method", start.substring(0, start.indexOf(' ')))
                .put("target", target);
        var headers = echo.putObject("headers");
        for (var line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
            var colon = line.indexOf(':');
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip());
        }
        echo.put("body", body(in, headers.path("content-length").asInt(0)));
        var collections = echo.putArray("collections");
        var database = target.replaceFirst("^/", "").replaceFirst("[/?].*", "");
        if (!database.isEmpty()) {
            client.getDatabase(database)
                    .listCollectionNames()
                    .forEach(name -> collections.add(name + " "
                            + client.getDatabase(database).getCollection(name).countDocuments()));
        }
        var head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nX-Echo: echo\r\n\r\n";
        connection.getOutputStream().write((head + echo).getBytes(StandardCharsets.UTF_8));
    }

    private static String body(BufferedReader in, int bytes) throws IOException {
        var body = new StringBuilder();
        while (body.toString().getBytes(StandardCharsets.UTF_8).length < bytes) {
            body.append((char) in.read());
        }
        return body.toString();
    }
}
