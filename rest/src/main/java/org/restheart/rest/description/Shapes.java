package org.restheart.rest.description;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoNamespace;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoCursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.data.Access;
import org.restheart.http.MemoryBudget;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.mongo.find.DocumentSizes.Size;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.find.StagedFilter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Determines the shapes of collections from samples, and caches them. A sample contains random documents and the
/// newest ones by `_id`; of small collections and of what a filter selects, documents from both ends of that order. It
/// is read with the filter and the projection of the caller's rights, so that hidden data
/// have no effect. Callers have fair shares of the samples that are taken at a time. Thread-safe.
public final class Shapes {
    private static final Logger LOG = LoggerFactory.getLogger(Shapes.class);
    private static final Duration TIME_LIMIT = Duration.ofSeconds(2);
    private static final long MAX_BYTES = 8L << 20;
    private static final int MAX_ENTRIES = 2_000;
    private static final int BATCH = 50;

    /// MongoDB finds less than 5 % of a collection with a random cursor, and reads everything for more.
    private static final int SPARSE = 21;

    private static final int MANY = 4_000;
    private static final ReadSettings READING = new ReadSettings(
            Optional.of(ReadConcern.LOCAL), Optional.of(ReadPreference.secondaryPreferred()), TIME_LIMIT);

    /// Of an average key: access rules with long values count for several.
    private static final int KEY_BYTES = 4_096;

    /// Fields of the future are in the newest documents.
    private static final int NEWEST = 50;

    private final DriverFinder documents;
    private final MemoryBudget memory;
    private final Settings settings;
    private final Consumer<Sample> meter;
    private final FairShares parallel;
    private final Cache<Key, Kept> kept = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumWeight((long) MAX_ENTRIES * KEY_BYTES)
            .weigher((Key key, Kept _) -> key.rights().weight(KEY_BYTES))
            .build();

    /// @param size documents of a sample; 0 for no samples
    /// @param ttl age after which a shape is determined again; the old one is used until then
    /// @param parallel most concurrent samples
    /// @param guessFormats whether formats of texts are recognized
    public record Settings(int size, Duration ttl, int parallel, boolean guessFormats) {}

    /// @param outcome `complete`, `partial` or `failed`
    public record Sample(String outcome, Duration time) {}

    /// @param rights as bytes, since BSON documents with different orders of fields are equal
    private record Key(MongoNamespace namespace, QueryKey rights) {}

    /// @param until when it is to be read again, in the time of [System#nanoTime()]
    private record Kept(CompletableFuture<Shape> shape, long until) {}

    Shapes(DriverFinder documents, MemoryBudget memory, Settings settings, Consumer<Sample> meter) {
        this.documents = documents;
        this.memory = memory;
        this.settings = settings;
        this.meter = meter;
        this.parallel = new FairShares(settings.parallel());
    }

    /// The shape as the caller sees it; [Shape#UNKNOWN] if the sample fails. Never blocks.
    ///
    /// @param fresh whether to take a new sample even if one is cached
    public CompletableFuture<Shape> of(MongoNamespace namespace, Access rights, boolean fresh) {
        if (settings.size() == 0) {
            return CompletableFuture.completedFuture(Shape.UNKNOWN);
        }
        var key = new Key(namespace, QueryKey.of(namespace).add(rights).key());
        var found = kept.get(key, _ -> sample(key, rights));
        boolean old = found.shape().isDone() && (fresh || System.nanoTime() - found.until() > 0);
        if (!old) {
            return found.shape();
        }
        // of several callers that find an expired shape, one starts the next sample
        var renewed = kept.asMap().computeIfPresent(key, (_, now) -> now.equals(found) ? sample(key, rights) : now);
        if (renewed != null && fresh) {
            return renewed.shape();
        }
        return found.shape();
    }

    /// Forgets the shapes of a database's collections.
    public void forget(String db) {
        kept.asMap().keySet().removeIf(key -> key.namespace().getDatabaseName().equals(db));
    }

    @SuppressWarnings("ReferenceEquality") // the entry of this sample and no other
    private Kept sample(Key key, Access rights) {
        var shape = new CompletableFuture<Shape>();
        var caller = CallerScope.current();
        Thread.ofVirtual().name("sample").start(() -> {
            Shape found = Shape.UNKNOWN;
            try {
                found = CallerScope.call(caller, () -> inTurn(caller, key.namespace(), rights));
            } catch (RuntimeException e) {
                meter.accept(new Sample("failed", Duration.ZERO));
                LOG.debug("no sample of {}", key.namespace(), e);
                kept.asMap().computeIfPresent(key, (_, now) -> now.shape() == shape ? null : now);
            } finally {
                shape.complete(found);
            }
        });
        return new Kept(shape, System.nanoTime() + settings.ttl().toNanos());
    }

