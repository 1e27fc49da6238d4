package org.restheart.mongo.find;

import com.mongodb.ExplainVerbosity;
import com.mongodb.MongoException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.AggregateIterable;
import com.mongodb.client.ClientSession;
import com.mongodb.client.FindIterable;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.MongoCursor;
import com.mongodb.client.model.CountOptions;
import com.mongodb.client.model.EstimatedDocumentCountOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.find.FindQuery.SortKeys;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs each query on MongoDB separately, again if its connection is lost before the first results are there
/// ([ConnectionRetry]). Thread-safe.
public final class DriverFinder implements Finder {
    private static final Logger LOG = LoggerFactory.getLogger(DriverFinder.class);
    private static final long FEW_CANDIDATES = 100;
    private static final long MOST_CANDIDATES = 4_000;
    private static final int MORE_CANDIDATES = 32;
    private static final int CANDIDATES_PER_DOCUMENT = 8;

    /// Stages that compute the names of top-level fields of documents.
    private static final List<BsonDocument> FIELD_NAMES = List.of(
            BsonDocument.parse(
                    "{$project: {_id: 0, name: {$map: {input: {$objectToArray: '$$ROOT'}, in: '$$this.k'}}}}"),
            BsonDocument.parse("{$unwind: {path: '$name', includeArrayIndex: 'place'}}"),
            BsonDocument.parse("{$group: {_id: '$name', place: {$avg: '$place'}}}"),
            BsonDocument.parse("{$set: {place: {$cond: [{$eq: ['$_id', '_id']}, -1, '$place']}}}"),
            BsonDocument.parse("{$sort: {place: 1, _id: 1}}"));

    private static final List<BsonDocument> STATISTICS = List.of(
            BsonDocument.parse("{$collStats: {storageStats: {}}}"),
            BsonDocument.parse("{$project: {size: '$storageStats.size', count: '$storageStats.count'}}"));

    private static final Duration STATISTICS_LIMIT = Duration.ofSeconds(2);
    private static final BsonInt32 NONE = new BsonInt32(0);

    private final MongoClient client;

    public DriverFinder(MongoClient client) {
        this.client = client;
    }

    /// @throws com.mongodb.MongoException if MongoDB refuses the query or cannot be reached
    public Optional<RawBsonDocument> one(DocumentQuery query) {
        var question = new FindQuery(
                query.namespace(),
                query.idAndFilter(),
                query.projection(),
                new BsonDocument(),
                Optional.empty(),
                0,
                1,
                query.settings());
        return Optional.ofNullable(read(
                query.settings(),
                () -> question.isStaged()
                        ? staged(question).first()
                        : plain(question).first()));
    }

    @Override
    public MongoCursor<RawBsonDocument> find(FindQuery query, int batchSize) {
        return read(
                query.settings(),
                () -> query.isStaged() || query.skip() > Integer.MAX_VALUE
                        ? amongFirst(query, batchSize)
                                .orElseGet(
                                        () -> staged(query).batchSize(batchSize).cursor())
                        : plain(query).batchSize(batchSize).cursor());
    }

    /// A statement of a transaction is not repeated: the driver tells the client to begin another
    /// transaction. A thread that must not wait leaves it to another thread.
    private static <T> T read(ReadSettings settings, Supplier<T> query) {
        boolean inTransaction =
                settings.session().filter(ClientSession::hasActiveTransaction).isPresent();
        return inTransaction || InlineRead.isBound() ? query.get() : ConnectionRetry.repeatedSoon(query);
    }

    /// The result of a query whose filter has two steps, if it is complete after the second step has been
    /// evaluated on the first candidates only, in the order of the sort. MongoDB 6.0 reads 4 MiB of documents
    /// for the first step before it evaluates the second (`internalDocumentSourceCursorBatchSizeBytes`),
    /// however few are wanted. Empty if there are too few, or if the order is not total: it could then differ
    /// between pages.
    private Optional<MongoCursor<RawBsonDocument>> amongFirst(FindQuery query, int batchSize) {
        if (!query.filter().isStaged()
                || query.limit() == 0
                || batchSize < query.limit()
                || !SortKeys.areTotal(query.sort())) {
            return Optional.empty();
        }
        long candidates = Math.max(FEW_CANDIDATES, CANDIDATES_PER_DOCUMENT * (query.skip() + query.limit()));
        for (; candidates <= MOST_CANDIDATES; candidates *= MORE_CANDIDATES) {
            var cursor = run(query, stages(query, candidates, List.of()))
                    .batchSize(batchSize)
                    .cursor();
            if (cursor.available() >= query.limit()) {
                return Optional.of(cursor);
            }
            cursor.close();
        }
        return Optional.empty();
    }

    /// As [#find(FindQuery, int)], but only from a place in an index on; the query's skip counts from there.
    /// Its hint is not used, and neither its filter nor its projection may be staged.
    ///
    /// @throws com.mongodb.MongoException also if there is no such index any more
    public MongoCursor<RawBsonDocument> find(FindQuery query, IndexRange range, int batchSize) {
        return ranged(plain(query), range, batchSize);
    }

