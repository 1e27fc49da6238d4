package org.restheart.mongo.coalescing;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.bson.RawBsonDocument;
import org.restheart.http.Lease;
import org.restheart.http.MemoryBudget;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.coalescing.Batching.BatchResult;
import org.restheart.mongo.coalescing.SharedFinds.FindResult;
import org.restheart.mongo.find.DocumentQuery;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.find.QueryKey;

/// Coalesced reads of services other than the data API, in the same queues. Thread-safe; never blocks.
public final class CoalescedReads {
    private static final String FORM = "documents";
    private static final Executor THREADS =
            task -> Thread.ofVirtual().name("read").start(CallerScope.carried(task));

    private final DriverFinder documents;
    private final MemoryBudget memory;
    private final Optional<PointReads> points;
    private final Optional<SharedFinds> finds;
    private final Optional<BatchQueues<QueryKey, Supplier<List<List<RawBsonDocument>>>, List<List<RawBsonDocument>>>>
            queries;

    CoalescedReads(
            DriverFinder documents,
            MemoryBudget memory,
            Optional<PointReads> points,
            Optional<SharedFinds> finds,
            Optional<BatchQueues<QueryKey, Supplier<List<List<RawBsonDocument>>>, List<List<RawBsonDocument>>>>
                    queries) {
        this.documents = documents;
        this.memory = memory;
        this.points = points;
        this.finds = finds;
        this.queries = queries;
    }

    /// A read from a plain collection.
    public CompletionStage<Optional<RawBsonDocument>> one(DocumentQuery query) {
        return all(List.of(query)).getFirst();
    }

    /// Reads from a plain collection that differ only in their ids, in one command.
    public List<? extends CompletionStage<Optional<RawBsonDocument>>> all(List<DocumentQuery> queries) {
        if (points.isEmpty() || !queries.stream().allMatch(PointReads::fits)) {
            var answers = new ArrayList<CompletionStage<Optional<RawBsonDocument>>>();
            for (var query : queries) {
                answers.add(CompletableFuture.supplyAsync(() -> documents.one(query), THREADS));
            }
            return answers;
        }
        var caller = CallerScope.current();
        var lease = memory.open(() -> caller);
        var reads = points.get().submitAll(queries, lease);
        var _ = CompletableFuture.allOf(reads.toArray(CompletableFuture[]::new))
                .whenComplete((_, _) -> lease.close()); // the caller counts what it has received
        return reads.stream()
                .map(pending -> pending.thenApply(BatchResult::outcome))
                .toList();
    }

    /// Finds the documents of a query, or shares those of an equal one of any service.
    ///
    /// @param read finds and takes the documents by a finder, which it changes as asked
    public CompletionStage<List<RawBsonDocument>> find(
            FindQuery query, Function<UnaryOperator<Finder>, List<RawBsonDocument>> read) {
        return finds.<CompletionStage<List<RawBsonDocument>>>map(shared -> shared.submit(new SharedFinds.Find(
                                query,
                                FORM,
                                false,
                                Lease.CONSTANT, // reading holds the memory, and then the callers what they receive
                                use -> new FindResult.Documents(read.apply(use.change()))))
                        .thenApply(result -> ((FindResult.Documents) result.outcome()).documents()))
                .orElseGet(() -> CompletableFuture.supplyAsync(() -> read.apply(UnaryOperator.identity()), THREADS));
    }

    /// Runs commands of the calling service, or shares the results of equal ones.
    ///
    /// @param key those with equal keys share a result
    public CompletionStage<List<List<RawBsonDocument>>> share(QueryKey key, Supplier<List<List<RawBsonDocument>>> run) {
        return queries.<CompletionStage<List<List<RawBsonDocument>>>>map(
                        shared -> shared.submit(key, () -> CoalescedReads::runOnce, run, 0)
                                .thenApply(BatchResult::outcome))
                .orElseGet(() -> CompletableFuture.supplyAsync(run, THREADS));
    }

    private static <V> void runOnce(List<PendingRequest<Supplier<V>, V>> requests) {
        var shared = new BatchResult<>(requests.getFirst().request().get(), requests.size());
        requests.forEach(pending -> pending.complete(shared));
    }
}
