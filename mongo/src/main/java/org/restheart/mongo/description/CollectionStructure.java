package org.restheart.mongo.description;

import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.http.access.ResourceKind;

/// What MongoDB and the gateway hold of a collection besides its documents. Immutable by agreement.
///
/// @param kind `COLLECTION`, `FILES_BUCKET` or `SCHEMA_STORE`
/// @param validator the JSON Schema of its validator, if it has one
/// @param enforced whether MongoDB refuses every write that the validator does not allow
/// @param properties what clients stored with it; empty if they did not
public record CollectionStructure(
        String name, ResourceKind kind, Optional<BsonDocument> validator, boolean enforced, BsonDocument properties) {}
