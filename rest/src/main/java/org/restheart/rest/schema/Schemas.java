package org.restheart.rest.schema;

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
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.fields.EffectiveValue;
import org.restheart.http.CacheMeter;
import org.restheart.http.MemoryBudget;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.access.Hidden;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.background.CollectionChanges;
import org.restheart.mongo.metadata.ResourceMetadata;
import org.restheart.rest.exchange.DataRequest.DocumentValidation;
import org.restheart.text.ShortText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Validates documents against the schema of their collection (property `jsonSchema`). Compiles schemas from
/// the stores and caches them. Thread-safe.
///
/// A schema may refer to others, also of other databases, so a change of any of them invalidates all. A
/// generation number identifies schemas that were read before the latest known change.
public final class Schemas {
    /// In place of values that must not be told; it may be required that there is one.
    private static final BsonValue WITHHELD = new BsonString("");

    static final String COLLECTION = "_schemas";

    private static final Logger LOG = LoggerFactory.getLogger(Schemas.class);

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
    private final CollectionChanges changes;

    private volatile Runnable observer = () -> {};

    /// @param tasks during which changes are followed
    /// @param ttl how long schemas are cached without a change event; zero disables the cache, a negative
    ///     one keeps entries until they are invalidated
    /// @param shows whether a database's store may be used, by collections and by schemas that refer to it
    public Schemas(BackgroundTasks tasks, MongoClient client, Duration ttl, Predicate<String> shows) {
        this(tasks, client, ttl, shows, MemoryBudget.Part.SCHEMAS.bytes());
    }

    /// @param maxBytes of heap of all that are cached; a larger one is cached alone
    Schemas(BackgroundTasks tasks, MongoClient client, Duration ttl, Predicate<String> shows, long maxBytes) {
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
        this.changes = new CollectionChanges(tasks, client, COLLECTION, "schemas", _ -> changedElsewhere());
        this.meter = new CacheMeter("schemas", () -> cache == null ? 0 : cache.estimatedSize());
    }

    private void evicted() {
        meter.evicted();
    }

    public CacheMeter meter() {
        return meter;
    }

    /// The validation of documents of a collection; empty for a collection without a schema.
    ///
    /// @param request determines whether the call may block
    public Optional<DocumentValidation> of(Request request, String db, ResourceMetadata collection) {
        return SchemaReference.of(db, collection).map(reference -> new Validation(request, reference));
    }

    /// A schema of a store. Immutable by agreement.
    ///
    /// @param schema as clients see it, without `_id` and `_etag`
    public record StoredSchema(SchemaKey key, BsonDocument schema) {}

    private void changedElsewhere() {
        generation.incrementAndGet();
        observer.run();
    }

    /// Sets the observer of changes of schemas that are in use, by whomever; it must not block.
    public void onChange(Runnable observer) {
        this.observer = observer;
    }

    /// The schema that a collection's properties name; empty if they name none. Blocks for MongoDB.
    ///
    /// @param db of the collection
    /// @throws org.restheart.http.ProblemException 500 if it is missing
    public Optional<StoredSchema> named(String db, BsonDocument properties) {
        return Optional.ofNullable(properties.get(SchemaReference.PROPERTY))
                .filter(BsonValue::isDocument)
                .map(property -> new SchemaReference(db, property.asDocument()).key())
                .map(key -> find(key).orElseThrow(() -> notFound(key)));
    }

    /// A schema of a store; empty if there is none. Blocks for MongoDB.
    public Optional<StoredSchema> find(SchemaKey key) {
        changes.follow(key.db());
        return load(key).map(schema -> new StoredSchema(key, schema));
    }

    /// A function for the schemas to which a schema may refer, by URI without a fragment. Both block for
    /// MongoDB.
    public Function<String, Optional<BsonDocument>> referred(StoredSchema schema) {
        return loader(schema.key(), SchemaReferences.all(schema.key(), schema.schema(), this::load));
    }

    /// The schemas of other databases to which a schema refers, directly or indirectly, also those that are
    /// not there. Blocks for MongoDB.
    ///
    /// @param schema as clients see it
    Set<SchemaKey> foreign(SchemaKey from, BsonDocument schema) {
        return SchemaReferences.all(from, schema, this::load).keySet().stream()
                .flatMap(uri -> SchemaKey.of(uri).stream())
                .filter(key -> !key.db().equals(from.db()))
                .collect(Collectors.toSet());
    }

    /// The schemas of other databases to which a stored schema refers; empty if it is not there. Blocks for
    /// MongoDB.
    Set<SchemaKey> foreign(SchemaKey key) {
        return load(key).map(schema -> foreign(key, schema)).orElse(Set.of());
    }

    /// The schemas that are not there, of those that a schema refers to. Blocks for MongoDB.
    ///
    /// @param schema as clients see it
    List<SchemaKey> missing(SchemaKey from, BsonDocument schema) {
        return SchemaReferences.missing(from, schema, this::load);
    }

