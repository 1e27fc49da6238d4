package org.restheart.mongo.metadata;

import java.util.Optional;
import org.bson.BsonDocument;

/// What is known of a database or a collection. Immutable; nobody writes to the properties.
///
/// @param exists whether MongoDB has it
/// @param properties what clients stored with it, `_id` and `_etag` included; empty for one that MongoDB has but that
///     was not made through the API
public record Known(boolean exists, Optional<BsonDocument> properties) {
    static final Known MISSING = new Known(false, Optional.empty());

    /// One property, if it is there.
    public Optional<org.bson.BsonValue> property(String name) {
        return properties.map(p -> p.get(name));
    }
}
