package org.restheart.mongo.coalescing;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Checks all queues that have requests, by one timer: different queries have different queues, so that timers and
/// threads of their own would cost as much as the queries. Thread-safe.
final class QueueChecks {
    private static final Logger LOG = LoggerFactory.getLogger(QueueChecks.class);

    private final Set<BatchQueue<?, ?>> queues = ConcurrentHashMap.newKeySet();
    private final Executor threads;

    @GuardedBy("this")
    private boolean scheduled;

    /// @param threads perform the checks
    QueueChecks(Executor threads) {
        this.threads = threads;
    }

    /// Checks a queue until it needs no more checks.
    ///
    /// @param nanos until the first check, at the latest
    void add(BatchQueue<?, ?> queue, long nanos) {
        queues.add(queue);
        schedule(nanos);
    }

    private synchronized void schedule(long nanos) {
        if (!scheduled) {
            scheduled = true;
            CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS, threads)
                    .execute(this::check);
        }
    }

    private void check() {
        synchronized (this) {
            scheduled = false;
        }
        long next = Long.MAX_VALUE;
        for (var queue : List.copyOf(queues)) {
            queues.remove(queue); // before its check, during which a request may add it again
            long nanos = check(queue);
            if (nanos > 0) {
                queues.add(queue);
                next = Math.min(next, nanos);
            }
        }
        if (next < Long.MAX_VALUE) {
            schedule(next);
        }
    }

    private static long check(BatchQueue<?, ?> queue) {
        try {
            return queue.check();
        } catch (RuntimeException e) {
            LOG.error("a queue of requests could not be checked", e);
            return TimeUnit.SECONDS.toNanos(1);
        }
    }
}
