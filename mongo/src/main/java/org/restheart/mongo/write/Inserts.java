package org.restheart.mongo.write;

import java.util.function.Function;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Inserts single documents. Thread-safe.
@FunctionalInterface
public interface Inserts {
    /// Inserts, separately or coalesced.
    ///
    /// @param request determines whether the insert may block here
    /// @param answer builds the response; called once, on the thread that completes the outcome, which it must
    ///     not block
    /// @throws com.mongodb.MongoException if the outcome is unknown, or applies to more than this document; a
    ///     deferred response fails with it
    Response insert(Request request, Insert insert, Function<InsertOutcome, Response.Ready> answer);
}
