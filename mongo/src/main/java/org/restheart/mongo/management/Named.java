package org.restheart.mongo.management;

import org.bson.BsonDocument;
import org.bson.BsonString;

/// Properties with the name of their resource as `_id`, in place of the stored id.
final class Named {
    private Named() {}

    /// A copy, its `_id` first.
    static BsonDocument withId(BsonDocument properties, String id) {
        var named = new BsonDocument("_id", new BsonString(id));
        properties.forEach((key, value) -> {
            if (!key.equals("_id")) {
                named.append(key, value);
            }
        });
        return named;
    }
}
