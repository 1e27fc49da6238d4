package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpServerConnection;
import java.io.IOException;

/// Whether the client that waits for an answer is still there.
final class Presence {
    private Presence() {}

    /// To be asked on the connection's I/O thread, before anything is answered. While a request of HTTP/1.1 is
    /// being answered nobody reads from its connection, so its end is looked for here. A client that has only ended
    /// its own side of the connection counts as gone.
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
