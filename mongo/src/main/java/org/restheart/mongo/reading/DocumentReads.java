package org.restheart.mongo.reading;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoNamespace;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoCursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.RawBsonDocument;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairMemory;
import org.restheart.mongo.coalescing.CoalescedReads;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.find.Documents;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.guard.ForbiddenOperators;
import org.restheart.mongo.guard.PipelineInspection;
import org.restheart.mongo.metadata.Metadata;

/// Reads documents for services other than the data API. Reads by `_id` are coalesced with those of the data
/// API, equal concurrent queries run once, and queries of one call are combined to one command where that gives
/// the same results. Thread-safe; may block for metadata of a collection, not for documents.
///
/// Every result fails with a [ProblemException], on a thread that must not be blocked.
public final class DocumentReads {
    /// Of one command's documents.
    private static final long MAX_BYTES = 64L << 20;

    /// Of the documents of all commands in progress.
    private static final long MAX_COLLECTING =
            Math.max(2 * MAX_BYTES, Runtime.getRuntime().maxMemory() / 8);

    private static final int BATCH = 1_000;
    private static final int SOME_BATCH = 50;

    /// `MaxTimeMSExpired`: a retry would take as long.
    private static final int TIME_LIMIT = 50;

    private final Documents documents;
    private final CoalescedReads coalesced;
    private final Metadata metadata;
    private final ForbiddenOperators operators;
    private final PipelineInspection inspection;
    private final FairMemory memory;

    public DocumentReads(
            Documents documents,
            Coalescer coalescer,
            Metadata metadata,
            ForbiddenOperators operators,
            PipelineInspection inspection) {
        this(documents, coalescer.reads(documents), metadata, operators, inspection, new FairMemory(MAX_COLLECTING));
    }

    /// @param memory of the documents of all commands in progress
    DocumentReads(
            Documents documents,
            CoalescedReads coalesced,
            Metadata metadata,
            ForbiddenOperators operators,
            PipelineInspection inspection,
            FairMemory memory) {
        this.documents = documents;
        this.coalesced = coalesced;
        this.memory = memory;
        this.metadata = metadata;
        this.operators = operators;
        this.inspection = inspection;
    }

    /// A collection whose metadata are known, so that its documents are read without waiting for them.
    ///
    /// @param plain whether reads by `_id` can be coalesced
    public record KnownCollection(MongoNamespace namespace, boolean plain) {}

    /// The collection, if its metadata are known. Never blocks.
    ///
    /// @throws ProblemException 403 if nobody may read it
    public Optional<KnownCollection> known(MongoNamespace namespace) {
        return metadata.known(namespace.getDatabaseName(), namespace.getCollectionName())
                .map(known -> {
                    inspection.requireOpen(known.sources());
                    return new KnownCollection(namespace, known.plain());
                });
    }

    /// The documents in order.
    public CompletionStage<List<RawBsonDocument>> find(ReadQuery query) {
        return withoutDetails(findOne(query, Optional.empty()));
    }

    /// The same, without ever blocking.
    ///
    /// @param collection of the query, as [#known] returned it just now
    public CompletionStage<List<RawBsonDocument>> find(ReadQuery query, KnownCollection collection) {
        if (!collection.namespace().equals(query.namespace())) {
            throw new IllegalArgumentException(query.namespace() + " is not " + collection.namespace());
        }
        return withoutDetails(findOne(query, Optional.of(collection)));
    }

    private void check(ReadQuery query) {
        inspection.requireOpen(query.namespace());
        operators.checkFilter(query.filter());
    }

    private void check(ReadPipeline query) {
        inspection.requireOpen(query.namespace());
        inspection.check(query.stages(), query.namespace().getDatabaseName());
    }

