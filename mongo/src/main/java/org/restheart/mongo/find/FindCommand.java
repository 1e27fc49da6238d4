package org.restheart.mongo.find;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;

/// A query as a database command, for cursors that stay open longer than the driver's and whose batch size varies.
public final class FindCommand {
    private FindCommand() {}

    /// Without the read concern and the time limit of the query's settings.
    ///
    /// @param batchSize documents in the first reply
    public static BsonDocument of(FindQuery query, int batchSize) {
        var command = query.isStaged() ? aggregate(query, batchSize) : find(query, batchSize);
        query.hint().ifPresent(hint -> command.append("hint", hint));
        return command;
    }

    private static BsonDocument find(FindQuery query, int batchSize) {
        return new BsonDocument("find", new BsonString(query.namespace().getCollectionName()))
                .append("filter", query.filter().single())
                .append("projection", query.projection().single())
                .append("sort", query.sort())
                .append("skip", new BsonInt64(query.skip()))
                .append("limit", new BsonInt32(query.limit()))
                .append("batchSize", new BsonInt32(batchSize));
    }

    private static BsonDocument aggregate(FindQuery query, int batchSize) {
        return new BsonDocument("aggregate", new BsonString(query.namespace().getCollectionName()))
                .append("pipeline", new BsonArray(DriverFinder.stages(query)))
                .append("cursor", new BsonDocument("batchSize", new BsonInt32(batchSize)));
    }
}
