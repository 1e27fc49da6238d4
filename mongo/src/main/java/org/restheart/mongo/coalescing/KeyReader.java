package org.restheart.mongo.coalescing;

import java.util.List;
import java.util.Optional;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.http.Lease;

/// Reads documents by keys, in one shape. Thread-safe; may block.
public interface KeyReader {
    /// Documents that one command finds at most, so that more keys are not combined.
    int MAX_DOCUMENTS = 10_000;

    /// The documents of each list by one command. Empty if this does not tell them, or finds too many.
    ///
    /// @param lease holds what is read until it is closed
    Optional<List<List<RawBsonDocument>>> together(List<List<BsonValue>> keys, Lease lease);

    /// The same in any case, at a higher price.
    List<List<RawBsonDocument>> apart(List<List<BsonValue>> keys, Lease lease);

    /// The documents of one read.
    default List<List<RawBsonDocument>> all(List<List<BsonValue>> keys, Lease lease) {
        return together(keys, lease).orElseGet(() -> apart(keys, lease));
    }
}
