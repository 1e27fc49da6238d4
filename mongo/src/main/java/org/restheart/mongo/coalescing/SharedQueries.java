package org.restheart.mongo.coalescing;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.restheart.mongo.find.QueryKey;

/// Runs identical waiting queries once and shares the result. Thread-safe.
///
/// @param <V> the result
final class SharedQueries<V> {
    private final BatchQueues<QueryKey, Supplier<V>, BatchResult<V>> queues;
    private final Predicate<V> canBeShared;

    SharedQueries(
            Predicate<V> canBeShared,
            CoalescingConfig config,
            Executor threads,
            Deployment deployment,
            MeterRegistry registry) {
        this.canBeShared = canBeShared;
        this.queues = new BatchQueues<>(config, threads, deployment, new BatchMeters(registry, "query"));
    }

    /// Adds a request to those waiting for the same query; never blocks.
    ///
    /// @param ask runs the query, on a thread that may block
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    CompletableFuture<BatchResult<V>> submit(QueryKey question, Supplier<V> ask) {
        return queues.submit(question, () -> this::askOnce, ask, 0);
    }

    private void askOnce(List<PendingRequest<Supplier<V>, BatchResult<V>>> requests) {
        var first = requests.getFirst();
        var answer = first.request().get();
        if (canBeShared.test(answer)) {
            var shared = new BatchResult<>(answer, requests.size());
            requests.forEach(pending -> pending.complete(shared));
        } else {
            first.complete(new BatchResult<>(answer, 1));
            requests.stream()
                    .skip(1)
                    .forEach(pending ->
                            pending.complete(new BatchResult<>(pending.request().get(), 1)));
        }
    }
}
