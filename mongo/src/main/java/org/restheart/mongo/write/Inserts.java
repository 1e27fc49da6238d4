package org.restheart.mongo.write;

import com.mongodb.MongoBulkWriteException;
import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import java.util.List;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Inserts documents: a single one, or those of an array, each of which is tried, in no order. Thread-safe.
@FunctionalInterface
public interface Inserts {
    /// Documents of one request to insert and where. Immutable.
    ///
    /// @param documents at least one, each with its `_id` and at most as large as MongoDB takes
    record Insert(MongoNamespace namespace, WriteConcern writeConcern, List<RawBsonDocument> documents) {
        public Insert {
            documents = List.copyOf(documents);
        }
    }

    /// Inserts, separately or coalesced with other requests.
    ///
    /// @param request determines whether the insert may block here
    /// @param answer builds the response from MongoDB's errors, each with its position in the request's
    ///     documents; all others were inserted. Called once, on the thread that completes the outcome, which it
    ///     must not block
    /// @throws com.mongodb.MongoException if the outcome is unknown, or applies to more than single documents;
    ///     a deferred response fails with it
    Response insert(Request request, Insert insert, Function<List<BulkWriteError>, Response.Ready> answer);

    /// The documents of each request in separate commands, each of which waits for a limited time.
    static Inserts limited(TimeLimitedWrites limited) {
        return limited(limited, false);
    }

    /// The same in the order of the documents: those behind the first that fails are not inserted.
    static Inserts inOrder(TimeLimitedWrites limited) {
        return limited(limited, true);
    }

    private static Inserts limited(TimeLimitedWrites limited, boolean ordered) {
        return (request, insert, answer) -> {
            request.requireThread();
            return answer.apply(limited.insert(insert.namespace(), insert.writeConcern(), insert.documents(), ordered));
        };
    }

    /// The same error of the document at another position.
    static BulkWriteError at(int position, BulkWriteError error) {
        return new BulkWriteError(error.getCode(), error.getMessage(), error.getDetails(), position);
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
