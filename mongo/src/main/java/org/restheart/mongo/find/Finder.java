package org.restheart.mongo.find;

import com.mongodb.MongoException;
import com.mongodb.client.MongoCursor;
import java.util.List;
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

    /// The names of all top-level fields that the documents have, `_id` first, the others in the order they
    /// mostly stand in.
    ///
    /// @param limit at most so many
    /// @throws MongoException as [#one]
    List<String> fields(FindQuery query, int limit);

    /// @throws MongoException as [#one]
    long count(CountQuery query);
}
