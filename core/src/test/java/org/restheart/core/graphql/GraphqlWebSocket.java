package org.restheart.core.graphql;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.restheart.core.dataapi.ConformanceGateway;

/// A client of graphql-transport-ws. Waits half a minute at most.
final class GraphqlWebSocket implements WebSocket.Listener, AutoCloseable {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final StringBuilder partial = new StringBuilder();
    private final WebSocket socket;

    private GraphqlWebSocket(ConformanceGateway gateway, String user, String app) throws Exception {
        socket = HTTP.newWebSocketBuilder()
                .subprotocols("graphql-transport-ws")
                .header(
                        "Authorization",
                        "Basic "
                                + Base64.getEncoder()
                                        .encodeToString((user + ":secret").getBytes(StandardCharsets.UTF_8)))
                .buildAsync(URI.create("ws://127.0.0.1:" + gateway.port() + "/graphql/" + app), this)
                .get(10, TimeUnit.SECONDS);
    }

    static GraphqlWebSocket open(ConformanceGateway gateway, String user, String app) throws Exception {
        return new GraphqlWebSocket(gateway, user, app);
    }

    /// One that is initialised.
    static GraphqlWebSocket connect(ConformanceGateway gateway, String user, String app) throws Exception {
        var socket = open(gateway, user, app);
        socket.send("{\"type\": \"connection_init\"}");
        if (!socket.next().getString("type").getValue().equals("connection_ack")) {
            throw new AssertionError("not acknowledged");
        }
        return socket;
    }

    String protocol() {
        return socket.getSubprotocol();
    }

    void send(String message) {
        trySend(message).join();
    }

    /// What may find the connection closed.
    CompletableFuture<?> trySend(String message) {
        return socket.sendText(message, true);
    }

    /// The beginning of a message that is never completed.
    CompletableFuture<?> tryBegin(String message) {
        return socket.sendText(message, false);
    }

    void subscribe(String id, String query) {
        send(new BsonDocument("id", new BsonString(id))
                .append("type", new BsonString("subscribe"))
                .append("payload", new BsonDocument("query", new BsonString(query)))
                .toJson());
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        partial.append(data);
        if (last) {
            messages.add(partial.toString());
            partial.setLength(0);
        }
        from.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        closed.complete(code);
        return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
        closed.completeExceptionally(error);
    }

    BsonDocument next() throws InterruptedException {
        return BsonDocument.parse(Objects.requireNonNull(messages.poll(30, TimeUnit.SECONDS), "no message"));
    }

    /// Whether a message has arrived that contains a text.
    boolean has(String text) {
        return messages.stream().anyMatch(message -> message.contains(text));
    }

    /// The close code, if it is closed.
    Optional<Integer> closed() {
        return closed.isCompletedExceptionally() ? Optional.empty() : Optional.ofNullable(closed.getNow(null));
    }

    int closeCode() throws Exception {
        return closed.get(30, TimeUnit.SECONDS);
    }

    /// Cuts the connection.
    @Override
    public void close() {
        socket.abort();
    }
}
