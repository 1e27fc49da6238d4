package org.restheart.core.graphql;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.WebSocketClient;

/// A client of graphql-transport-ws.
final class GraphqlWebSocket extends WebSocketClient {
    private GraphqlWebSocket() {}

    static GraphqlWebSocket open(ConformanceGateway gateway, String user, String app) throws Exception {
        var socket = new GraphqlWebSocket();
        socket.connect(
                URI.create("ws://127.0.0.1:" + gateway.port() + "/graphql/" + app),
                builder -> builder.subprotocols("graphql-transport-ws")
                        .header("Authorization", TestClient.basic(user, "secret")));
        return socket;
    }

    /// One that is initialized.
    static GraphqlWebSocket connect(ConformanceGateway gateway, String user, String app) throws Exception {
        var socket = open(gateway, user, app);
        socket.send("{\"type\": \"connection_init\"}");
        if (!socket.next().getString("type").getValue().equals("connection_ack")) {
            throw new AssertionError("not acknowledged");
        }
        return socket;
    }

    String protocol() {
        return socket().getSubprotocol();
    }

    void send(String message) {
        trySend(message).join();
    }

    /// Returns when the messages before it are handled, such as those that begin subscriptions.
    void ping() throws InterruptedException {
        send("{\"type\": \"ping\"}");
        assertThat(next().getString("type").getValue()).isEqualTo("pong");
    }

    /// What may find the connection closed.
    CompletableFuture<?> trySend(String message) {
        return socket().sendText(message, true);
    }

    /// The beginning of a message that is never completed.
    CompletableFuture<?> tryBegin(String message) {
        return socket().sendText(message, false);
    }

    void subscribe(String id, String query) {
        send(new BsonDocument("id", new BsonString(id))
                .append("type", new BsonString("subscribe"))
                .append("payload", new BsonDocument("query", new BsonString(query)))
                .toJson());
    }

    /// Whether a message has arrived that contains a text.
    boolean has(String text) {
        return messages().stream().anyMatch(message -> message.contains(text));
    }

    /// The close code, if it is closed.
    Optional<Integer> closedWith() {
        return closed().isCompletedExceptionally() ? Optional.empty() : Optional.ofNullable(closed().getNow(null));
    }
}
