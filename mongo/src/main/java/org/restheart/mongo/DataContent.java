package org.restheart.mongo;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TYPE_UNSUPPORTED;

import java.util.Locale;
import org.bson.BsonDocument;
import org.bson.BsonType;
import org.bson.BsonValue;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.mongo.resource.ResourcePath;

/// Reads the content of a request that carries documents or properties.
final class DataContent {
    private DataContent() {}

    /// A document or an array of documents; an empty document for no content.
    ///
    /// @throws ProblemException 400 for what is not JSON or has the wrong shape, 415 for another media type
    static BsonValue parse(Request request, ResourcePath path) {
        requireJson(request);
        if (request.body().isEmpty()) {
            return new BsonDocument();
        }
        BsonValue value;
        try {
            value = JsonParser.parse(request.body().bytes());
        } catch (MalformedJsonException e) {
            throw Problem.of(CONTENT_INVALID, "Invalid JSON. " + e.getMessage()).raise();
        }
        if (value.isDocument()) {
            checkId(value.asDocument());
        } else if (value.isArray()) {
            for (var element : value.asArray()) {
                if (!element.isDocument()) {
                    throw Problem.of(
                                    CONTENT_INVALID,
                                    "request data must be either an json object or an array of objects")
                            .raise();
                }
                checkId(element.asDocument());
            }
        } else {
            throw Problem.of(
                            CONTENT_INVALID,
                            "request data must be either a json object or an array, got " + value.getBsonType())
                    .raise();
        }
        return value;
    }

    private static void requireJson(Request request) {
        var type = request.headers().first("Content-Type").map(t -> t.toLowerCase(Locale.ROOT));
        if (type.isPresent()
                && !type.get().startsWith("application/json")
                && !type.get().startsWith("application/hal+json")) {
            throw Problem.of(
                            CONTENT_TYPE_UNSUPPORTED,
                            "Content-Type must be either: application/json or application/hal+json")
                    .raise();
        }
    }

    private static void checkId(BsonDocument document) {
        var id = document.get("_id");
        if (id != null && id.getBsonType() == BsonType.ARRAY) {
            throw Problem.of(CONTENT_INVALID, "the type of _id in request data is not supported: ARRAY")
                    .raise();
        }
    }
}
