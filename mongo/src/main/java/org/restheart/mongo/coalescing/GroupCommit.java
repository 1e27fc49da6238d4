package org.restheart.mongo.coalescing;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.data.Executor;
import org.restheart.data.Flow;
import org.restheart.data.Operation.Authorized;
import org.restheart.data.Operation.Get;
import org.restheart.mongo.coalescing.Batching.BatchCommand;
import org.restheart.mongo.coalescing.Batching.BatchResult;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.find.DocumentQuery;
import org.restheart.mongo.find.QueryKey;

/// Merges operations that arrive while MongoDB is busy to one command, whichever way in they came by: those of one
/// batch key, which each kind has for itself. Reads by `_id` become one `{_id: {$in: […]}}`; their key is
/// [DocumentQuery#shapeKey()]. Thread-safe.
final class GroupCommit implements Executor {
    /// How long the thread of a connection waits for MongoDB.
    private static final Duration INLINE_LIMIT = Duration.ofMillis(100);

    private final MongoClient client;
    private final BatchQueues<QueryKey, BsonValue, Optional<RawBsonDocument>> reads;
    private final Executor alone;

    /// @param alone carries out what shares no command
    GroupCommit(Batching batching, Executor alone) {
        this.client = batching.client();
        this.reads = batching.queues("read");
        this.alone = alone;
    }

    @Override
    public Flow<Found> get(Authorized<Get> read) {
        var query = DocumentQuery.of(read);
        return mayShare(read, query) ? found(submit(query)) : alone.get(read);
    }

    @Override
    public List<Flow<Found>> getAll(List<Authorized<Get>> all) {
        var queries = all.stream().map(DocumentQuery::of).toList();
        return IntStream.range(0, queries.size()).allMatch(i -> mayShare(all.get(i), queries.get(i)))
                ? submitAll(queries).stream().map(GroupCommit::found).toList()
                : alone.getAll(all);
    }

    private static Flow<Found> found(CompletableFuture<BatchResult<Optional<RawBsonDocument>>> pending) {
        return Flow.of(pending).map(result -> new Found(result.outcome(), result.sharing()));
    }

    private static boolean mayShare(Authorized<Get> read, DocumentQuery query) {
        return read.plain() && query.settings().session().isEmpty() && fits(query);
    }

    /// Whether a read can be coalesced: its id is distinguishable and the results contain their ids. The collection
    /// must be plain, too.
    static boolean fits(DocumentQuery query) {
        if (query.projection().isStaged()
                || query.filter().isStaged()
                || CanonicalId.of(query.id()).isEmpty()) {
            return false;
        }
        var keepsId = query.projection().single().get("_id");
        return keepsId == null || (keepsId.isNumber() && keepsId.asNumber().intValue() == 1);
    }

    /// Adds the query to the queue of its shape; never blocks.
    CompletableFuture<BatchResult<Optional<RawBsonDocument>>> submit(DocumentQuery query) {
        return reads.submit(query.shapeKey(), () -> new ReadCommand(client, query), query.id(), 0);
    }

    /// The same for queries that differ only in their ids, in one command.
    private List<PendingRequest<BsonValue, Optional<RawBsonDocument>>> submitAll(List<DocumentQuery> queries) {
        var query = queries.getFirst();
        return reads.submitAll(
                query.shapeKey(),
                () -> new ReadCommand(client, query),
                queries.stream().map(DocumentQuery::id).toList());
    }

    /// @param shape one of the reads, whose id is ignored
    /// @param isInline whether a thread that must not wait for long runs it
    private record ReadCommand(MongoCollection<RawBsonDocument> collection, DocumentQuery shape, boolean isInline)
            implements BatchCommand<BsonValue, Optional<RawBsonDocument>> {
        ReadCommand(MongoClient client, DocumentQuery shape) {
            this(
                    shape.settings()
                            .apply(client.getDatabase(shape.namespace().getDatabaseName())
                                    .getCollection(shape.namespace().getCollectionName(), RawBsonDocument.class)),
                    shape,
                    false);
        }

        /// The driver's limit of an operation includes selecting a server, getting a connection, and reading from it;
        /// the limit of the command, which is longer, has no effect then.
        @Override
        public Optional<BatchCommand<BsonValue, Optional<RawBsonDocument>>> inline() {
            var within = collection.withTimeout(INLINE_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
            return Optional.of(new ReadCommand(within, shape, true));
        }

        @Override
        public void run(List<PendingRequest<BsonValue, Optional<RawBsonDocument>>> requests) {
            var waiting = new HashMap<Object, List<PendingRequest<BsonValue, Optional<RawBsonDocument>>>>();
            for (var pending : requests) {
                var id = CanonicalId.of(pending.request()).orElseThrow();
                waiting.computeIfAbsent(id, _ -> new ArrayList<>(1)).add(pending);
            }
            int sharing = requests.size();
            var find = collection
                    .find(filter(waiting))
                    .projection(shape.projection().single())
                    .maxTime(shape.settings().timeLimit().toMillis(), TimeUnit.MILLISECONDS)
                    .batchSize(waiting.size() + 1); // one more than the largest result, so that one reply contains all
            Supplier<List<RawBsonDocument>> read = () -> find.into(new ArrayList<>(sharing));
            for (var document : isInline ? read.get() : ConnectionRetry.repeated(read)) {
                var answered = RawDocuments.get(document, "_id")
                        .flatMap(CanonicalId::of)
                        .map(waiting::remove);
                answered.ifPresent(them -> complete(them, new BatchResult<>(Optional.of(document), sharing)));
            }
            waiting.values().forEach(them -> complete(them, new BatchResult<>(Optional.empty(), sharing)));
        }

        private BsonDocument filter(Map<Object, List<PendingRequest<BsonValue, Optional<RawBsonDocument>>>> waiting) {
            BsonValue ids;
            if (waiting.size() == 1) {
                ids = waiting.values().iterator().next().getFirst().request();
            } else {
                var in = new BsonArray(waiting.size());
                waiting.values().forEach(them -> in.add(them.getFirst().request()));
                ids = new BsonDocument("$in", in);
            }
            var filter = new BsonDocument("_id", ids);
            var others = shape.filter().single();
            return others.isEmpty() ? filter : filter.append("$and", new BsonArray(List.of(others)));
        }

        private static void complete(
                List<PendingRequest<BsonValue, Optional<RawBsonDocument>>> requests,
                BatchResult<Optional<RawBsonDocument>> found) {
            requests.forEach(pending -> pending.complete(found));
        }
    }
}
