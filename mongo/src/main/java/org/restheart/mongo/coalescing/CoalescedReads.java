package org.restheart.mongo.coalescing;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.bson.RawBsonDocument;
import org.restheart.mongo.find.DocumentQuery;
import org.restheart.mongo.find.Documents;
import org.restheart.mongo.find.QueryKey;

/// Reads of services beside the data API: they wait in its queues, and in those of each other. Thread-safe; never
/// waits.
public final class CoalescedReads {
    private static final Executor THREADS =
            task -> Thread.ofVirtual().name("read").start(task);

    private final Documents documents;
    private final Optional<PointReads> points;
    private final Optional<SharedQueries<List<List<RawBsonDocument>>>> queries;

    CoalescedReads(
            Documents documents,
            Optional<PointReads> points,
            Optional<SharedQueries<List<List<RawBsonDocument>>>> queries) {
        this.documents = documents;
        this.points = points;
        this.queries = queries;
    }

    /// About a plain collection.
    public CompletionStage<Optional<RawBsonDocument>> one(DocumentQuery query) {
        return all(List.of(query)).getFirst();
    }

    /// Queries that differ in their ids alone, which leave together, about a plain collection.
    public List<? extends CompletionStage<Optional<RawBsonDocument>>> all(List<DocumentQuery> queries) {
        if (points.isEmpty() || !queries.stream().allMatch(PointReads::fits)) {
            var answers = new ArrayList<CompletionStage<Optional<RawBsonDocument>>>();
            for (var query : queries) {
                answers.add(CompletableFuture.supplyAsync(() -> documents.one(query), THREADS));
            }
            return answers;
        }
        return points.get().submitAll(queries).stream()
                .map(pending -> pending.thenApply(BatchResult::outcome))
                .toList();
    }

    /// Runs a question, or waits for the answer that somebody else is given to the same.
    ///
    /// @param key decides who shares an answer
    public CompletionStage<List<List<RawBsonDocument>>> share(QueryKey key, Supplier<List<List<RawBsonDocument>>> run) {
        return queries.<CompletionStage<List<List<RawBsonDocument>>>>map(
                        shared -> shared.submit(key, run).thenApply(BatchResult::outcome))
                .orElseGet(() -> CompletableFuture.supplyAsync(run, THREADS));
    }
}
