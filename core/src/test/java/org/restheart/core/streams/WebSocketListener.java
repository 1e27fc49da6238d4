package org.restheart.core.streams;

import org.restheart.testkit.WebSocketClient;

/// Listens to a stream over a WebSocket.
final class WebSocketListener extends WebSocketClient {
    private WebSocketListener() {}

    /// @param headers names and values
    static WebSocketListener open(StreamsGateway gateway, String target, String... headers) throws Exception {
        var listener = new WebSocketListener();
        listener.connect(gateway.uri("ws", target), StreamsGateway.fields(headers));
        return listener;
    }

    /// The `n` of the next inserted document.
    int nextN() throws InterruptedException {
        return next().getDocument("fullDocument").getInt32("n").getValue();
    }

    boolean hasNothing() {
        return messages().isEmpty();
    }

    boolean isClosed() {
        return closed().isDone();
    }
}
