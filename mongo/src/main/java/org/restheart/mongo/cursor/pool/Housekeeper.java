package org.restheart.mongo.cursor.pool;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes old cursors, often enough that MongoDB, which does so after ten minutes, never has to. Thread-safe.
final class Housekeeper implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Housekeeper.class);

    private static final Duration SHORTEST = Duration.ofMillis(100);

    private final ParkedCursors cursors;
    private final ScheduledExecutorService thread;

    private Housekeeper(ParkedCursors cursors, ScheduledExecutorService thread) {
        this.cursors = cursors;
        this.thread = thread;
    }

    /// @param maxAge of a cursor; it is looked for a tenth of it later at most
    static Housekeeper start(ParkedCursors cursors, Duration maxAge) {
        var thread = Executors.newSingleThreadScheduledExecutor(
                Thread.ofVirtual().name("cursor-housekeeper").factory());
        var keeper = new Housekeeper(cursors, thread);
        long period = Math.max(SHORTEST.toMillis(), maxAge.dividedBy(10).toMillis());
        var _ = thread.scheduleWithFixedDelay(keeper::round, period, period, TimeUnit.MILLISECONDS);
        return keeper;
    }

    private void round() {
        try {
            cursors.closeOld();
        } catch (RuntimeException e) { // which would end the rounds
            LOG.warn("Old cursors could not be closed", e);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
