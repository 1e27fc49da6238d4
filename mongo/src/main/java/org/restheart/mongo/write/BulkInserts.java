package org.restheart.mongo.write;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoCluster;
import com.mongodb.client.model.InsertManyOptions;
import java.util.List;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Inserts the documents of an array, each of which is tried, in no order. Thread-safe.
@FunctionalInterface
public interface BulkInserts {
    /// Documents of one request to insert and where. Immutable.
    ///
    /// @param documents at least one, each with its `_id` and at most as large as MongoDB takes
    record BulkInsert(MongoNamespace namespace, WriteConcern writeConcern, List<RawBsonDocument> documents) {
        public BulkInsert {
            documents = List.copyOf(documents);
        }
    }

    /// Inserts, separately or coalesced with other requests.
    ///
    /// @param request determines whether the insert may block here
    /// @param answer builds the response from MongoDB's errors, each with its position in the request's
    ///     documents; all others were inserted. Called once, as in [Inserts]
    /// @throws com.mongodb.MongoException if the outcome is unknown, or applies to more than single documents;
    ///     a deferred response fails with it
    Response insert(Request request, BulkInsert insert, Function<List<BulkWriteError>, Response.Ready> answer);

    /// The documents of each request in a separate command.
    static BulkInserts alone(MongoCluster client) {
        return (request, insert, answer) -> {
            request.requireThread();
            return answer.apply(insertMany(client, insert));
        };
    }

    /// The same, but each waits for a limited time.
    static BulkInserts limited(LimitedWrites limited) {
        return limited(limited, false);
    }

    /// The same in the order of the documents: those behind the first that fails are not inserted.
    static BulkInserts inOrder(LimitedWrites limited) {
        return limited(limited, true);
    }

    private static BulkInserts limited(LimitedWrites limited, boolean ordered) {
        return (request, insert, answer) -> {
            request.requireThread();
            return answer.apply(limited.insert(insert.namespace(), insert.writeConcern(), insert.documents(), ordered));
        };
    }

    private static List<BulkWriteError> errorsOf(Runnable insertion) {
        try {
            insertion.run();
            return List.of();
        } catch (MongoBulkWriteException e) {
            return errors(e);
        }
    }

    private static List<BulkWriteError> insertMany(MongoCluster client, BulkInsert insert) {
        return errorsOf(() -> client.getDatabase(insert.namespace().getDatabaseName())
                .getCollection(insert.namespace().getCollectionName(), RawBsonDocument.class)
                .withWriteConcern(insert.writeConcern())
                .insertMany(insert.documents(), new InsertManyOptions().ordered(false)));
    }

    /// The errors of refused documents.
    ///
    /// @throws MongoBulkWriteException the same one, if more failed than single documents
    static List<BulkWriteError> errors(MongoBulkWriteException e) {
        if (e.getWriteErrors().isEmpty() || e.getWriteConcernError() != null) {
            throw e;
        }
        return e.getWriteErrors();
    }
}
