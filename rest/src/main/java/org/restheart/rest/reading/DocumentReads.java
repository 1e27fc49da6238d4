package org.restheart.rest.reading;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoCursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.fields.AnyName;
import org.restheart.http.Lease;
import org.restheart.http.MemoryBudget;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.coalescing.CanonicalId;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.error.MongoErrors;
import org.restheart.mongo.find.DocumentSizes;
import org.restheart.mongo.find.DocumentSizes.Size;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.Finder.Use;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.metadata.ResourceMetadata;
import org.restheart.rest.changestream.StreamDefinitions;
import org.restheart.rest.guard.ForbiddenOperators;
import org.restheart.rest.guard.PipelineInspection;
import org.restheart.rest.reading.DocumentRead.Aggregate;
import org.restheart.rest.reading.DocumentRead.Find;
import org.restheart.rest.reading.RelatedReads.Distribution;
import org.restheart.text.Words;

/// Reads documents for services other than the data API. Reads by `_id` are coalesced with those of the data
/// API, equal concurrent queries run once, and queries of one call are combined to one command where that gives
/// the same results. Thread-safe; may block for metadata of a collection, not for documents.
///
/// Every result fails with a [ProblemException], on a thread that must not be blocked.
public final class DocumentReads {
    /// The most bytes of the documents of one command.
    private static final long MAX_BYTES = 64L << 20;

    private static final int BATCH = 1_000;

    private final DriverFinder documents;
    private final DocumentSizes sizes;
    private final MemoryBudget memory;
    private final Coalescer coalesced;
    private final Duration lookupLimit;
    private final Metadata metadata;
    private final ForbiddenOperators operators;
    private final PipelineInspection inspection;

    public DocumentReads(
            DriverFinder documents,
            Coalescer coalescer,
            Duration lookupLimit,
            Metadata metadata,
            ForbiddenOperators operators,
            PipelineInspection inspection,
            MemoryBudget memory) {
        this.documents = documents;
        this.sizes = coalescer.sizes();
        this.memory = memory;
        this.coalesced = coalescer;
        this.lookupLimit = lookupLimit;
        this.metadata = metadata;
        this.operators = operators;
        this.inspection = inspection;
    }

    DriverFinder documents() {
        return documents;
    }

    public RelatedReads related() {
        return new RelatedReads(coalesced, this);
    }

    /// The documents in order. Writing and forbidden stages are refused.
    ///
    /// @param lease owns them until it is closed
    public CompletionStage<List<RawBsonDocument>> read(DocumentRead read, Lease lease) {
        return withoutDetails(start(read, lease));
    }

    /// A few documents, which the process keeps for itself.
    public CompletionStage<List<RawBsonDocument>> read(DocumentRead read) {
        var lease = memory.open(() -> CallerScope.SERVER);
        return read(read, lease).whenComplete((_, _) -> lease.close());
    }

    private void check(DocumentRead read) {
        inspection.requireOpen(read.namespace());
        switch (read) {
            case Find find -> operators.checkFilter(find.filter());
            case Aggregate pipeline ->
                inspection.check(pipeline.stages(), read.namespace().getDatabaseName());
        }
    }

    /// Why a pipeline would be refused, whatever the values of its variables; empty if it may be run. May block for
    /// metadata.
    ///
    /// @throws ProblemException if that cannot be known now
    public Optional<String> refusal(MongoNamespace namespace, List<BsonDocument> stages) {
        return refusal(namespace, () -> inspection.check(stages, namespace.getDatabaseName()));
    }

    /// The same of a query with this filter.
    ///
    /// @throws ProblemException if that cannot be known now
    public Optional<String> refusal(MongoNamespace namespace, BsonDocument filter) {
        return refusal(namespace, () -> operators.checkFilter(filter));
    }

    private Optional<String> refusal(MongoNamespace namespace, Runnable check) {
        try {
            inspection.requireOpen(namespace);
            check.run();
            return Optional.empty();
        } catch (ProblemException e) {
            if (e.problem().status() >= 500) {
                throw e;
            }
            return Optional.of(e.problem().message());
        }
    }

    /// Whether there is the collection or view. May block for metadata.
    ///
    /// @throws ProblemException if that cannot be known now
    public boolean exists(MongoNamespace namespace) {
        return collection(namespace).exists();
    }

    /// The names of the change streams that a collection declares. May block for metadata.
    ///
    /// @throws ProblemException if that cannot be known now
    public List<String> streams(MongoNamespace namespace) {
        return StreamDefinitions.names(collection(namespace));
    }

