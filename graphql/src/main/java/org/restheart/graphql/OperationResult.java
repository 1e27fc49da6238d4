package org.restheart.graphql;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;

import graphql.ErrorType;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Problem;
import org.restheart.http.Response;
import org.restheart.http.push.Subscription;

/// The result of an operation: a single one, or a stream.
sealed interface OperationResult {
    /// The result of one execution, or why there is none. Immutable by agreement.
    ///
    /// @param json an object with `data`, `errors`, or both; one line
    @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
    record QueryOutcome(int status, byte[] json) implements OperationResult {
        private static final String MEDIA_TYPE = "application/graphql-response+json";

        /// Waits for memory, unless it is an error.
        ///
        /// @param lease owns the memory of the result
        Response.Ready response(Lease lease) {
            if (json.length > Lease.SMALL) {
                lease.await(json.length);
            }
            return Response.status(status).with(MEDIA_TYPE, Content.Bytes.of(json, lease));
        }

        static QueryOutcome error(int status, String message, ErrorType type) {
            return encoded(status, errors(message, type));
        }

        /// @param hint what to do instead, beside the message, which clients know
        static QueryOutcome error(int status, String message, ErrorType type, String hint) {
            var body = errors(message, type);
            body.getArray("errors")
                    .getFirst()
                    .asDocument()
                    .getDocument("extensions")
                    .append("hint", new BsonString(hint));
            return encoded(status, body);
        }

        static QueryOutcome unavailable(Problem problem) {
            return error(
                    500,
                    "Unable to establish a connection to the database: " + problem.message(),
                    ErrorType.ExecutionAborted);
        }

        private static QueryOutcome encoded(int status, BsonDocument body) {
            var out = new Utf8Buffer();
            JsonEncoder.of(JsonMode.DEFAULT).encode(body, out);
            return new QueryOutcome(status, out.toByteArray());
        }

        /// The member `errors` with a single error.
        static BsonDocument errors(String message, ErrorType type) {
            var extensions = object("classification", type.name());
            return object("errors", array(object("message", message, "locations", array(), "extensions", extensions)));
        }
    }

    /// A subscription whose source stream is open. Either its results are taken or [#source()] is closed.
    record OpenSubscription(Subscription source, ResponseStream.Execution execution) implements OperationResult {
        /// The stream of results, which is not started.
        ResponseStream results(ResponseStream.Receiver receiver) {
            return new ResponseStream(source, execution, receiver);
        }
    }
}
