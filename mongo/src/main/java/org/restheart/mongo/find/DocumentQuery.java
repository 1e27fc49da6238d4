package org.restheart.mongo.find;

import com.mongodb.MongoNamespace;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// A question for one document by its id. Immutable by agreement, compares by value.
///
/// @param filter what else must match; empty for nothing
public record DocumentQuery(
        MongoNamespace namespace, BsonValue id, BsonDocument filter, Projection projection, ReadSettings settings) {

    /// Everything that must match.
    BsonDocument idAndFilter() {
        var byId = new BsonDocument("_id", id);
        return filter.isEmpty() ? byId : byId.append("$and", new BsonArray(List.of(filter)));
    }
}
