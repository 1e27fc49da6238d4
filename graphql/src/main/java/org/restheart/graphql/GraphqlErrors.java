package org.restheart.graphql;

import graphql.ErrorType;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Problem;

/// Results with a single error.
final class GraphqlErrors {
    private GraphqlErrors() {}

    static QueryOutcome outcome(int status, String message, ErrorType type) {
        return outcome(status, body(message, type));
    }

    /// @param hint what to do instead, beside the message, which clients know
    static QueryOutcome outcome(int status, String message, ErrorType type, String hint) {
        var body = body(message, type);
        body.getArray("errors")
                .getFirst()
                .asDocument()
                .getDocument("extensions")
                .append("hint", new BsonString(hint));
        return outcome(status, body);
    }

    private static QueryOutcome outcome(int status, BsonDocument body) {
        var out = new Utf8Buffer();
        JsonEncoder.of(JsonMode.DEFAULT).encode(body, out);
        return new QueryOutcome(status, out.toByteArray());
    }

    static QueryOutcome unavailable(Problem problem) {
        return outcome(
                500,
                "Unable to establish a connection to the database: " + problem.message(),
                ErrorType.ExecutionAborted);
    }

    static BsonDocument body(String message, ErrorType type) {
        return new BsonDocument("errors", new BsonArray(List.of(error(message, type))));
    }

    static BsonDocument error(String message, ErrorType type) {
        return new BsonDocument("message", new BsonString(message))
                .append("locations", new BsonArray())
                .append("extensions", new BsonDocument("classification", new BsonString(type.name())));
    }
}