    /// As [#find(FindQuery, int)], but only what comes after a key in the order of the sort, which needs no
    /// index: MongoDB sorts all that match. Empty if the sort is not a total order. Not for collections with
    /// a collation.
    ///
    /// @param key a value for each field of the sort
    public Optional<MongoCursor<RawBsonDocument>> findAfter(FindQuery query, BsonDocument key, int batchSize) {
        return SortKeys.areTotal(query.sort())
                ? Optional.of(run(query, stages(query, Long.MAX_VALUE, SortKeys.after(query.sort(), key)))
                        .batchSize(batchSize)
                        .cursor())
                : Optional.empty();
    }

    /// [#find(FindQuery, IndexRange, int)] in a session, which then contains the time of the result.
    ///
    /// @throws com.mongodb.MongoException also if there is no such index any more
    public MongoCursor<RawBsonDocument> find(ClientSession session, FindQuery query, IndexRange range, int batchSize) {
        var collection = collection(query.namespace(), query.settings());
        return ranged(with(collection.find(session, query.filter().single()), query), range, batchSize);
    }

    private static MongoCursor<RawBsonDocument> ranged(
            FindIterable<RawBsonDocument> find, IndexRange range, int batchSize) {
        find.hint(range.index()).batchSize(batchSize);
        return (range.reverse() ? find.max(range.key()) : find.min(range.key())).cursor();
    }

    private FindIterable<RawBsonDocument> plain(FindQuery query) {
        var collection = collection(query.namespace(), query.settings());
        var find = query.settings()
                .session()
                .map(session -> collection.find(session, query.filter().single()))
                .orElseGet(() -> collection.find(query.filter().single()));
        return with(find, query);
    }

    private static FindIterable<RawBsonDocument> with(FindIterable<RawBsonDocument> find, FindQuery query) {
        find.projection(query.projection().single())
                .sort(query.sort())
                .skip(Math.toIntExact(query.skip()))
                .limit(query.limit())
                .maxTime(query.settings().timeLimit().toMillis(), TimeUnit.MILLISECONDS)
                .collation(query.settings().collation().orElse(null));
        hint(query, find::hintString, find::hint);
        return find;
    }

    private static void hint(FindQuery query, Consumer<String> byName, Consumer<BsonDocument> byKeys) {
        query.hint().ifPresent(hint -> {
            if (hint.isString()) {
                byName.accept(hint.asString().getValue());
            } else {
                byKeys.accept(hint.asDocument());
            }
        });
    }

    /// Finds the names of all top-level fields of the documents, `_id` first, the others in their most frequent
    /// order.
    ///
    /// @param limit most names
    /// @throws com.mongodb.MongoException as [#one]
    public void fields(FindQuery query, int limit, Consumer<String> found) {
        var stages = new ArrayList<>(stages(query));
        stages.addAll(FIELD_NAMES);
        stages.add(stage("$limit", new BsonInt32(limit)));
        run(query, stages).forEach(field -> found.accept(field.getString("_id").getValue()));
    }

    /// The same query as a pipeline, which can filter in two steps, apply one projection to the result of
    /// another and skip without bounds.
    private AggregateIterable<RawBsonDocument> staged(FindQuery query) {
        return run(query, stages(query));
    }

    private AggregateIterable<RawBsonDocument> run(FindQuery query, List<BsonDocument> stages) {
        var aggregate = aggregate(query.namespace(), stages, query.settings());
        hint(query, aggregate::hintString, aggregate::hint);
        return aggregate;
    }

    /// The query as a pipeline.
    public static List<BsonDocument> stages(FindQuery query) {
        return stages(query, Long.MAX_VALUE, List.of());
    }

    /// @param candidates most documents on which the second step of the filter is evaluated
    /// @param behindSort further stages
    private static List<BsonDocument> stages(FindQuery query, long candidates, List<BsonDocument> behindSort) {
        var stages = Near.stages(query.filter().first());
        if (!query.sort().isEmpty()) {
            stages.add(stage("$sort", query.sort()));
        }
        addRest(stages, query.filter(), candidates);
        stages.addAll(behindSort);
        if (query.skip() > 0) {
            stages.add(stage("$skip", new BsonInt64(query.skip())));
        }
        if (query.limit() > 0) {
            stages.add(stage("$limit", new BsonInt32(query.limit())));
        }
        if (!query.projection().permitted().isEmpty()) {
            stages.add(stage("$project", query.projection().permitted()));
        }
        if (!query.projection().wanted().isEmpty()) {
            stages.add(stage(
                    TextSearch.withoutScores(query.projection().wanted()).isEmpty() ? "$addFields" : "$project",
                    query.projection().wanted()));
        }
        return stages;
    }

    private static void addRest(List<BsonDocument> stages, StagedFilter filter, long candidates) {
        if (filter.isStaged()) {
            stages.add(StagedFilter.barrier(candidates));
            stages.add(stage("$match", filter.rest()));
        }
    }

    private static BsonDocument stage(String name, BsonValue value) {
        return new BsonDocument(name, value);
    }

