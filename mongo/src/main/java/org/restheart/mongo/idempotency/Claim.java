package org.restheart.mongo.idempotency;

import org.bson.BsonBinary;
import org.bson.types.ObjectId;
import org.restheart.http.Response;

/// What became of a claim to carry a request out.
sealed interface Claim {
    /// This request carries it out.
    ///
    /// @param owner names this attempt
    record Granted(BsonBinary id, ObjectId owner, ObjectId etag) implements Claim {}

    /// It has been carried out.
    record Done(Response.Ready answer) implements Claim {}

    /// Another request is carrying it out.
    record Running() implements Claim {}

    /// The key belongs to another request.
    record Different() implements Claim {}
}
