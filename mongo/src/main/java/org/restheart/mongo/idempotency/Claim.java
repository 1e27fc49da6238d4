package org.restheart.mongo.idempotency;

import java.util.Optional;
import org.bson.BsonBinary;
import org.bson.types.ObjectId;
import org.restheart.http.Response;
import org.restheart.http.judged.DataWrite;

/// The result of claiming a request.
sealed interface Claim {
    /// This attempt executes the request.
    ///
    /// @param owner identifies this attempt
    record Granted(BsonBinary id, ObjectId owner, ObjectId etag) implements Claim {}

    /// The request has been executed.
    ///
    /// @param report for the service that made the request
    record Done(Response.Ready answer, Optional<DataWrite.Report> report) implements Claim {}

    /// Another attempt is executing the request.
    record Running() implements Claim {}

    /// The key was used for another request.
    record Different() implements Claim {}
}
