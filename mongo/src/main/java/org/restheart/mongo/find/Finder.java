package org.restheart.mongo.find;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCursor;
import org.bson.RawBsonDocument;

/// Finds the documents of a query. Blocks for MongoDB. Thread-safe.
@FunctionalInterface
public interface Finder {
    /// The documents in order, fetched while they are read; the caller closes the cursor.
    ///
    /// @param batchSize documents per round trip
    /// @throws MongoException if MongoDB refuses the query or cannot be reached, also from the cursor
    MongoCursor<RawBsonDocument> find(FindQuery query, int batchSize);

    /// This one, except for queries in a session: shared or cached results do not apply there.
    default Finder outsideSessions(Finder inSession) {
        return (query, batchSize) -> (query.settings().session().isPresent() ? inSession : this).find(query, batchSize);
    }
}
