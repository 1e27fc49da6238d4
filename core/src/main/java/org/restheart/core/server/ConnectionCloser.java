package org.restheart.core.server;

import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes connections sequentially on a separate thread. When an I/O thread closes one of its connections, XNIO
/// makes it select over all others again: when thousands of clients disconnect at once, requests would wait for
/// seconds. Queues at most one task per open connection. Thread-safe.
final class ConnectionCloser {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionCloser.class);
    private static final int FORGET_SECONDS = 2;

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofVirtual().name("closer").factory());

    /// @param forget run every two seconds, for objects that refer to closed connections
    ConnectionCloser(Runnable forget) {
        var _ = thread.scheduleWithFixedDelay(forget, FORGET_SECONDS, FORGET_SECONDS, TimeUnit.SECONDS);
    }

    void add(Runnable close) {
        try {
            thread.execute(close);
        } catch (RejectedExecutionException _) {
            LOG.debug("a connection is closed with the I/O threads");
        }
    }

    void stop() {
        thread.shutdown();
    }
}
