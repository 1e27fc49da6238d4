package org.restheart.mongo.cursor.pool;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Projection;

/// Everything that decides what a cursor shows, the filter and the projection of the access rule included: callers who
/// may see different things never meet. Compares by value.
record CursorKey(
        MongoNamespace namespace,
        BsonDocument filter,
        Projection projection,
        BsonDocument sort,
        Optional<BsonValue> hint,
        Duration timeLimit) {
    static CursorKey of(FindQuery query) {
        return new CursorKey(
                query.namespace(),
                query.filter(),
                query.projection(),
                query.sort(),
                query.hint(),
                query.settings().timeLimit());
    }
}
