package org.restheart.mongo.write;

import java.util.function.Function;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Where new documents go, one at a time. Thread-safe.
@FunctionalInterface
public interface Inserts {
    /// Inserts, now or with others.
    ///
    /// @param request says whether the insert may wait for MongoDB here
    /// @param answer makes the response; called once, on whichever thread learns the outcome, which it does not
    ///     block
    /// @throws com.mongodb.MongoException if the outcome is not known, or applies to more than this document; a
    ///     deferred response fails with it
    Response insert(Request request, Insert insert, Function<InsertOutcome, Response.Ready> answer);
}
