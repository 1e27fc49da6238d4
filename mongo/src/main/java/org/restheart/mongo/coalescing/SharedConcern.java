package org.restheart.mongo.coalescing;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoWriteConcernException;

/// A write concern is that of the whole command: when it is not satisfied, everybody aboard is told that, and nothing
/// of what MongoDB says about the documents of the others.
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
