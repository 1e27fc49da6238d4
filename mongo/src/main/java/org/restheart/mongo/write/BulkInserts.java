package org.restheart.mongo.write;

import com.mongodb.bulk.BulkWriteError;
import java.util.List;
import java.util.function.Function;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Inserts the documents of an array, each of which is tried, in no order. Thread-safe.
@FunctionalInterface
public interface BulkInserts {
    /// Inserts, separately or coalesced with other requests.
    ///
    /// @param request determines whether the insert may block here
    /// @param answer builds the response from MongoDB's errors, each with its position in the request's
    ///     documents; all others were inserted. Called once, as in [Inserts]
    /// @throws com.mongodb.MongoException if the outcome is unknown, or applies to more than single documents;
    ///     a deferred response fails with it
    Response insert(Request request, BulkInsert insert, Function<List<BulkWriteError>, Response.Ready> answer);
}
