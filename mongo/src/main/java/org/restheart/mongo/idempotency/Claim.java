package org.restheart.mongo.idempotency;

import org.bson.BsonBinary;
import org.bson.types.ObjectId;
import org.restheart.http.Response;

/// The result of claiming a request.
sealed interface Claim {
    /// This attempt executes the request.
    ///
    /// @param owner identifies this attempt
    record Granted(BsonBinary id, ObjectId owner, ObjectId etag) implements Claim {}

    /// The request has been executed.
    record Done(Response.Ready answer) implements Claim {}

    /// Another attempt is executing the request.
    record Running() implements Claim {}

    /// The key was used for another request.
    record Different() implements Claim {}
}
