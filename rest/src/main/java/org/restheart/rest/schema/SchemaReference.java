package org.restheart.rest.schema;

import java.util.Optional;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.metadata.ResourceMetadata;
import org.restheart.mongo.metadata.ResourceNames;

/// A collection's property `jsonSchema`. Immutable by agreement.
record SchemaReference(String db, BsonDocument property) {
    static final String PROPERTY = "jsonSchema";

    /// Empty for a collection without one. A value other than an object is ignored.
    static Optional<SchemaReference> of(String db, ResourceMetadata collection) {
        return collection
                .property(PROPERTY)
                .filter(BsonValue::isDocument)
                .map(property -> new SchemaReference(db, property.asDocument()));
    }

    /// @throws org.restheart.http.ProblemException 500
    SchemaKey key() {
        var id = property.get("schemaId");
        if (id == null) {
            throw misconfigured("missing property schemaId");
        }
        if (!SchemaKey.isId(id)) {
            throw misconfigured("property schemaId must be a string or an ObjectId");
        }
        var store = property.get("schemaStoreDb", new BsonString(db));
        if (!store.isString()) {
            throw misconfigured("property schemaStoreDb must be a string");
        }
        var name = store.asString().getValue();
        if (name.isEmpty() || ResourceNames.isReservedDb(name)) {
            throw misconfigured("property schemaStoreDb must name a database");
        }
        return new SchemaKey(name, id);
    }

    /// The problem of a collection whose schema cannot be applied: it accepts no documents, since their validity is
    /// unknown.
    static ProblemException misconfigured(String why) {
        return new ProblemException(ProblemCode.INTERNAL, "wrong 'jsonSchema': " + why);
    }

    /// Whether writes that cannot be checked are allowed.
    boolean skipsUnsupported() {
        return property.get("skipNotSupported", BsonBoolean.FALSE).equals(BsonBoolean.TRUE);
    }
}