    /// MongoDB's plan of the query.
    ///
    /// @param executes whether the query is run, so that the plan contains execution statistics
    /// @throws com.mongodb.MongoException as [#one]
    public BsonDocument explain(FindQuery query, boolean executes) {
        var verbosity = verbosity(executes);
        return query.isStaged() || query.skip() > Integer.MAX_VALUE
                ? staged(query).explain(BsonDocument.class, verbosity)
                : plain(query).explain(BsonDocument.class, verbosity);
    }

    /// The same for a pipeline that was written for this collection.
    public BsonDocument explain(
            MongoNamespace namespace, List<BsonDocument> stages, ReadSettings settings, boolean executes) {
        return aggregate(namespace, stages, settings).explain(BsonDocument.class, verbosity(executes));
    }

    private static ExplainVerbosity verbosity(boolean executes) {
        return executes ? ExplainVerbosity.EXECUTION_STATS : ExplainVerbosity.QUERY_PLANNER;
    }

    /// The results of a pipeline that changes nothing.
    ///
    /// @param allowDiskUse null for MongoDB's default
    /// @throws com.mongodb.MongoException as [#one]
    public MongoCursor<RawBsonDocument> results(
            MongoNamespace namespace,
            List<BsonDocument> stages,
            ReadSettings settings,
            @Nullable Boolean allowDiskUse,
            int batchSize) {
        return read(
                settings,
                () -> aggregate(namespace, stages, settings)
                        .allowDiskUse(allowDiskUse)
                        .batchSize(batchSize)
                        .cursor());
    }

    /// The average size of a collection's documents, by MongoDB's statistics; 0 if it is empty, less if
    /// these tell nothing: of a view, or without the privilege for them.
    public int averageSize(MongoNamespace collection) {
        long bytes = 0;
        long count = 0;
        try {
            var settings = new ReadSettings(Optional.empty(), Optional.empty(), STATISTICS_LIMIT);
            for (var shard : aggregate(collection, STATISTICS, settings)) {
                bytes += shard.getNumber("size", NONE).longValue();
                count += shard.getNumber("count", NONE).longValue();
            }
        } catch (MongoInterruptedException e) {
            throw e;
        } catch (MongoException e) { // what is read next tells if MongoDB is away
            LOG.debug("there are no statistics of {}", collection, e);
            return -1;
        }
        return count == 0 ? 0 : Math.clamp(bytes / count, 1, Integer.MAX_VALUE);
    }

    /// A pipeline that is run as it is, once.
    public AggregateIterable<RawBsonDocument> aggregate(
            MongoNamespace namespace, List<BsonDocument> stages, ReadSettings settings) {
        var collection = collection(namespace, settings);
        return settings.session()
                .map(session -> collection.aggregate(session, stages))
                .orElseGet(() -> collection.aggregate(stages))
                .maxTime(settings.timeLimit().toMillis(), TimeUnit.MILLISECONDS)
                .collation(settings.collation().orElse(null));
    }

    /// @throws com.mongodb.MongoException as [#one]
    public long count(CountQuery query) {
        return read(query.settings(), () -> countOnce(query));
    }

    private long countOnce(CountQuery query) {
        var collection = collection(query.namespace(), query.settings());
        long limit = query.settings().timeLimit().toMillis();
        var session = query.settings().session();
        if (query.estimated() && session.isEmpty()) { // there are no estimates within a transaction
            return collection.estimatedDocumentCount(
                    new EstimatedDocumentCountOptions().maxTime(limit, TimeUnit.MILLISECONDS));
        }
        if (!query.filter().isStaged()) {
            var filter = Near.unordered(query.filter().single());
            var options = new CountOptions()
                    .maxTime(limit, TimeUnit.MILLISECONDS)
                    .limit(query.limit())
                    .collation(query.settings().collation().orElse(null));
            return session.map(s -> collection.countDocuments(s, filter, options))
                    .orElseGet(() -> collection.countDocuments(filter, options));
        }
        var stages = new ArrayList<BsonDocument>();
        stages.add(stage("$match", Near.unordered(query.filter().first())));
        addRest(stages, query.filter(), Long.MAX_VALUE);
        if (query.limit() > 0) {
            stages.add(stage("$limit", new BsonInt32(query.limit())));
        }
        stages.add(stage("$count", new BsonString("n")));
        var counted = aggregate(query.namespace(), stages, query.settings()).first();
        return counted == null ? 0 : counted.getNumber("n").longValue();
    }

    private MongoCollection<RawBsonDocument> collection(MongoNamespace namespace, ReadSettings settings) {
        return InlineRead.limited(settings.apply(client.getDatabase(namespace.getDatabaseName())
                .getCollection(namespace.getCollectionName(), RawBsonDocument.class)));
    }

    /// Where in an index a query begins (MongoDB manual, "cursor.min()" and "cursor.max()"). Unlike a
    /// comparison in a filter, such a bound holds across all types of values.
    ///
    /// @param index the key pattern
    /// @param reverse whether the sort runs against the index: the query then begins below the key instead of
    ///     at it
    /// @param key one value for each field of the index
    public record IndexRange(BsonDocument index, boolean reverse, BsonDocument key) {}
}
