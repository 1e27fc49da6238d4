package org.restheart.mongo.validator;

import org.bson.BsonDocument;
import org.bson.BsonString;

/// The draft of a schema, by its `$schema`.
enum Draft {
    V4,
    V6,
    V7,
    V2019,
    V2020;

    static Draft of(BsonDocument schema) {
        var named = schema.get("$schema") instanceof BsonString text ? text.getValue() : "";
        if (named.contains("draft-06")) {
            return V6;
        }
        if (named.contains("draft-07")) {
            return V7;
        }
        if (named.contains("2019-09")) {
            return V2019;
        }
        return named.contains("2020-12") ? V2020 : V4;
    }

    boolean isSince(Draft other) {
        return compareTo(other) >= 0;
    }
}
