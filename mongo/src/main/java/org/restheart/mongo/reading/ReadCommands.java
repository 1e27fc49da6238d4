package org.restheart.mongo.reading;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoNamespace;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoCursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntFunction;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.fields.AnyName;
import org.restheart.data.Access;
import org.restheart.http.Lease;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Words;
import org.restheart.mongo.find.DocumentSizes;
import org.restheart.mongo.find.DocumentSizes.Size;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.Finder.Use;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.reading.DocumentRead.Aggregate;
import org.restheart.mongo.reading.DocumentRead.Find;
import org.restheart.mongo.reading.DocumentReads.DocumentSample;

/// Runs queries and collects their documents in memory, of which every caller has a share. Blocks for MongoDB.
/// Thread-safe.
record ReadCommands(DriverFinder documents, DocumentSizes sizes) {
    /// The most bytes of the documents of one command.
    static final long MAX_BYTES = 64L << 20;

    private static final int BATCH = 1_000;
    private static final int SOME_BATCH = 50;

    /// MongoDB finds less than 5 % of a collection with a random cursor, and reads everything for more.
    private static final int SPARSE = 21;

    private static final int MANY = 4_000;

    /// @throws org.restheart.http.ProblemException 422 for a result that is too large, 503 without memory for
    ///     it
    List<RawBsonDocument> run(Find query, Use use) {
        var finder = use.change().apply(documents);
        return collected(
                use.lease(),
                sizes.of(query.namespace()),
                Math.min(query.limit(), BATCH) + 1,
                batch -> finder.find(query.asFind(query.settings()), batch),
                query.limit());
    }

    /// Runs a pipeline.
    ///
    /// @param stages those of the query, or others in place of them
    /// @param limit the most documents; 0 for all
    List<RawBsonDocument> run(Aggregate query, List<BsonDocument> stages, int limit, Lease lease) {
        var namespace = query.namespace();
        return collected(
                lease,
                sizes.of(namespace, "results"),
                BATCH,
                batch -> documents.results(namespace, stages, query.settings(), query.allowDiskUse(), batch),
                limit);
    }

    /// @param lease of all callers who wait for the result; it holds the documents afterwards
    /// @param find returns the cursor by the number of documents in a batch
    private static List<RawBsonDocument> collected(
            Lease lease, Size size, int most, IntFunction<MongoCursor<RawBsonDocument>> find, int limit) {
        return size.reading(() -> {
            int batch = size.batch(most);
            return collect(lease, size, batch, size.reading(batch), find, limit);
        });
    }

    private static List<RawBsonDocument> collect(
            Lease lease,
            Size size,
            int batch,
            long expected,
            IntFunction<MongoCursor<RawBsonDocument>> find,
            int limit) {
        var found = new ArrayList<RawBsonDocument>();
        long held = expected;
        long bytes = 0;
        boolean isComplete = false;
        lease.await(held);
        try (var cursor = find.apply(batch)) {
            while ((limit == 0 || found.size() < limit) && cursor.hasNext()) {
                var document = cursor.next();
                bytes += document.getByteLength();
                if (bytes > MAX_BYTES) {
                    throw new ProblemException(
                            ProblemCode.UNPROCESSABLE, "the result is larger than " + (MAX_BYTES >> 20) + " MiB");
                }
                if (bytes + expected / 2 > held) { // beside the batch that is read
                    lease.hold(Math.max(bytes, expected));
                    held += Math.max(bytes, expected);
                }
                found.add(document);
            }
            isComplete = true;
        } finally {
            lease.correct(held, isComplete ? bytes : 0);
        }
        size.saw(bytes, found.size());
        return found;
    }

    /// The results of pipelines that [Union] can combine, in their order.
    List<List<RawBsonDocument>> union(List<Aggregate> queries, Lease lease) {
        var first = queries.getFirst();
        var stages = Union.stages(
                first.namespace(), queries.stream().map(Aggregate::permitted).toList());
        return Union.distribute(run(first, stages, 0, lease), queries.size());
    }

    /// The documents of a query: in one batch while nothing is known of their size, as a reply has 16 MiB at most.
    ///
    /// @param most documents that it has
    /// @param find returns the cursor by the number of documents in a batch
    List<RawBsonDocument> all(
            MongoNamespace namespace,
            String what,
            int most,
            IntFunction<MongoCursor<RawBsonDocument>> find,
            Lease lease) {
        var size = sizes.of(namespace, what);
        return size.reading(() -> {
            boolean isKnown = size.isKnown();
            int wanted = Math.min(most, BATCH) + 1;
            int batch = isKnown ? size.batch(wanted) : wanted;
            return collect(lease, size, batch, size.reading(isKnown ? batch : 1), find, most);
        });
    }

