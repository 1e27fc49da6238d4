package org.restheart.mongo.description;

import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.http.access.ResourceKind;

/// A collection without its documents: kind, validator and properties. Immutable by agreement.
///
/// @param kind `COLLECTION`, `FILES_BUCKET` or `SCHEMA_STORE`
/// @param validator the JSON Schema of its validator, if it has one
/// @param enforced whether MongoDB refuses every write that the validator does not allow
/// @param properties the properties that clients have stored; may be empty
public record CollectionStructure(
        String name, ResourceKind kind, Optional<BsonDocument> validator, boolean enforced, BsonDocument properties) {}
