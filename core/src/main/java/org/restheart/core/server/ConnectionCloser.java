package org.restheart.core.server;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes connections sequentially on a separate thread. When an I/O thread closes one of its connections, XNIO
/// makes it select over all others again: when thousands of clients disconnect at once, requests would wait for
/// seconds. Queues at most one task per open connection. Thread-safe.
final class ConnectionCloser {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionCloser.class);

    private static final Duration FORGET = Duration.ofSeconds(2);

    /// Empty ends the thread.
    private final LinkedBlockingQueue<Optional<Runnable>> tasks = new LinkedBlockingQueue<>();

    private final Runnable forget;

    private ConnectionCloser(Runnable forget) {
        this.forget = forget;
    }

    /// @param forget run every two seconds, for objects that refer to closed connections
    static ConnectionCloser start(Runnable forget) {
        var closer = new ConnectionCloser(forget);
        Thread.ofVirtual().name("closer").start(closer::run);
        return closer;
    }

    void add(Runnable close) {
        tasks.add(Optional.of(close));
    }

    /// Connections added from now on are closed with the I/O threads.
    void stop() {
        tasks.add(Optional.empty());
    }

    private void run() {
        try {
            long forgotten = System.nanoTime();
            while (true) {
                var task = tasks.poll(FORGET.toNanos(), TimeUnit.NANOSECONDS);
                if (task != null && task.isEmpty()) {
                    return;
                }
                if (task != null) {
                    run(task.get());
                }
                if (System.nanoTime() - forgotten >= FORGET.toNanos()) {
                    run(forget);
                    forgotten = System.nanoTime();
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) { // the next connection must be closed nevertheless
            LOG.debug("a connection could not be closed in order", e);
        }
    }
}
