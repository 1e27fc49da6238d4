package org.restheart.mongo.coalescing;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.restheart.mongo.find.QueryKey;

/// Runs identical waiting queries once and shares the result. Thread-safe.
///
/// @param <V> the result
final class SharedQueries<V> {
    private final BatchQueues<QueryKey, Supplier<V>, BatchResult<V>> queues;
    private final Predicate<V> canBeShared;

    /// @param canBeShared false for a result that only one request can use
    SharedQueries(Batching batching, Predicate<V> canBeShared) {
        this.queues = batching.queues("query");
        this.canBeShared = canBeShared;
    }

    /// Adds a request to those waiting for the same query; never blocks.
    ///
    /// @param run runs the query, on a thread that may block
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    CompletableFuture<BatchResult<V>> submit(QueryKey key, Supplier<V> run) {
        return queues.submit(key, () -> this::runOnce, run, 0);
    }

    private void runOnce(List<PendingRequest<Supplier<V>, BatchResult<V>>> requests) {
        var first = requests.getFirst();
        var result = first.request().get();
        if (canBeShared.test(result)) {
            var shared = new BatchResult<>(result, requests.size());
            requests.forEach(pending -> pending.complete(shared));
        } else {
            first.complete(new BatchResult<>(result, 1));
            requests.stream()
                    .skip(1)
                    .forEach(pending ->
                            pending.complete(new BatchResult<>(pending.request().get(), 1)));
        }
    }
}
