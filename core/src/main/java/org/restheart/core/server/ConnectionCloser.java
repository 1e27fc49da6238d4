package org.restheart.core.server;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.restheart.http.Fatal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes connections sequentially on a separate thread. When an I/O thread closes one of its connections, XNIO
/// makes it select over all others again: when thousands of clients disconnect at once, requests would wait for
/// seconds. Queues at most one task per open connection. Thread-safe.
final class ConnectionCloser {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionCloser.class);
    private static final Duration FORGET_EVERY = Duration.ofSeconds(2);

    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofVirtual().name("closer").factory());

    /// @param forget run every two seconds, for objects that refer to closed connections
    ConnectionCloser(Runnable forget) {
        this(forget, FORGET_EVERY);
    }

    ConnectionCloser(Runnable forget, Duration pause) {
        var _ = thread.scheduleWithFixedDelay(
                () -> run(forget), pause.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    private static void run(Runnable forget) {
        try {
            forget.run();
        } catch (RuntimeException | Error e) { // else it would never run again
            Fatal.exitOn(e);
            LOG.error("closed connections cannot be forgotten, which is tried again", e);
        }
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