    private CompletionStage<List<RawBsonDocument>> findOne(ReadQuery query, Optional<KnownCollection> collection) {
        try {
            if (collection.isEmpty()) {
                inspection.requireOpen(query.namespace());
            }
            operators.checkFilter(query.filter());
            if (query.rights().projection().isPresent()) { // the filter must not depend on hidden fields
                var pipeline = query.asPipeline();
                var stages = pipeline.permitted();
                return shared(query.key(), () -> run(pipeline, stages, query.limit()));
            }
            var id = query.id();
            return id.isPresent() && collection.map(KnownCollection::plain).orElseGet(() -> isPlain(query))
                    ? coalesced.one(query.lookup(id.get())).thenApply(DocumentReads::list)
                    : shared(query.key(), () -> run(query));
        } catch (RuntimeException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    /// Some documents from one end of `_id`, for statistics: within their limits those that came are enough.
    ///
    /// @param direction 1 for the smallest ids, -1 for the largest
    /// @throws com.mongodb.MongoException if MongoDB refuses or cannot be asked
    public Some some(
            MongoNamespace namespace, ReadRights rights, int direction, int limit, Duration timeLimit, long maxBytes) {
        var sort = new BsonDocument("_id", new BsonInt32(direction));
        var query = new ReadQuery(namespace, new BsonDocument(), sort, 0, limit, timeLimit, rights);
        var settings = new ReadSettings(
                Optional.of(ReadConcern.LOCAL), Optional.of(ReadPreference.secondaryPreferred()), timeLimit);
        var found = new ArrayList<RawBsonDocument>();
        long bytes = 0;
        try (var cursor = documents.find(query.asFind(settings), Math.min(limit, SOME_BATCH))) {
            while (found.size() < limit && cursor.hasNext()) {
                var document = cursor.next();
                bytes += document.getByteLength();
                if (bytes > maxBytes && !found.isEmpty()) {
                    return new Some(found, false);
                }
                found.add(document);
            }
            return new Some(found, true);
        } catch (MongoExecutionTimeoutException _) {
            return new Some(found, false);
        }
    }

    /// @param complete whether no limit but their number was met
    public record Some(List<RawBsonDocument> documents, boolean complete) {}

    /// The results in order. Writing and forbidden stages are refused.
    public CompletionStage<List<RawBsonDocument>> aggregate(ReadPipeline query) {
        return withoutDetails(aggregateOne(query));
    }

    private CompletionStage<List<RawBsonDocument>> aggregateOne(ReadPipeline query) {
        try {
            check(query);
            var stages = query.permitted();
            return shared(query.key(), () -> run(query, stages, query.limit()));
        } catch (RuntimeException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    /// Converts MongoDB's failures to problems, without messages that could quote documents.
    private static CompletionStage<List<RawBsonDocument>> withoutDetails(
            CompletionStage<List<RawBsonDocument>> answer) {
        return answer.exceptionallyCompose(failure -> {
            var cause = cause(failure);
            return CompletableFuture.failedStage(MongoErrors.toProblem(cause)
                    .map(problem -> problem.unquoted().isPresent() ? problem.unquoting() : problem)
                    .<Throwable>map(Problem::raise)
                    .orElse(cause));
        });
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException wrapper && wrapper.getCause() != null
                ? wrapper.getCause()
                : failure;
    }

    private CompletionStage<List<RawBsonDocument>> shared(QueryKey key, Supplier<List<RawBsonDocument>> run) {
        return coalesced.share(key, () -> List.of(run.get())).thenApply(List::getFirst);
    }

    private boolean isPlain(ReadQuery query) {
        var namespace = query.namespace();
        return metadata.collection(namespace.getDatabaseName(), namespace.getCollectionName())
                .plain();
    }

    private static List<RawBsonDocument> list(Optional<RawBsonDocument> found) {
        return found.map(List::of).orElse(List.of());
    }

    private List<RawBsonDocument> run(ReadQuery query) {
        try (var cursor = documents.find(query.asFind(), Math.min(query.limit(), BATCH) + 1)) {
            return collected(cursor, query.limit());
        }
    }

    /// @param limit 0 for none
    private List<RawBsonDocument> run(ReadPipeline query, List<BsonDocument> stages, int limit) {
        var namespace = query.namespace();
        var settings = new ReadSettings(Optional.empty(), Optional.empty(), query.timeLimit());
        try (var cursor = documents
                .aggregate(namespace, stages, settings)
                .allowDiskUse(query.allowDiskUse())
                .batchSize(BATCH)
                .cursor()) {
            return collected(cursor, limit);
        }
    }

    /// In the memory of all who wait for the result: it is not the first one's alone, whose share would be used up
    /// by others, or whose used up share would fail them.
    private List<RawBsonDocument> collected(MongoCursor<RawBsonDocument> cursor, int limit) {
        var documents = new ArrayList<RawBsonDocument>();
        try (var held = memory.open(CallerScope.sharers())) {
            while ((limit == 0 || documents.size() < limit) && cursor.hasNext()) {
                var document = cursor.next();
                if (held.bytes() + document.getByteLength() > MAX_BYTES) {
                    throw Problem.of(
                                    ProblemCode.UNPROCESSABLE,
                                    "the result is larger than " + (MAX_BYTES >> 20) + " MiB")
                            .raise();
                }
                if (!held.add(document.getByteLength())) {
                    throw Problem.of(ProblemCode.OVERLOADED, "other results use the available memory at the moment")
                            .with("Retry-After", "1")
                            .raise();
                }
                documents.add(document);
            }
            return documents;
        }
    }

    /// The results of queries that differ only in filters, sorts and slices, in their order, equal to those of
    /// separate queries.
    public List<CompletionStage<List<RawBsonDocument>>> findAll(List<ReadQuery> queries) {
        if (!together(queries, DocumentReads::isAllowedIn)) {
            return queries.stream().map(this::find).toList();
        }
        try {
            queries.forEach(this::check);
            boolean plain = isPlain(queries.getFirst());
            if (plain && queries.stream().allMatch(query -> query.id().isPresent())) {
                return lookups(queries);
            }
            var distinct = distinct(queries, ReadQuery::key);
            return answers(queries, ReadQuery::key, DocumentReads::keyOfFinds, distinct, this::find, all -> {
                var equalities = plain ? Equalities.of(all) : Optional.<Equalities>empty();
                return equalities
                        .flatMap(in -> in.distribute(run(in.combined())))
                        .orElseGet(() ->
                                union(all.stream().map(ReadQuery::asPipeline).toList()));
            });
        } catch (ProblemException _) {
            return queries.stream().map(this::find).toList(); // each fails with its own problem
        }
    }

    /// The same for pipelines.
    public List<CompletionStage<List<RawBsonDocument>>> aggregateAll(List<ReadPipeline> queries) {
        if (!together(queries, Union::takes)) {
            return queries.stream().map(this::aggregate).toList();
        }
        try {
            queries.forEach(this::check);
            var distinct = distinct(queries, ReadPipeline::key);
            return answers(
                    queries, ReadPipeline::key, DocumentReads::keyOfPipelines, distinct, this::aggregate, this::union);
        } catch (ProblemException _) {
            return queries.stream().map(this::aggregate).toList();
        }
    }

    private static boolean isAllowedIn(ReadQuery query) {
        return Union.takes(query.asPipeline());
    }

    private static <Q> boolean together(List<Q> queries, Predicate<Q> takes) {
        return queries.size() > 1 && queries.stream().allMatch(takes);
    }

    private List<CompletionStage<List<RawBsonDocument>>> lookups(List<ReadQuery> queries) {
        return coalesced
                .all(queries.stream()
                        .map(query -> query.lookup(query.id().orElseThrow()))
                        .toList())
                .stream()
                .map(found -> withoutDetails(found.thenApply(DocumentReads::list)))
                .toList();
    }

    private static <Q> Map<QueryKey, Q> distinct(List<Q> queries, Function<Q, QueryKey> key) {
        var distinct = new LinkedHashMap<QueryKey, Q>();
        queries.forEach(query -> distinct.putIfAbsent(key.apply(query), query));
        return distinct;
    }

    /// @param alone runs one query, after running all of them at once has failed in a way that one query may
    ///     have caused
    /// @param together runs them all
    private <Q> List<CompletionStage<List<RawBsonDocument>>> answers(
            List<Q> queries,
            Function<Q, QueryKey> key,
            Function<List<Q>, QueryKey> allKey,
            Map<QueryKey, Q> distinct,
            Function<Q, CompletionStage<List<RawBsonDocument>>> alone,
            Function<List<Q>, List<List<RawBsonDocument>>> together) {
        var answers = new LinkedHashMap<QueryKey, CompletionStage<List<RawBsonDocument>>>();
        if (distinct.size() == 1) {
            distinct.forEach((id, query) -> answers.put(id, alone.apply(query)));
        } else {
            var all = coalesced.share(
                    allKey.apply(List.copyOf(distinct.values())), () -> together.apply(List.copyOf(distinct.values())));
            int place = 0;
            var caller = CallerScope.current(); // of these queries, not those of all that share a command
            for (var entry : distinct.entrySet()) {
                int at = place++;
                answers.put(
                        entry.getKey(),
                        all.thenApply(results -> results.get(at)).exceptionallyCompose(failure -> {
                            return mayBeOnesOwn(cause(failure))
                                    ? CallerScope.call(caller, () -> alone.apply(entry.getValue()))
                                    : withoutDetails(CompletableFuture.failedStage(failure));
                        }));
            }
        }
        return queries.stream()
                .map(query -> Objects.requireNonNull(answers.get(key.apply(query))))
                .toList();
    }

    private static QueryKey keyOfFinds(List<ReadQuery> queries) {
        var parts = QueryKey.of(queries.getFirst().namespace()).add("all");
        queries.forEach(query -> query.addTo(parts));
        return parts.key();
    }

    private static QueryKey keyOfPipelines(List<ReadPipeline> queries) {
        var parts = QueryKey.of(queries.getFirst().namespace()).add("all");
        queries.forEach(query -> query.addTo(parts));
        return parts.key();
    }

    private static boolean mayBeOnesOwn(Throwable failure) {
        return (failure instanceof ProblemException known
                        && isOnesOwn(known.problem().code()))
                || (failure instanceof MongoCommandException e && e.getErrorCode() != TIME_LIMIT);
    }

    /// What is too large together would take as much memory one after the other.
    private static boolean isOnesOwn(ProblemCode code) {
        return code != ProblemCode.UNPROCESSABLE && code != ProblemCode.OVERLOADED;
    }

    private List<List<RawBsonDocument>> union(List<ReadPipeline> queries) {
        return Union.distribute(run(queries.getFirst(), Union.stages(queries), 0), queries.size());
    }
}
