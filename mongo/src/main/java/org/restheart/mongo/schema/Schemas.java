package org.restheart.mongo.schema;

import com.mongodb.client.MongoClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.fields.EffectiveValue;
import org.restheart.http.CacheMeter;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.RequestContent;
import org.restheart.http.access.Hidden;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.background.CollectionChanges;
import org.restheart.mongo.exchange.DataRequest.DocumentValidation;
import org.restheart.mongo.metadata.ResourceMetadata;

/// Validates documents against the schema of their collection (property `jsonSchema`). Thread-safe.
public final class Schemas implements AutoCloseable {
    /// In place of values that must not be told; it may be required that there is one.
    private static final BsonValue WITHHELD = new BsonString("");

    private final StoredSchemas stored;
    private final CollectionChanges changes;

    private volatile Runnable observer = () -> {};

    /// @param ttl how long schemas are cached without a change event
    /// @param shows whether a database's store may be used
    public Schemas(MongoClient client, Duration ttl, Predicate<String> shows) {
        this.stored = new StoredSchemas(client, ttl, shows);
        this.changes = new CollectionChanges(client, StoredSchemas.COLLECTION, "schemas", _ -> changedElsewhere());
    }

    /// What the cache of compiled schemas does.
    public CacheMeter meter() {
        return stored.meter();
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
        stored.forget();
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
                .map(key -> find(key).orElseThrow(() -> StoredSchemas.notFound(key)));
    }

    /// A schema of a store; empty if there is none. Blocks for MongoDB.
    public Optional<StoredSchema> find(SchemaKey key) {
        changes.follow(key.db());
        return stored.find(key).map(schema -> new StoredSchema(key, schema));
    }

    /// A function for the schemas to which a schema may refer, by URI without a fragment. Both block for MongoDB.
    public Function<String, Optional<BsonDocument>> referred(StoredSchema schema) {
        return stored.loader(schema.key(), schema.schema());
    }

    /// The schemas of other databases to which a schema refers, directly or indirectly, also those that are not there.
    /// Blocks for MongoDB.
    ///
    /// @param schema as clients see it
    Set<SchemaKey> foreign(SchemaKey from, BsonDocument schema) {
        return SchemaReferences.all(from, schema, stored::find).keySet().stream()
                .flatMap(uri -> SchemaKey.of(uri).stream())
                .filter(key -> !key.db().equals(from.db()))
                .collect(Collectors.toSet());
    }

    /// The schemas of other databases to which a stored schema refers; empty if it is not there. Blocks for MongoDB.
    Set<SchemaKey> foreign(SchemaKey key) {
        return stored.find(key).map(schema -> foreign(key, schema)).orElse(Set.of());
    }

    /// The schemas that are not there, of those that a schema refers to. Blocks for MongoDB.
    ///
    /// @param schema as clients see it
    List<SchemaKey> missing(SchemaKey from, BsonDocument schema) {
        return SchemaReferences.missing(from, schema, stored::find);
    }

    /// The schemas that are not there, of those that a stored schema refers to; empty if it is not there itself.
    List<SchemaKey> missing(SchemaKey key) {
        return stored.find(key).map(schema -> missing(key, schema)).orElse(List.of());
    }

    /// A function for the violations of documents, empty for those that are valid. Blocks for MongoDB.
    ///
    /// @return which refuses documents with 400 if they take too long
    /// @throws org.restheart.http.ProblemException 500 if the schema is invalid
    public Function<BsonDocument, List<Violation>> checking(StoredSchema schema) {
        var compiled = stored.compiled(schema.key());
        return document -> compiled.violations(document, new EvaluationBudget()).stream()
                .map(Violation::of)
                .toList();
    }

    /// Called when a schema was written through this server.
    public void changed() {
        stored.forget();
    }

    @Override
    public void close() {
        changes.close();
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
            var violations = new ArrayList<>(stored.compiled(key).violations(without(withheld, document), budget));
            violations.removeIf(violation -> violation.getInstanceLocation().getNameCount() > 0
                    && withheld.contains(violation.getInstanceLocation().getName(0)));
            if (!violations.isEmpty()) {
                var refusal = DataWrite.VIOLATES_SCHEMA + " '" + key.idText() + "'";
                throw new ProblemException(
                        ProblemCode.CONTENT_INVALID, disclose ? refusal + ": " + Violation.text(violations) : refusal);
            }
        }

        /// Hidden properties with other values than the request sends: whether a schema accepts them would tell what
        /// they are.
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
            return (content instanceof BsonArray array ? array : List.of(content))
                    .stream()
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