    private CompletionStage<List<RawBsonDocument>> start(DocumentRead read, Lease lease) {
        try {
            check(read);
            if (read instanceof Find find && read.rights().projectResponse().isEmpty()) {
                return find.id().isPresent() && isPlain(find)
                        ? lookups(List.of(find), lease).getFirst()
                        : coalesced.find(find.asFind(), lease, use -> run(find, use));
            }
            var pipeline = read.asPipeline(); // the filter must not depend on hidden fields
            var stages = pipeline.permitted();
            return coalesced
                    .share(read.key(), lease, command -> List.of(run(pipeline, stages, read.limit(), command)))
                    .thenApply(List::getFirst);
        } catch (RuntimeException e) {
            return CompletableFuture.failedStage(e);
        }
    }

    private boolean isPlain(Find find) {
        return collection(find.namespace()).plain();
    }

    private ResourceMetadata collection(MongoNamespace namespace) {
        return metadata.collection(namespace.getDatabaseName(), namespace.getCollectionName());
    }

    /// The results of reads of one kind that differ only in filters, sorts and slices, or in stages, in their order,
    /// equal to those of separate ones. Where a read is refused, each fails with its own problem.
    ///
    /// @param lease owns the documents until it is closed
    public List<CompletionStage<List<RawBsonDocument>>> readAll(List<DocumentRead> reads, Lease lease) {
        if (reads.size() > 1 && reads.stream().map(DocumentRead::asPipeline).allMatch(Union::takes)) {
            try {
                return together(reads, lease).stream()
                        .map(DocumentReads::withoutDetails)
                        .toList();
            } catch (ProblemException _) {
                // found again below
            }
        }
        return reads.stream().map(read -> read(read, lease)).toList();
    }

    private List<CompletionStage<List<RawBsonDocument>>> together(List<DocumentRead> reads, Lease lease) {
        reads.forEach(this::check);
        var finds = reads.stream()
                .filter(Find.class::isInstance)
                .map(Find.class::cast)
                .toList();
        boolean plain = finds.size() == reads.size() && isPlain(finds.getFirst());
        if (plain && finds.stream().allMatch(find -> find.id().isPresent())) {
            return lookups(finds, lease);
        }
        var distinct = new LinkedHashMap<QueryKey, DocumentRead>();
        reads.forEach(read -> distinct.putIfAbsent(read.key(), read));
        var results = new HashMap<QueryKey, CompletionStage<List<RawBsonDocument>>>();
        for (var part :
                RelatedReads.parts(distinct.entrySet(), read -> read.getKey().length())) {
            results.putAll(
                    part.size() == 1
                            ? Map.of(
                                    part.getFirst().getKey(),
                                    read(part.getFirst().getValue(), lease))
                            : inOneCommand(part, plain, lease));
        }
        return reads.stream()
                .map(read -> Objects.requireNonNull(results.get(read.key())))
                .toList();
    }

    /// Distinct reads in one command. One is read alone after the command has failed in a way that another may have
    /// caused.
    private Map<QueryKey, CompletionStage<List<RawBsonDocument>>> inOneCommand(
            List<Map.Entry<QueryKey, DocumentRead>> keyed, boolean plain, Lease lease) {
        var caller = CallerScope.current(); // of these reads, not those of all that share the command
        var reads = keyed.stream().map(Map.Entry::getValue).toList();
        var key = QueryKey.of(reads.getFirst().namespace()).add("all");
        reads.forEach(read -> read.addTo(key));
        var all = coalesced.share(key.key(), lease, command -> {
            var distributed = plain ? byOneProperty(reads, command) : Optional.<List<List<RawBsonDocument>>>empty();
            return distributed.orElseGet(
                    () -> union(reads.stream().map(DocumentRead::asPipeline).toList(), command));
        });
        var results = new HashMap<QueryKey, CompletionStage<List<RawBsonDocument>>>();
        for (int i = 0; i < reads.size(); i++) {
            int place = i;
            results.put(
                    keyed.get(place).getKey(),
                    all.thenApply(found -> found.get(place))
                            .exceptionallyCompose(failure -> mayBeDueToOne(failure)
                                    ? CallerScope.call(caller, () -> read(reads.get(place), lease))
                                    : CompletableFuture.failedStage(failure)));
        }
        return results;
    }

