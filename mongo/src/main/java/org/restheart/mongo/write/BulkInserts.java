package org.restheart.mongo.write;

import com.mongodb.bulk.BulkWriteError;
import java.util.List;
import java.util.function.Function;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Where the documents of an array go: each is tried, in no order. Thread-safe.
@FunctionalInterface
public interface BulkInserts {
    /// Inserts, now or together with other requests' documents.
    ///
    /// @param request says whether the insert may wait for MongoDB here
    /// @param answer makes the response of what MongoDB refused, each error with its position in the request's
    ///     documents; all others were inserted. Called once, as in [Inserts]
    /// @throws com.mongodb.MongoException if the outcome is not known, or applies to more than single documents; a
    ///     deferred response fails with it
    Response insert(Request request, BulkInsert insert, Function<List<BulkWriteError>, Response.Ready> answer);
}
