package org.restheart.mongo.coalescing;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoWriteConcernException;

/// A write concern applies to the whole command: when it is not satisfied, all its requests fail with that error,
/// without MongoDB's messages about documents of other requests.
final class SharedConcern {
    private SharedConcern() {}

    /// @throws MongoWriteConcernException if the write concern was not satisfied
    static void require(MongoBulkWriteException e) {
        var unsatisfied = e.getWriteConcernError();
        if (unsatisfied != null) {
            throw new MongoWriteConcernException(unsatisfied, null, e.getServerAddress(), e.getErrorLabels());
        }
    }
}