    /// Reads for the caller, but as a look-up: others who may see the same wait for the same sample.
    private Shape inTurn(String caller, MongoNamespace namespace, Access rights) {
        try {
            var _ = parallel.take(caller, Long.MAX_VALUE);
        } catch (InterruptedException e) {
            throw new IllegalStateException("threads of samples are not interrupted", e);
        }
        try {
            return CallerScope.lookUp(() -> read(namespace, rights));
        } finally {
            parallel.release(caller);
        }
    }

    private Shape read(MongoNamespace namespace, Access rights) {
        long begun = System.nanoTime();
        var parts = random(namespace, rights)
                .map(random -> List.of(random, end(namespace, rights, -1, NEWEST)))
                .orElseGet(() -> {
                    int half = Math.max(1, settings.size() / 2);
                    return List.of(
                            end(namespace, rights, 1, half),
                            end(namespace, rights, -1, Math.max(half, settings.size() - half)));
                });
        var builder = new Shape.Builder(settings.guessFormats());
        var seen = new HashSet<BsonValue>();
        for (var part : parts) {
            for (var document : part.documents()) {
                var id = document.get("_id");
                if (id == null || seen.add(id)) {
                    builder.add(document);
                }
            }
        }
        boolean complete = parts.stream().allMatch(DocumentSample::complete);
        meter.accept(new Sample(complete ? "complete" : "partial", Duration.ofNanos(System.nanoTime() - begun)));
        return builder.build();
    }

    /// Some documents from one end of `_id`.
    ///
    /// @param direction 1 for the smallest ids, -1 for the largest
    private DocumentSample end(MongoNamespace namespace, Access rights, int direction, int limit) {
        var query = new FindQuery(
                namespace,
                StagedFilter.of(rights.readFilter(), List.of()),
                Projection.of(rights.projectResponse(), new BsonDocument()),
                new BsonDocument("_id", new BsonInt32(direction)),
                Optional.empty(),
                0,
                limit,
                READING);
        try {
            return sample(() -> documents.find(query, Math.min(limit, BATCH)), limit);
        } catch (MongoExecutionTimeoutException _) {
            return new DocumentSample(List.of(), false);
        }
    }

    /// Random documents of a large collection. Empty where that would read the whole collection: if it is small or a
    /// view, or if the rights have a filter, as a sample of what matches is a scan.
    private Optional<DocumentSample> random(MongoNamespace namespace, Access rights) {
        if (rights.readFilter().isPresent()) {
            return Optional.empty();
        }
        int limit = settings.size();
        var stages = new ArrayList<BsonDocument>();
        stages.add(new BsonDocument("$sample", new BsonDocument("size", new BsonInt32(limit))));
        stages.addAll(Projection.stages(rights.projectResponse()));
        try {
            return count(namespace) < Math.max(MANY, (long) limit * SPARSE)
                    ? Optional.empty()
                    : Optional.of(sample(() -> documents.results(namespace, stages, READING, null, BATCH), limit));
        } catch (MongoExecutionTimeoutException | MongoCommandException _) { // it is a view, for instance
            return Optional.empty();
        }
    }

    /// The estimated number of documents.
    private long count(MongoNamespace namespace) {
        var stage = new BsonDocument("$collStats", new BsonDocument("count", new BsonDocument()));
        var found = documents.aggregate(namespace, List.of(stage), READING).first();
        return found == null ? 0 : found.getNumber("count", new BsonInt32(0)).longValue();
    }

    /// What is read until a limit is reached.
    private DocumentSample sample(Supplier<MongoCursor<RawBsonDocument>> find, int limit) {
        try (var lease = memory.open(() -> CallerScope.SERVER)) {
            lease.await(Size.COPIES * MAX_BYTES / 2);
            try (var cursor = find.get()) {
                return read(cursor, limit);
            }
        }
    }

    private static DocumentSample read(MongoCursor<RawBsonDocument> cursor, int limit) {
        var found = new ArrayList<RawBsonDocument>();
        long bytes = 0;
        try {
            while (found.size() < limit && cursor.hasNext()) {
                var document = cursor.next();
                bytes += document.getByteLength();
                if (bytes > MAX_BYTES / 2 && !found.isEmpty()) {
                    return new DocumentSample(found, false);
                }
                found.add(document);
            }
            return new DocumentSample(found, true);
        } catch (MongoExecutionTimeoutException _) {
            return new DocumentSample(found, false);
        }
    }

    /// @param complete whether no limit but their number was met
    private record DocumentSample(List<RawBsonDocument> documents, boolean complete) {}
}