    /// The schemas that are not there, of those that a stored schema refers to; empty if it is not there
    /// itself.
    List<SchemaKey> missing(SchemaKey key) {
        return load(key).map(schema -> missing(key, schema)).orElse(List.of());
    }

    /// A function for the violations of documents, empty for those that are valid. Blocks for MongoDB.
    ///
    /// @return which refuses documents with 400 if they take too long
    /// @throws org.restheart.http.ProblemException 500 if the schema is invalid
    public Function<BsonDocument, List<Violation>> checking(StoredSchema schema) {
        var compiled = compiled(schema.key());
        return document -> compiled.violations(document, new EvaluationBudget()).stream()
                .map(Violation::of)
                .toList();
    }

    /// Called when a schema was written through this server.
    public void changed() {
        generation.incrementAndGet();
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
        var schema = load(key).orElseThrow(() -> notFound(key));
        var known = SchemaReferences.all(key, schema, this::load);
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

    private static ProblemException notFound(SchemaKey key) {
        return SchemaReference.misconfigured("schema " + key.place() + " not found");
    }

    /// What is appended to the message that a schema is not valid. Schemas of other databases are not named
    /// to those who write documents.
    private String why(SchemaKey key, BsonDocument schema) {
        return SchemaReferences.missing(key, schema, this::load).stream()
                .map(missing -> missing.db().equals(key.db()) ? missing.place() : "a schema of another database")
                .findFirst()
                .map(missing -> ": it refers to " + missing + ", which does not exist")
                .orElse("");
    }

    /// Loads the schemas that evaluating a schema needs, by their URIs without fragments: of another
    /// database only those to which its author may have referred, see [SchemaReferences]. Blocks for
    /// MongoDB.
    private Function<String, Optional<BsonDocument>> loader(SchemaKey from, Map<String, Optional<BsonDocument>> known) {
        return uri -> SchemaKey.of(uri).flatMap(key -> {
            var found = known.get(key.uri());
            if (found != null) {
                return found;
            }
            return key.db().equals(from.db()) ? load(key) : Optional.empty();
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
    private Optional<BsonDocument> load(SchemaKey key) {
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
        /// The violations of a document; empty if it is valid. The schema is applied to the document in the
        /// default JSON mode.
        ///
        /// @throws org.restheart.http.ProblemException 400 when it takes too long, 500 if the schema is
        ///     invalid
        List<Error> violations(BsonDocument document, EvaluationBudget budget) {
            var json = JsonEncoder.of(JsonMode.DEFAULT).encodeToString(document);
            return refusingInvalid(key, why, () -> budget.violations(schema, json));
        }
    }

    private final class Validation implements DocumentValidation {
        private final Request request;
        private final SchemaReference reference;
        private final EvaluationBudget budget = new EvaluationBudget();
        private final Map<String, Set<BsonValue>> sent = new HashMap<>();

        Validation(Request request, SchemaReference reference) {
            this.request = request;
            this.reference = reference;
        }

        @Override
        public void check(BsonDocument document, boolean disclose) {
            var key = reference.key();
            changes.follow(key.db());
            var withheld = withheld(document);
            var violations = new ArrayList<>(compiled(key).violations(without(withheld, document), budget));
            violations.removeIf(violation -> violation.getInstanceLocation().getNameCount() > 0
                    && withheld.contains(violation.getInstanceLocation().getName(0)));
            if (!violations.isEmpty()) {
                var refusal = DataWrite.VIOLATES_SCHEMA + " '" + key.idText() + "'";
                throw new ProblemException(
                        ProblemCode.CONTENT_INVALID, disclose ? refusal + ": " + Violation.text(violations) : refusal);
            }
        }

        /// Hidden properties with other values than the request sends: whether a schema accepts them would
        /// tell what they are.
        private Set<String> withheld(BsonDocument document) {
            return request.attribute(Hidden.KEY).map(Hidden::properties).orElse(Set.of()).stream()
                    .filter(name -> document.containsKey(name)
                            && !sent.computeIfAbsent(name, this::sent).contains(document.get(name)))
                    .collect(Collectors.toSet());
        }

        private Set<BsonValue> sent(String name) {
            var content = request.attribute(RequestContent.KEY)
                    .map(RequestContent::value)
                    .orElseGet(BsonDocument::new);
            return BsonValues.several(content).stream()
                    .filter(BsonValue::isDocument)
                    .flatMap(one -> Stream.ofNullable(
                            EffectiveValue.of(one.asDocument(), name).value()))
                    .collect(Collectors.toSet());
        }

        private static BsonDocument without(Set<String> withheld, BsonDocument document) {
            if (withheld.isEmpty()) {
                return document;
            }
            var others = new BsonDocument();
            document.forEach((name, value) -> others.append(name, withheld.contains(name) ? WITHHELD : value));
            return others;
        }

        @Override
        public boolean skipsUnsupported() {
            return reference.skipsUnsupported();
        }
    }
}
