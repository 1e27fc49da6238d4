package org.restheart.mongo.find;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;

/// Filters of MongoDB that are made of others.
public final class Filters {
    private Filters() {}

    /// The documents that match all filters; every document if there are none.
    public static BsonDocument all(List<BsonDocument> filters) {
        return switch (filters.size()) {
            case 0 -> new BsonDocument();
            case 1 -> filters.getFirst();
            default -> new BsonDocument("$and", new BsonArray(filters));
        };
    }
}
