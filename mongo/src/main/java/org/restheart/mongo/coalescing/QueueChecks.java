package org.restheart.mongo.coalescing;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Checks the queues of one kind that have requests, by one timer: different queries have different queues, so that
/// timers and threads of their own would cost as much as the queries. Thread-safe.
final class QueueChecks {
    private static final Logger LOG = LoggerFactory.getLogger(QueueChecks.class);

    /// Where many requests reach their time limits, they are refused together.
    private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /// A check that is late by more than this has failed to begin: there was no thread for it.
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(2);

    /// When each is to be checked, in [System#nanoTime()].
    private final Map<BatchQueue<?, ?>, Long> due = new ConcurrentHashMap<>();

    private final Executor threads;

    @GuardedBy("this")
    private boolean scheduled;

    @GuardedBy("this")
    private long scheduledFor;

    /// @param threads perform the checks
    QueueChecks(Executor threads) {
        this.threads = threads;
    }

    /// Checks a queue until it needs no more checks.
    ///
    /// @param nanos until the first check, about
    void add(BatchQueue<?, ?> queue, long nanos) {
        long now = System.nanoTime();
        due.put(queue, now + nanos);
        schedule(now, nanos);
    }

    private synchronized void schedule(long now, long nanos) {
        long delay = Math.max(nanos, LEAST_NANOS);
        boolean isEarlier = now + delay < scheduledFor - LEAST_NANOS; // the later one finds nothing to do
        if (!scheduled || isEarlier || now - scheduledFor > LOST_NANOS) {
            scheduled = true;
            scheduledFor = now + delay;
            CompletableFuture.delayedExecutor(delay, TimeUnit.NANOSECONDS, threads)
                    .execute(this::check);
        }
    }

    private void check() {
        synchronized (this) {
            scheduled = false;
        }
        long now = System.nanoTime();
        long next = Long.MAX_VALUE;
        for (var queue : Map.copyOf(due).entrySet()) {
            next = Math.min(next, untilNext(queue.getKey(), queue.getValue() - now));
        }
        if (next < Long.MAX_VALUE) {
            schedule(System.nanoTime(), next);
        }
    }

    private long untilNext(BatchQueue<?, ?> queue, long nanos) {
        if (nanos > LEAST_NANOS) {
            return nanos;
        }
        due.remove(queue); // before its check, during which a request may add it again
        if (!queue.endsChecks()) {
            // on a thread of its own: whoever hears of a failure may wait for MongoDB
            threads.execute(() -> {
                long next = check(queue);
                if (next > 0) {
                    add(queue, next);
                }
            });
        }
        return Long.MAX_VALUE;
    }

    private static long check(BatchQueue<?, ?> queue) {
        try {
            return queue.check();
        } catch (RuntimeException | Error e) {
            LOG.error("a queue of requests could not be checked", e);
            return TimeUnit.SECONDS.toNanos(1);
        }
    }
}
