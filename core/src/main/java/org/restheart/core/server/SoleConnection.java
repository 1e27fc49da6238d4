package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpServerConnection;
import java.lang.ref.WeakReference;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Determines whether an I/O thread has requests of one connection only: then it may wait for MongoDB, for a short
/// time, since no other request waits for it. Responses that other connections are still receiving may wait for the
/// command, at most 100 ms. Confined to its thread.
final class SoleConnection {
    /// For how long the thread must have had no requests of others.
    private static final long ALONE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /// When two commands in a row take longer, others are run by other threads for a time: MongoDB or the network is
    /// slow. A single one may have met a garbage collection.
    private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final ThreadLocal<SoleConnection> CURRENT = ThreadLocal.withInitial(SoleConnection::new);

    /// Weak, since it may have been closed.
    private WeakReference<@Nullable Object> last = new WeakReference<>(null);

    /// Since when there are no others, as far as is known; in the future during a pause.
    private long since = System.nanoTime();

    private boolean lastWasLong;

    /// To be called for each request, on its I/O thread.
    static void requested(HttpServerExchange exchange, long now) {
        var use = CURRENT.get();
        var connection = exchange.getConnection();
        if (!use.last.refersTo(connection)) {
            use.last = new WeakReference<>(connection);
            use.startAgain(now);
        }
    }

    /// Whether the thread has had requests of this connection only for some time. A connection of HTTP/2 may have
    /// several at a time.
    static boolean isSole(HttpServerExchange exchange, long now) {
        var use = CURRENT.get();
        var connection = exchange.getConnection();
        return use.last.refersTo(connection)
                && now - use.since >= ALONE_NANOS
                && connection instanceof HttpServerConnection;
    }

    /// To be called when a command has run on the I/O thread.
    static void commandRan(long began) {
        long now = System.nanoTime();
        var use = CURRENT.get();
        boolean isLong = now - began > LONG_NANOS;
        if (isLong && use.lastWasLong) {
            use.startAgain(now + PAUSE_NANOS);
        }
        use.lastWasLong = isLong;
    }

    /// To be called when messages are sent to listeners.
    static void messagesPushed() {
        CURRENT.get().startAgain(System.nanoTime());
    }

    private void startAgain(long at) {
        if (at - since > 0) {
            since = at;
        }
    }
}
