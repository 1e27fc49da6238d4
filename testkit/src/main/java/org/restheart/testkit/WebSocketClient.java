package org.restheart.testkit;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;

/// Receives the messages of a WebSocket. Waits half a minute at most.
public abstract class WebSocketClient implements WebSocket.Listener, AutoCloseable {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();
    private final StringBuilder partial = new StringBuilder();
    private @Nullable WebSocket socket;

    /// @param settings sets fields and protocols of the handshake
    protected final void connect(URI uri, Consumer<WebSocket.Builder> settings) throws Exception {
        var builder = HTTP.newWebSocketBuilder();
        settings.accept(builder);
        socket = builder.buildAsync(uri, this).get(60, TimeUnit.SECONDS);
    }

    /// The status of a handshake, -1 if it failed otherwise; a connection is cut at once.
    public static int handshake(URI uri, Consumer<WebSocket.Builder> settings) throws Exception {
        var builder = HTTP.newWebSocketBuilder();
        settings.accept(builder);
        return builder.buildAsync(uri, new WebSocket.Listener() {})
                .handle((socket, failure) -> {
                    if (socket != null) {
                        socket.abort();
                        return 101;
                    }
                    return failure.getCause() instanceof WebSocketHandshakeException refused
                            ? refused.getResponse().statusCode()
                            : -1;
                })
                .get();
    }

    protected final WebSocket socket() {
        return Objects.requireNonNull(socket);
    }

    /// The messages that were not taken yet. Thread-safe.
    protected final BlockingQueue<String> messages() {
        return messages;
    }

    /// Completed with the close code.
    protected final CompletableFuture<Integer> closed() {
        return closed;
    }

    @Override
    public final @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        partial.append(data);
        if (last) {
            messages.add(partial.toString());
            partial.setLength(0);
        }
        from.request(1);
        return null;
    }

    @Override
    public final @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
        closed.complete(code);
        return null;
    }

    @Override
    public final void onError(WebSocket from, Throwable error) {
        closed.completeExceptionally(error);
    }

    public final BsonDocument next() throws InterruptedException {
        return BsonDocument.parse(Objects.requireNonNull(messages.poll(60, TimeUnit.SECONDS), "no message"));
    }

    public final int closeCode() throws Exception {
        return closed.get(60, TimeUnit.SECONDS);
    }

    /// Cuts the connection.
    @Override
    public final void close() {
        if (socket != null) {
            socket.abort();
        }
    }
}
