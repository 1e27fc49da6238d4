package org.restheart.mongo.schema;

import static com.mongodb.client.model.Filters.eq;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.resource.InputStreamSource;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.RawDocuments;
import org.restheart.http.CacheMeter;
import org.restheart.http.MemoryBudget;
import org.restheart.http.ProblemException;
import org.restheart.http.ShortText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Compiles schemas from the stores and caches them. Thread-safe.
///
/// A schema may refer to others, also of other databases, so a change of any of them invalidates all. A
/// generation number identifies schemas that were read before the latest known change.
final class StoredSchemas {
    static final String COLLECTION = "_schemas";

    private static final Logger LOG = LoggerFactory.getLogger(StoredSchemas.class);

    /// Characters of the library's text.
    private static final int MAX_REASON = 200;

    private static final int MAX_CACHED = 1_000;

    /// Bytes of heap for one byte of a schema in BSON (measured: 26, with the tree of its values).
    private static final int EXPANSION = 30;

    private final MongoClient client;
    private final Predicate<String> shows;
    private final @Nullable Cache<String, CompiledSchema> cache;
    private final AtomicLong generation = new AtomicLong();
    private final CacheMeter meter;

    /// @param ttl zero disables the cache, a negative one keeps entries until they are invalidated
    /// @param shows whether a database's store may be used, by collections and by schemas that refer to it
    StoredSchemas(MongoClient client, Duration ttl, Predicate<String> shows) {
        this(client, ttl, shows, MemoryBudget.Part.SCHEMAS.bytes());
    }

    /// @param maxBytes of heap of all that are cached; a larger one is cached alone
    StoredSchemas(MongoClient client, Duration ttl, Predicate<String> shows, long maxBytes) {
        this.client = client;
        this.shows = shows;
        if (ttl.isZero()) {
            this.cache = null;
        } else {
            var builder = Caffeine.newBuilder()
                    .executor(Runnable::run)
                    .maximumWeight(maxBytes)
                    .weigher((String _, CompiledSchema schema) ->
                            CacheMeter.weight(EXPANSION * schema.bytes(), MAX_CACHED, maxBytes))
                    .evictionListener((_, _, _) -> evicted());
            this.cache = (ttl.isNegative() ? builder : builder.expireAfterWrite(ttl)).build();
        }
        this.meter = new CacheMeter("schemas", () -> cache == null ? 0 : cache.estimatedSize());
    }

    private void evicted() {
        meter.evicted();
    }

    CacheMeter meter() {
        return meter;
    }

    /// Blocks for MongoDB unless the schema is cached.
    ///
    /// @throws org.restheart.http.ProblemException 500 if it is missing or invalid
    CompiledSchema compiled(SchemaKey key) {
        var cached = cache == null ? null : cache.getIfPresent(key.text());
        if (cached != null && cached.generation() == generation.get()) {
            meter.hit();
            return cached;
        }
        meter.miss();
        long now = generation.get();
        var schema = find(key).orElseThrow(() -> notFound(key));
        var known = SchemaReferences.all(key, schema, this::find);
        var load = loader(key, known);
        var references = new AtomicInteger();
        var registry = BoundedDialects.registry(iri -> resource(iri.toString(), load, references));
        var compiled = refusingInvalid(
                key,
                () -> why(key, schema),
                () -> new CompiledSchema(
                        key,
                        registry.getSchema(SchemaLocation.of(key.uri())),
                        size(schema, known.values()),
                        now,
                        () -> why(key, schema)));
        if (cache != null) {
            cache.put(key.text(), compiled);
        }
        return compiled;
    }

    /// Runs code that fails for an invalid schema.
    ///
    /// @param why is appended to the message then; empty if the reason is not known
    @SuppressWarnings("IllegalCatch")
    private static <T> T refusingInvalid(SchemaKey key, Supplier<String> why, Supplier<T> work) {
        try {
            return work.get();
        } catch (ProblemException | MongoException e) {
            throw e;
        } catch (RuntimeException e) { // the library throws many for invalid schemas and references
            LOG.warn("The schema {} is not valid: {}", key.uri(), e.getMessage());
            var known = why.get();
            throw SchemaReference.misconfigured("schema '" + key.idText() + "' is not valid"
                    + (known.isEmpty() ? reason(String.valueOf(e.getMessage())) : known));
        }
    }

