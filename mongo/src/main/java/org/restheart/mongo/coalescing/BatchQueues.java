package org.restheart.mongo.coalescing;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.coalescing.Batching.BatchCommand;
import org.restheart.mongo.find.QueryKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The queues of one kind, by shape. A queue that is evicted while requests wait in it still serves them.
/// Thread-safe.
///
/// @param <K> the shape: requests with equal shapes may share a command, so that it contains BSON only as a
///     [QueryKey]
/// @param <R> the request
/// @param <O> the outcome
final class BatchQueues<K, R, O> {
    /// Bytes of an average shape; the whole text of a query is one, whose arguments may have megabytes.
    private static final int BYTES = 1_024;

    private static final long MAX_QUEUES = 10_000;

    private static final Duration IDLE = Duration.ofMinutes(1);

    private final Cache<K, BatchQueue<R, O>> queues;
    private final Batching batching;
    private final BatchMeters meters;
    private final QueueChecks checks;

    BatchQueues(Batching batching, BatchMeters meters) {
        this.batching = batching;
        this.meters = meters;
        this.checks = new QueueChecks(batching.threads());
        this.queues = Caffeine.newBuilder()
                .maximumWeight(MAX_QUEUES * BYTES)
                .weigher((K shape, BatchQueue<R, O> _) -> shape instanceof QueryKey key ? key.weight(BYTES) : BYTES)
                .expireAfterAccess(IDLE)
                .executor(Runnable::run)
                .build();
    }

    /// Submits requests that share a command, as far as the bounds allow.
    ///
    /// @param command of the shape; created for its first requests
    List<PendingRequest<R, O>> submitAll(K shape, Supplier<BatchCommand<R, O>> command, List<R> requests) {
        return queue(shape, command).submitAll(requests);
    }

    /// @param command of the shape; created for its first request
    PendingRequest<R, O> submit(K shape, Supplier<BatchCommand<R, O>> command, R request, int bytes) {
        return queue(shape, command).submit(request, bytes);
    }

    private BatchQueue<R, O> queue(K shape, Supplier<BatchCommand<R, O>> command) {
        return queues.get(
                shape,
                _ -> new BatchQueue<>(
                        command.get(),
                        batching.config(),
                        batching.threads(),
                        batching.deployment(),
                        batching.load(),
                        meters,
                        checks,
                        System::nanoTime));
    }

    /// Checks the queues of one kind that have requests, by one timer: different queries have different queues, so that
    /// timers and threads of their own would cost as much as the queries. Thread-safe.
    static final class QueueChecks {
        private static final Logger LOG = LoggerFactory.getLogger(QueueChecks.class);

        /// Where many requests reach their time limits, they are refused together.
        private static final long LEAST_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

        /// When a check is tried again that has failed, or found no thread.
        private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

        /// When each is to be checked, in [System#nanoTime()].
        private final Map<BatchQueue<?, ?>, Long> due = new ConcurrentHashMap<>();

        private final Executor threads;

        @GuardedBy("this")
        private boolean scheduled;

        @GuardedBy("this")
        private long scheduledFor;

        @GuardedBy("this")
        private CompletableFuture<@Nullable Void> following = new CompletableFuture<>();

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
            if (!scheduled || isEarlier) {
                scheduled = true;
                scheduledFor = now + delay;
                following.cancel(false); // there is one at a time, or each would be followed by others
                following =
                        new CompletableFuture<@Nullable Void>().completeOnTimeout(null, delay, TimeUnit.NANOSECONDS);
                var _ = following.thenRun(this::check); // never blocks
            }
        }

        private void check() {
            synchronized (this) {
                scheduled = false;
            }
            long now = System.nanoTime();
            long next = Long.MAX_VALUE;
            for (var queue : due.entrySet()) {
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
            if (queue.endsChecks()) {
                return Long.MAX_VALUE;
            }
            try {
                threads.execute(() -> check(queue)); // whoever hears of a failure may wait for MongoDB
                return Long.MAX_VALUE;
            } catch (RuntimeException | Error e) {
                LOG.error("no thread checks a queue of requests now", e);
                due.put(queue, System.nanoTime() + AGAIN_NANOS);
                return AGAIN_NANOS;
            }
        }

        private void check(BatchQueue<?, ?> queue) {
            long next = AGAIN_NANOS;
            try {
                next = queue.check();
            } catch (RuntimeException | Error e) {
                LOG.error("a queue of requests could not be checked", e);
            }
            if (next > 0) {
                add(queue, next);
            }
        }
    }

    /// Metrics of all queues of one kind. Thread-safe.
    static final class BatchMeters {
        private final DistributionSummary batchSize;
        private final Timer wait;
        private final Counter refused;
        private final Counter abandoned;

        /// @param kind such as `insert`
        BatchMeters(MeterRegistry registry, String kind) {
            batchSize = DistributionSummary.builder("coalescing_batch_size")
                    .description("Requests that left together")
                    .tag("kind", kind)
                    .serviceLevelObjectives(1, 2, 4, 8, 16, 32, 64, 128, 256)
                    .register(registry);
            wait = Timer.builder("coalescing_wait")
                    .description("How long the longest waiting request of a batch was queued")
                    .tag("kind", kind)
                    .serviceLevelObjectives(
                            Duration.ofNanos(100_000),
                            Duration.ofMillis(1),
                            Duration.ofMillis(5),
                            Duration.ofMillis(20),
                            Duration.ofMillis(100),
                            Duration.ofSeconds(1))
                    .register(registry);
            refused = Counter.builder("coalescing_refused")
                    .description("Requests refused because too many waited")
                    .tag("kind", kind)
                    .register(registry);
            abandoned = Counter.builder("coalescing_abandoned")
                    .description("Requests whose client had gone before they left")
                    .tag("kind", kind)
                    .register(registry);
        }

        /// @param now in [System#nanoTime()]
        void sent(List<? extends PendingRequest<?, ?>> batch, long now) {
            batchSize.record(batch.size());
            wait.record(now - batch.getFirst().queuedAt(), TimeUnit.NANOSECONDS);
        }

        void refused() {
            refused.increment();
        }

        void abandoned() {
            abandoned.increment();
        }
    }
}
