package org.restheart.mongo.coalescing;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.restheart.mongo.find.QueryKey;

/// Runs identical waiting commands of one service once and shares the result. Thread-safe.
///
/// @param <V> the result
final class SharedQueries<V> {
    private final BatchQueues<QueryKey, Supplier<V>, BatchResult<V>> queues;

    SharedQueries(Batching batching) {
        this.queues = batching.queues("query");
    }

    /// Adds a request to those waiting for the same query; never blocks.
    ///
    /// @param run runs the query, on a thread that may block
    /// @throws org.restheart.http.ProblemException 503 when too many wait already
    CompletableFuture<BatchResult<V>> submit(QueryKey key, Supplier<V> run) {
        return queues.submit(key, () -> this::runOnce, run, 0);
    }

    private void runOnce(List<PendingRequest<Supplier<V>, BatchResult<V>>> requests) {
        var shared = new BatchResult<>(requests.getFirst().request().get(), requests.size());
        requests.forEach(pending -> pending.complete(shared));
    }
}
