package org.restheart.core.server;

import java.util.concurrent.LinkedBlockingQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes connections one after the other on a thread of its own. Where an I/O thread closes a connection of its own,
/// XNIO has it look at all others anew: when thousands of listeners go at once, requests would wait for seconds. Holds
/// at most one task per open connection. Thread-safe.
final class ConnectionCloser {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionCloser.class);
    private static final Runnable LAST = () -> {};

    private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

    static ConnectionCloser start() {
        var closer = new ConnectionCloser();
        Thread.ofVirtual().name("closer").start(closer::run);
        return closer;
    }

    /// Never waits.
    void add(Runnable close) {
        tasks.add(close);
    }

    /// What is added from now on is left to the end of the I/O threads.
    void stop() {
        tasks.add(LAST);
    }

    private void run() {
        try {
            for (var task = tasks.take(); task != LAST; task = tasks.take()) {
                try {
                    task.run();
                } catch (RuntimeException | Error e) { // the next connection is not to stay open for it
                    LOG.debug("a connection could not be closed in order", e);
                }
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