    /// See [DocumentReads#readEnd].
    DocumentSample readEnd(
            MongoNamespace namespace, Access rights, int direction, int limit, Duration timeLimit, long maxBytes) {
        var sort = new BsonDocument("_id", new BsonInt32(direction));
        var query = new Find(namespace, new BsonDocument(), sort, 0, limit, timeLimit, rights);
        try (var cursor = documents.find(query.asFind(sampling(timeLimit)), Math.min(limit, SOME_BATCH))) {
            return read(cursor, limit, maxBytes);
        } catch (MongoExecutionTimeoutException _) {
            return new DocumentSample(List.of(), false);
        }
    }

    /// See [DocumentReads#readRandom].
    Optional<DocumentSample> readRandom(
            MongoNamespace namespace, Access rights, int limit, Duration timeLimit, long maxBytes) {
        if (rights.readFilter().isPresent()) { // a sample of what matches is a scan
            return Optional.empty();
        }
        var stages =
                new ArrayList<>(List.of(new BsonDocument("$sample", new BsonDocument("size", new BsonInt32(limit)))));
        stages.addAll(Aggregate.stages(rights));
        try {
            if (count(namespace, timeLimit) < Math.max(MANY, (long) limit * SPARSE)) {
                return Optional.empty();
            }
            try (var cursor = documents.results(namespace, stages, sampling(timeLimit), null, SOME_BATCH)) {
                return Optional.of(read(cursor, limit, maxBytes));
            }
        } catch (MongoExecutionTimeoutException | MongoCommandException _) { // it is a view, for instance
            return Optional.empty();
        }
    }

    /// The estimated number of documents.
    private long count(MongoNamespace namespace, Duration timeLimit) {
        var stage = new BsonDocument("$collStats", new BsonDocument("count", new BsonDocument()));
        var found = documents
                .aggregate(namespace, List.of(stage), sampling(timeLimit))
                .first();
        return found == null ? 0 : found.getNumber("count", new BsonInt32(0)).longValue();
    }

    private static ReadSettings sampling(Duration timeLimit) {
        return new ReadSettings(
                Optional.of(ReadConcern.LOCAL), Optional.of(ReadPreference.secondaryPreferred()), timeLimit);
    }

    private static DocumentSample read(MongoCursor<RawBsonDocument> cursor, int limit, long maxBytes) {
        var found = new ArrayList<RawBsonDocument>();
        long bytes = 0;
        try {
            while (found.size() < limit && cursor.hasNext()) {
                var document = cursor.next();
                bytes += document.getByteLength();
                if (bytes > maxBytes && !found.isEmpty()) {
                    return new DocumentSample(found, false);
                }
                found.add(document);
            }
            return new DocumentSample(found, true);
        } catch (MongoExecutionTimeoutException _) {
            return new DocumentSample(found, false);
        }
    }

    /// Combines several pipelines over one collection: each runs separately, with its own indexes, and marks its
    /// results. The results are returned by one cursor, so that the document size limit does not apply to all of
    /// them together. See "$unionWith" in the MongoDB manual.
    static final class Union {
        private static final String PART = "p";
        private static final String DOCUMENT = "d";

        /// Stages that are allowed only at the beginning of a top-level pipeline.
        private static final Set<String> ALONE = Words.of("""
            $where $near $nearSphere $text $geoNear $search $searchMeta $vectorSearch $documents $collStats
            $indexStats $planCacheStats $currentOp
            """);

        private Union() {}

        /// Whether a pipeline has the same results in a union as alone.
        static boolean takes(Aggregate query) {
            return query.stages().stream().noneMatch(stage -> AnyName.in(stage, ALONE::contains));
        }

        static List<BsonDocument> stages(MongoNamespace namespace, List<List<BsonDocument>> pipelines) {
            var collection = new BsonString(namespace.getCollectionName());
            var stages = new ArrayList<BsonDocument>();
            for (int part = 0; part < pipelines.size(); part++) {
                var marked = new ArrayList<>(pipelines.get(part));
                marked.add(new BsonDocument(
                        "$replaceWith",
                        new BsonDocument(PART, new BsonDocument("$literal", new BsonInt32(part)))
                                .append(DOCUMENT, new BsonString("$$ROOT"))));
                if (part == 0) {
                    stages.addAll(marked);
                } else {
                    stages.add(new BsonDocument(
                            "$unionWith",
                            new BsonDocument("coll", collection).append("pipeline", new BsonArray(marked))));
                }
            }
            return stages;
        }

        /// The results of each part, in order.
        static List<List<RawBsonDocument>> distribute(List<RawBsonDocument> results, int parts) {
            var distributed = new ArrayList<List<RawBsonDocument>>();
            for (int part = 0; part < parts; part++) {
                distributed.add(new ArrayList<>());
            }
            for (var result : results) {
                int part =
                        RawDocuments.get(result, PART).orElseThrow().asInt32().getValue();
                distributed.get(part).add((RawBsonDocument)
                        RawDocuments.get(result, DOCUMENT).orElseThrow());
            }
            return distributed;
        }
    }
}
