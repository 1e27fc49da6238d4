package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpServerConnection;
import java.io.IOException;

/// Detects whether the client of a pending response is still connected.
final class Presence {
    private Presence() {}

    /// Called on the connection's I/O thread, before the response begins. While a response of HTTP/1.1 is pending
    /// its connection is not read, so its end is checked here. A client that has only closed its side of the
    /// connection counts as disconnected.
    static boolean hasGone(HttpServerExchange exchange) {
        var connection = exchange.getConnection();
        if (!connection.isOpen()) {
            return true;
        }
        return connection instanceof HttpServerConnection http1
                && exchange.isRequestComplete()
                && http1.getExtraBytes() == null
                && isAtEnd(http1);
    }

    private static boolean isAtEnd(HttpServerConnection connection) {
        var pooled = connection.getByteBufferPool().allocate();
        boolean kept = false;
        try {
            var buffer = pooled.getBuffer();
            int n = connection.getOriginalSourceConduit().read(buffer);
            if (n > 0) { // the next request already
                buffer.flip();
                connection.ungetRequestBytes(pooled);
                kept = true;
            }
            return n < 0;
        } catch (IOException _) {
            return true;
        } finally {
            if (!kept) {
                pooled.close();
            }
        }
    }
}
