package org.restheart.core.server;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.restheart.http.push.Ending;
import org.xnio.XnioIoThread;

/// All connections on which messages are sent. One thread polls them, while there are any: a timer for each would cost
/// more. Thread-safe.
final class PushConnections {
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(250);
    private static final Duration STOP_POLL = Duration.ofMillis(10);

    private final Set<PushConnection> open = ConcurrentHashMap.newKeySet();
    private final Set<Object> expected = ConcurrentHashMap.newKeySet();
    private final Thread keeper = Thread.ofVirtual().name("push-keeper").unstarted(this::check);
    private final ConcurrentHashMap<XnioIoThread, PushLoop> loops = new ConcurrentHashMap<>();
    private final ConnectionCloser closer;
    private volatile boolean closed;

    private PushConnections(ConnectionCloser closer) {
        this.closer = closer;
    }

    static PushConnections start(ConnectionCloser closer) {
        var connections = new PushConnections(closer);
        connections.keeper.start();
        return connections;
    }

    PushLoop loop(XnioIoThread thread) {
        return loops.computeIfAbsent(thread, PushLoop::new);
    }

    /// Announces a connection that its I/O thread will add; its client may be connected already.
    ///
    /// @return to be run once it was added or will not be added; further runs do nothing
    Runnable expect() {
        var connection = new Object();
        expected.add(connection);
        return () -> expected.remove(connection);
    }

    /// Off the I/O threads. Never waits.
    void closeLater(Runnable close) {
        closer.add(close);
    }

    void add(PushConnection connection) {
        open.add(connection);
        LockSupport.unpark(keeper);
        if (closed) {
            connection.subscription.backlog().end(Ending.SHUTDOWN);
        }
    }

    void remove(PushConnection connection) {
        open.remove(connection);
    }

    private void check() {
        while (!closed || !open.isEmpty() || !expected.isEmpty()) {
            long now = System.nanoTime();
            for (var connection : open) {
                if (connection.isDue(now)) {
                    connection.attend();
                }
            }
            if (open.isEmpty() && !closed) {
                LockSupport.park();
            } else {
                LockSupport.parkNanos(CHECK_INTERVAL.toNanos());
            }
        }
    }

    /// Sends a close frame to all, also to those that come from now on.
    void close() {
        closed = true;
        LockSupport.unpark(keeper);
        open.forEach(connection -> connection.subscription.backlog().end(Ending.SHUTDOWN));
    }

    /// After [#close()], once no request in flight can add another: waits until all have ended. Remaining ones are
    /// closed with the I/O threads.
    void awaitEmpty(Duration timeout) {
        long end = System.nanoTime() + timeout.toNanos();
        while (!(expected.isEmpty() && open.isEmpty()) && System.nanoTime() - end < 0) {
            LockSupport.parkNanos(STOP_POLL.toNanos());
        }
        open.forEach(PushConnection::over);
        expected.clear();
    }

    /// The connections of one I/O thread with messages to send: one wake-up of the thread serves all of them.
    /// Thread-safe.
    static final class PushLoop implements Runnable {
        /// Connections that are served before requests get their turn.
        private static final int TURN = 256;

        private final XnioIoThread thread;
        private final ConcurrentLinkedQueue<PushConnection> ready = new ConcurrentLinkedQueue<>();
        private final AtomicBoolean scheduled = new AtomicBoolean();

        PushLoop(XnioIoThread thread) {
            this.thread = thread;
        }

        /// Never blocks. Each connection is added only once until it is served.
        void add(PushConnection connection) {
            ready.add(connection);
            schedule();
        }

        private void schedule() {
            if (!scheduled.get() && scheduled.compareAndSet(false, true)) {
                var _ = Exchanges.execute(thread, this);
            }
        }

        @Override
        public void run() {
            SoleConnection.messagesPushed();
            scheduled.set(false); // connections added from here on schedule another run
            for (int served = 0; served < TURN; served++) {
                var connection = ready.poll();
                if (connection == null) {
                    return;
                }
                connection.drain();
            }
            schedule();
        }
    }
}
