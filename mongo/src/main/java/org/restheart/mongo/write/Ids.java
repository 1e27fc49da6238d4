package org.restheart.mongo.write;

import org.bson.BsonDocument;
import org.bson.BsonValue;

/// Filters by `_id`.
public final class Ids {
    private Ids() {}

    /// A filter for exactly this id. A client's document or regular expression must not be read as a condition.
    public static BsonDocument equal(BsonValue id) {
        return new BsonDocument(
                "_id",
                switch (id.getBsonType()) {
                    case DOCUMENT, REGULAR_EXPRESSION -> new BsonDocument("$eq", id);
                    default -> id;
                });
    }
}
