package org.restheart.mongo.write;

import java.util.function.Function;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Where writes of single documents go, one kind each. Thread-safe.
///
/// @param <O> the outcome
@FunctionalInterface
public interface DocumentWrites<O> {
    /// Carries out a write, now or with others.
    ///
    /// @param request says whether the write may wait for MongoDB here
    /// @param plain whether the collection is one: no view, no time series
    /// @param answer makes the response; called once, on whichever thread learns the outcome, which it does not
    ///     block
    /// @throws com.mongodb.MongoException if MongoDB refuses the write or its outcome is not known; a
    ///     deferred response fails with it
    Response write(Request request, boolean plain, DocumentWrite<O> write, Function<O, Response.Ready> answer);

    /// Each in a command of its own.
    static <O> DocumentWrites<O> alone() {
        return (request, _, write, answer) -> {
            request.requireThread();
            return answer.apply(write.alone());
        };
    }
}
