package org.restheart.mongo.find;

import java.util.Optional;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Finds single documents by id, now or together with others. Thread-safe.
@FunctionalInterface
public interface Lookups {
    /// @param request says whether the read may wait for MongoDB here
    /// @param plain whether ids in the collection compare as bytes do
    /// @param answer makes the response; called once, on whichever thread learns the outcome, which it does
    ///     not block
    /// @throws com.mongodb.MongoException if MongoDB refuses the question or cannot be asked; a deferred response
    ///     fails with it
    Response one(
            Request request,
            boolean plain,
            DocumentQuery query,
            Function<Optional<RawBsonDocument>, Response.Ready> answer);

    /// These, except for what runs in a session.
    default Lookups outsideSessions(Documents documents) {
        var alone = alone(documents);
        return (request, plain, query, answer) -> {
            var lookups = query.settings().session().isPresent() ? alone : this;
            return lookups.one(request, plain, query, answer);
        };
    }

    /// Each read in a command of its own.
    static Lookups alone(Documents documents) {
        return (request, _, query, answer) -> {
            request.requireThread();
            return answer.apply(documents.one(query));
        };
    }
}
