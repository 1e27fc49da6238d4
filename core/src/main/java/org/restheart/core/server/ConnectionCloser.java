package org.restheart.core.server;

import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes connections sequentially on a separate thread. When an I/O thread closes one of its connections, XNIO
/// makes it select over all others again: when thousands of clients disconnect at once, requests would wait for
/// seconds. Queues at most one task per open connection. Thread-safe.
final class ConnectionCloser {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionCloser.class);

    /// Empty ends the thread.
    private final LinkedBlockingQueue<Optional<Runnable>> tasks = new LinkedBlockingQueue<>();

    static ConnectionCloser start() {
        var closer = new ConnectionCloser();
        Thread.ofVirtual().name("closer").start(closer::run);
        return closer;
    }

    /// Never blocks.
    void add(Runnable close) {
        tasks.add(Optional.of(close));
    }

    /// Connections added from now on are closed with the I/O threads.
    void stop() {
        tasks.add(Optional.empty());
    }

    private void run() {
        try {
            for (var task = tasks.take(); task.isPresent(); task = tasks.take()) {
                try {
                    task.get().run();
                } catch (RuntimeException | Error e) { // the next connection must be closed nevertheless
                    LOG.debug("a connection could not be closed in order", e);
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
