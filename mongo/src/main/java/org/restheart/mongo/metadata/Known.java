package org.restheart.mongo.metadata;

import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// What is known of a database or a collection. Immutable; nobody writes to the properties.
///
/// @param exists whether MongoDB has it
/// @param plain whether it is a collection whose ids compare as bytes do: no view, no time series, no collation of its
///     own. Only there can results of one query be told apart by id
/// @param properties what clients stored with it, `_id` and `_etag` included; empty for one that MongoDB has but that
///     was not made through the API
public record Known(boolean exists, boolean plain, Optional<BsonDocument> properties) {
    static final Known MISSING = new Known(false, false, Optional.empty());

    /// The deployment itself, which has no properties.
    public static final Known ROOT = new Known(true, false, Optional.empty());

    /// One property, if it is there.
    public Optional<BsonValue> property(String name) {
        return properties.map(p -> p.get(name));
    }
}
