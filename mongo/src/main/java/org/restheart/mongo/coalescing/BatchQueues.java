package org.restheart.mongo.coalescing;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.restheart.mongo.coalescing.Batching.BatchCommand;
import org.restheart.mongo.find.QueryKey;

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

    private final Cache<K, BatchQueue<R, O>> queues;
    private final CoalescingConfig config;
    private final Executor threads;
    private final Deployment deployment;
    private final BatchLoad load;
    private final BatchMeters meters;
    private final QueueChecks checks;

    BatchQueues(CoalescingConfig config, Executor threads, Deployment deployment, BatchLoad load, BatchMeters meters) {
        this.config = config;
        this.threads = threads;
        this.deployment = deployment;
        this.load = load;
        this.meters = meters;
        this.checks = new QueueChecks(threads);
        this.queues = Caffeine.newBuilder()
                .maximumWeight((long) config.maxQueues() * BYTES)
                .weigher((K shape, BatchQueue<R, O> _) -> shape instanceof QueryKey key ? key.weight(BYTES) : BYTES)
                .expireAfterAccess(config.queueIdle())
                .executor(Runnable::run)
                .build();
    }

    /// Submits requests that share a command, as far as the bounds allow.
    ///
    /// @param command of the shape; created for its first requests
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    List<PendingRequest<R, O>> submitAll(K shape, Supplier<BatchCommand<R, O>> command, List<R> requests) {
        return queue(shape, command).submitAll(requests);
    }

    /// @param command of the shape; created for its first request
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    PendingRequest<R, O> submit(K shape, Supplier<BatchCommand<R, O>> command, R request, int bytes) {
        return queue(shape, command).submit(request, bytes);
    }

    private BatchQueue<R, O> queue(K shape, Supplier<BatchCommand<R, O>> command) {
        return queues.get(
                shape,
                _ -> new BatchQueue<>(
                        command.get(), config, threads, deployment, load, meters, checks, System::nanoTime));
    }
}
