package org.restheart.mongo.schema;

import org.bson.BsonDocument;
import org.bson.BsonValue;

/// A stored schema. Immutable by agreement.
///
/// @param db of its store
/// @param uri to which its references are relative
/// @param schema as clients see it, without `_id` and `_etag`
public record SchemaSource(String db, BsonValue id, String uri, BsonDocument schema) {
    /// The id as text.
    public String name() {
        return key().idText();
    }

    SchemaKey key() {
        return new SchemaKey(db, id);
    }
}
