package org.restheart.mongo.find;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCursor;
import java.util.Optional;
import org.bson.RawBsonDocument;

/// Answers questions about a collection's documents. Waits for MongoDB. Thread-safe.
public interface Finder {
    /// @throws MongoException if MongoDB refuses the question or cannot be asked
    Optional<RawBsonDocument> one(DocumentQuery query);

    /// The documents in order, fetched while they are read; the caller closes the cursor.
    ///
    /// @param batchSize documents per round trip
    /// @throws MongoException as [#one], also from the cursor
    MongoCursor<RawBsonDocument> find(FindQuery query, int batchSize);

    /// @throws MongoException as [#one]
    long count(CountQuery query);
}
