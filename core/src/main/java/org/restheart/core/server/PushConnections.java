package org.restheart.core.server;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import org.restheart.http.push.Ending;
import org.xnio.XnioIoThread;

/// All connections over which messages go out. Looks after them on one thread: a timer for each would cost more
/// than the look. Thread-safe.
final class PushConnections {
    private static final Duration LOOK = Duration.ofMillis(250);
    private static final Duration GLANCE = Duration.ofMillis(10);

    private final Set<PushConnection> open = ConcurrentHashMap.newKeySet();
    private final Thread keeper = Thread.ofVirtual().name("push-keeper").unstarted(this::look);
    private final ConcurrentHashMap<XnioIoThread, PushLoop> loops = new ConcurrentHashMap<>();
    private volatile boolean closed;

    static PushConnections start() {
        var connections = new PushConnections();
        connections.keeper.start();
        return connections;
    }

    PushLoop loop(XnioIoThread thread) {
        return loops.computeIfAbsent(thread, PushLoop::new);
    }

    void add(PushConnection connection) {
        open.add(connection);
        if (closed) {
            connection.subscription.backlog().end(Ending.SHUTDOWN);
        }
    }

    void remove(PushConnection connection) {
        open.remove(connection);
    }

    private void look() {
        while (!closed || !open.isEmpty()) {
            long now = System.nanoTime();
            for (var connection : open) {
                if (connection.isDue(now)) {
                    connection.attend();
                }
            }
            LockSupport.parkNanos(LOOK.toNanos());
        }
    }

    /// Says farewell to all and waits until they have gone; those that take longer are left to the end of the I/O
    /// threads.
    void close(Duration patience) {
        closed = true;
        open.forEach(connection -> connection.subscription.backlog().end(Ending.SHUTDOWN));
        long end = System.nanoTime() + patience.toNanos();
        while (!open.isEmpty() && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(GLANCE.toNanos());
        }
        open.forEach(PushConnection::over);
    }
}