    /// The results of queries for single values of the same property, such as the books of one author, by one query
    /// for all values. Empty if they differ in more, or if the documents cannot be distributed by the property, or
    /// are too many to be read at once.
    ///
    /// @param reads distinct queries, of a collection without a collation
    private Optional<List<List<RawBsonDocument>>> byOneProperty(List<DocumentRead> reads, Lease command) {
        var queries = reads.stream().map(Find.class::cast).toList();
        var first = queries.getFirst();
        if (first.filter().size() != 1 || first.rights().projectResponse().isPresent()) {
            return Optional.empty();
        }
        var property = first.filter().getFirstKey();
        if (!Distribution.isPossibleBy(property)) {
            return Optional.empty();
        }
        var places = new LinkedHashMap<Object, List<Integer>>();
        var values = new BsonArray();
        long limit = 1; // one more than there may be
        for (var query : queries) {
            var value = query.filter().size() == 1 ? query.filter().get(property) : null;
            var canonical = value == null ? Optional.empty() : CanonicalId.of(value);
            if (canonical.isEmpty()
                    || query.skip() > 0
                    || !sortKey(query).equals(sortKey(first))
                    || places.put(canonical.get(), List.of(places.size())) != null) {
                return Optional.empty();
            }
            values.add(value);
            limit += query.limit();
        }
        if (limit > Integer.MAX_VALUE) {
            return Optional.empty();
        }
        var filter = new BsonDocument(property, new BsonDocument("$in", values));
        var found = run(
                new Find(first.namespace(), filter, first.sort(), 0, (int) limit, first.timeLimit(), first.rights()),
                Use.alone(command));
        return found.size() == limit
                ? Optional.empty()
                : new Distribution(
                                property,
                                places,
                                queries.stream().map(Find::limit).toList())
                        .of(found);
    }

    private static QueryKey sortKey(Find query) {
        return QueryKey.of(query.namespace()).add(query.sort()).key();
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException wrapper && wrapper.getCause() != null
                ? wrapper.getCause()
                : failure;
    }

    /// Whether a command for several queries may have failed because of one of them, so that the others can
    /// succeed by themselves. Queries that together took too long, or too much memory, would take as much one
    /// after the other.
    private static boolean mayBeDueToOne(Throwable failure) {
        return switch (cause(failure)) {
            case ProblemException e ->
                e.problem().code() != ProblemCode.UNPROCESSABLE && e.problem().code() != ProblemCode.OVERLOADED;
            case MongoCommandException e -> e.getErrorCode() != MongoCodes.MAX_TIME_EXPIRED;
            default -> false;
        };
    }

    private List<CompletionStage<List<RawBsonDocument>>> lookups(List<Find> queries, Lease lease) {
        return coalesced
                .all(
                        queries.stream()
                                .map(query -> query.lookup(query.id().orElseThrow(), lookupLimit))
                                .toList(),
                        lease)
                .stream()
                .<CompletionStage<List<RawBsonDocument>>>map(
                        found -> found.thenApply(one -> one.map(List::of).orElse(List.of())))
                .toList();
    }

    /// Converts MongoDB's failures to problems, without messages that could quote documents.
    private static CompletionStage<List<RawBsonDocument>> withoutDetails(
            CompletionStage<List<RawBsonDocument>> answer) {
        return answer.exceptionallyCompose(failure -> {
            var cause = cause(failure);
            return CompletableFuture.failedStage(MongoErrors.unquoted(cause));
        });
    }

    /// @throws org.restheart.http.ProblemException 422 for a result that is too large, 503 without memory for
    ///     it
    private List<RawBsonDocument> run(Find query, Use use) {
        var finder = use.change().apply(documents);
        return collected(
                use.lease(),
                sizes.of(query.namespace()),
                Math.min(query.limit(), BATCH) + 1,
                batch -> finder.find(query.asFind(), batch),
                query.limit());
    }

    /// @param stages those of the query, or others in place of them
    /// @param limit the most documents; 0 for all
    private List<RawBsonDocument> run(Aggregate query, List<BsonDocument> stages, int limit, Lease lease) {
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
                    lease.extend(Math.max(bytes, expected));
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
    private List<List<RawBsonDocument>> union(List<Aggregate> queries, Lease lease) {
        var first = queries.getFirst();
        var stages = Union.stages(
                first.namespace(), queries.stream().map(Aggregate::permitted).toList());
        return Union.distribute(run(first, stages, 0, lease), queries.size());
    }

    /// The documents of a query: in one batch while nothing is known of their size, as a reply has 16 MiB at most.
    ///
    /// @param expected documents at most, of which a batch has one more
    /// @param find returns the cursor by the number of documents in a batch
    List<RawBsonDocument> all(
            MongoNamespace namespace,
            String what,
            int most,
            int expected,
            IntFunction<MongoCursor<RawBsonDocument>> find,
            Lease lease) {
        var size = sizes.of(namespace, what);
        return size.reading(() -> {
            boolean isKnown = size.isKnown();
            int wanted = Math.min(most, Math.max(BATCH, expected)) + 1;
            int batch = isKnown ? size.batch(wanted) : wanted;
            return collect(lease, size, batch, size.reading(isKnown ? batch : 1), find, most);
        });
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
