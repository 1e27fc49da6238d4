package org.restheart.mongo.write;

import java.util.function.Function;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Executes writes of single documents of one kind. Thread-safe.
///
/// @param <O> the outcome
@FunctionalInterface
public interface DocumentWrites<O> {
    /// Executes a write, separately or coalesced.
    ///
    /// @param request determines whether the write may block here
    /// @param plain as `ResourceMetadata.plain` of the collection
    /// @param answer builds the response; called once, on the thread that completes the outcome, which it must
    ///     not block
    /// @throws com.mongodb.MongoException if MongoDB refuses the write or its outcome is unknown; a deferred
    ///     response fails with it
    Response write(Request request, boolean plain, DocumentWrite<O> write, Function<O, Response.Ready> answer);

    /// Each in a separate command.
    static <O> DocumentWrites<O> uncoalesced() {
        return (request, _, write, answer) -> {
            request.requireThread();
            return answer.apply(write.uncoalesced());
        };
    }
}
