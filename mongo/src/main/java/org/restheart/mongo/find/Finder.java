package org.restheart.mongo.find;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCursor;
import java.util.function.UnaryOperator;
import org.bson.RawBsonDocument;
import org.restheart.http.Lease;

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

    /// What a read of documents may use.
    ///
    /// @param lease owns its memory
    /// @param isShared whether it is for several requests
    /// @param change of the finder that is used
    record Use(Lease lease, boolean isShared, UnaryOperator<Finder> change) {
        /// For one request, with any finder.
        public static Use alone(Lease lease) {
            return new Use(lease, false, UnaryOperator.identity());
        }
    }
}