    /// The library's reason, unless it may name a schema of another database.
    private static String reason(String message) {
        return message.contains(SchemaKey.BASE) ? "" : ": " + ShortText.of(message, MAX_REASON);
    }

    /// Bytes in BSON.
    private static long size(BsonDocument schema, Collection<Optional<BsonDocument>> references) {
        return Stream.concat(Stream.of(schema), references.stream().flatMap(Optional::stream))
                .mapToLong(each -> RawDocuments.encode(each).getByteLength())
                .sum();
    }

    static ProblemException notFound(SchemaKey key) {
        return SchemaReference.misconfigured("schema " + key.place() + " not found");
    }

    /// What is appended to the message that a schema is not valid. Schemas of other databases are not named to
    /// those who write documents.
    private String why(SchemaKey key, BsonDocument schema) {
        return SchemaReferences.missing(key, schema, this::find).stream()
                .map(missing -> missing.db().equals(key.db()) ? missing.place() : "a schema of another database")
                .findFirst()
                .map(missing -> ": it refers to " + missing + ", which does not exist")
                .orElse("");
    }

    void forget() {
        generation.incrementAndGet();
    }

    /// Loads the schemas that evaluating a schema needs, by their URIs without fragments: of another database
    /// only those to which its author may have referred, see [SchemaReferences]. Blocks for MongoDB.
    Function<String, Optional<BsonDocument>> loader(SchemaKey from, BsonDocument schema) {
        return loader(from, SchemaReferences.all(from, schema, this::find));
    }

    private Function<String, Optional<BsonDocument>> loader(SchemaKey from, Map<String, Optional<BsonDocument>> known) {
        return uri -> SchemaKey.of(uri).flatMap(key -> {
            var found = known.get(key.uri());
            if (found != null) {
                return found;
            }
            return key.db().equals(from.db()) ? find(key) : Optional.empty();
        });
    }

    private static @Nullable InputStreamSource resource(
            String iri, Function<String, Optional<BsonDocument>> load, AtomicInteger references) {
        return load.apply(iri)
                .map(schema -> {
                    if (references.incrementAndGet() > SchemaReferences.MAX) {
                        throw SchemaReference.misconfigured(
                                "more than " + SchemaReferences.MAX + " schemas refer to each other");
                    }
                    var json = JsonEncoder.of(JsonMode.DEFAULT).encodeToString(schema);
                    return (InputStreamSource) () -> new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8));
                })
                .orElse(null);
    }

    /// The unescaped schema, without fields that are not part of it.
    Optional<BsonDocument> find(SchemaKey key) {
        if (!shows.test(key.db())) {
            return Optional.empty();
        }
        var stored = client.getDatabase(key.db()).getCollection(COLLECTION, BsonDocument.class);
        var found = stored.find(eq("_id", key.id())).first();
        if (found == null && key.id().isString() && ObjectId.isValid(key.idText())) {
            found = stored.find(eq("_id", new BsonObjectId(new ObjectId(key.idText()))))
                    .first();
        }
        return Optional.ofNullable(found).map(schema -> {
            var shown = SchemaForm.shown(schema);
            shown.remove("_id");
            shown.remove("_etag");
            if (shown.containsKey("$id")) { // of a draft without the older keyword
                shown.remove("id");
            }
            return shown;
        });
    }

    /// A schema with all schemas that it refers to. Thread-safe.
    ///
    /// @param bytes of all of them in BSON
    /// @param generation of the stores' contents that it was read from
    /// @param why it is not valid, if it turns out not to be; may block
    record CompiledSchema(SchemaKey key, Schema schema, long bytes, long generation, Supplier<String> why) {
        /// The violations of a document; empty if it is valid. The schema is applied to the document in the default
        /// JSON mode.
        ///
        /// @param budget of the request
        /// @throws org.restheart.http.ProblemException 400 when it takes too long, 500 if the schema is invalid
        List<Error> violations(BsonDocument document, EvaluationBudget budget) {
            var json = JsonEncoder.of(JsonMode.DEFAULT).encodeToString(document);
            return refusingInvalid(key, why, () -> Evaluation.of(schema, json, budget));
        }
    }
}
