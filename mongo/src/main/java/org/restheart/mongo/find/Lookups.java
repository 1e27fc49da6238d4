package org.restheart.mongo.find;

import java.util.Optional;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Finds single documents by id, separately or coalesced. Thread-safe.
@FunctionalInterface
public interface Lookups {
    /// @param request determines whether the read may block here
    /// @param plain as `ResourceMetadata.plain` of the collection
    /// @param answer builds the response; called once, on the thread that completes the outcome, which it must
    ///     not block
    /// @throws com.mongodb.MongoException if MongoDB refuses the query or cannot be reached; a deferred
    ///     response fails with it
    Response one(
            Request request,
            boolean plain,
            DocumentQuery query,
            Function<Optional<RawBsonDocument>, Response.Ready> answer);
}
