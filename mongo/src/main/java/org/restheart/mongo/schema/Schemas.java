package org.restheart.mongo.schema;

import com.mongodb.client.MongoClient;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.mongo.exchange.DocumentRule;
import org.restheart.mongo.metadata.Known;

/// Validates documents against the schema of their collection (property `jsonSchema`). Thread-safe.
public final class Schemas implements AutoCloseable {
    private final StoredSchemas stored;
    private final SchemaChanges changes;

    /// @param ttl how long schemas are cached without a change event
    /// @param shows whether a database's store may be used
    public Schemas(MongoClient client, Duration ttl, Predicate<String> shows) {
        this.stored = new StoredSchemas(client, ttl, shows);
        this.changes = new SchemaChanges(client, stored::forget);
    }

    /// The rule for documents of a collection; empty for a collection without a schema.
    ///
    /// @param request determines whether the call may block
    public Optional<DocumentRule> of(Request request, String db, Known collection) {
        return SchemaReference.of(db, collection).map(reference -> new Rule(request, reference));
    }

    /// Called when a schema was written through this server.
    public void changed() {
        stored.forget();
    }

    @Override
    public void close() {
        changes.close();
    }

    private final class Rule implements DocumentRule {
        private final Request request;
        private final SchemaReference reference;

        Rule(Request request, SchemaReference reference) {
            this.request = request;
            this.reference = reference;
        }

        @Override
        public void check(BsonDocument document, boolean tell) {
            request.requireThread();
            var key = reference.key();
            changes.follow(key.db());
            var violations = stored.compiled(key).violations(document);
            if (!violations.isEmpty()) {
                var refusal = "Request content violates schema '" + key.idText() + "'";
                throw Problem.of(
                                ProblemCode.CONTENT_INVALID,
                                tell ? refusal + ": " + Violations.text(violations) : refusal)
                        .raise();
            }
        }

        @Override
        public boolean skipsUnsupported() {
            return reference.skipsUnsupported();
        }
    }
}
