package org.restheart.core.streams;

import java.net.http.WebSocket;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/// Listens to a stream over a WebSocket. Waits half a minute at most.
final class WebSocketListener implements WebSocket.Listener, AutoCloseable {
    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final StringBuilder partial = new StringBuilder();
    private @Nullable WebSocket socket;

    /// @param headers names and values
    static WebSocketListener open(StreamsGateway gateway, String target, String... headers) throws Exception {
        var listener = new WebSocketListener();
        var builder = StreamsGateway.HTTP.newWebSocketBuilder();
        for (int i = 0; i < headers.length; i += 2) {
            builder.header(headers[i], headers[i + 1]);
        }
        listener.socket =
                builder.buildAsync(gateway.uri("ws", target), listener).get(10, TimeUnit.SECONDS);
        return listener;
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
        partial.append(data);
        if (last) {
            messages.add(partial.toString());
            partial.setLength(0);
        }
        socket.request(1);
        return null;
    }

    @Override
    public @Nullable CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
        closed.complete(code);
        return null;
    }

    BsonDocument next() throws InterruptedException {
        return BsonDocument.parse(Objects.requireNonNull(messages.poll(30, TimeUnit.SECONDS), "no message"));
    }

    /// The `n` of the next inserted document.
    int nextN() throws InterruptedException {
        return next().getDocument("fullDocument").getInt32("n").getValue();
    }

    boolean hasNothing() {
        return messages.isEmpty();
    }

    boolean isClosed() {
        return closed.isDone();
    }

    int closeCode() throws Exception {
        return closed.get(30, TimeUnit.SECONDS);
    }

    /// Cuts the connection.
    @Override
    public void close() {
        if (socket != null) {
            socket.abort();
        }
    }
}
