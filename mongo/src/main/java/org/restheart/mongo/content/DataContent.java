package org.restheart.mongo.content;

import static org.restheart.http.ProblemCode.CONTENT_TYPE_UNSUPPORTED;
import static org.restheart.mongo.content.Refusals.invalid;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.bson.RawDocuments;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;

/// Reads the content of a request that carries documents or properties: JSON, JSON lines or a form.
public final class DataContent {
    private DataContent() {}

    /// A document or an array of documents; an empty document for no content.
    ///
    /// @throws ProblemException 400 for malformed content or another structure, 415 for another media type
    public static BsonValue parse(Request request) {
        var mediaType = request.headers().first("Content-Type").orElse("application/json");
        var name = mediaType.toLowerCase(Locale.ROOT);
        var body = request.body();
        if (name.startsWith("application/x-www-form-urlencoded")) {
            return checkIds(Form.urlEncoded(body));
        }
        if (name.startsWith("multipart/form-data")) {
            return checkIds(Form.multipart(mediaType, body));
        }
        if (name.startsWith("application/json") || name.startsWith("application/hal+json")) {
            return body.isEmpty() ? new BsonDocument() : checkIds(json(body.bytes()));
        }
        if (name.startsWith("application/x-ndjson") && request.method() == Method.POST) {
            return checkIds(lines(body.bytes()));
        }
        throw Problem.of(
                        CONTENT_TYPE_UNSUPPORTED,
                        "Content-Type must be either: application/json or application/hal+json")
                .raise();
    }

    private static BsonValue json(byte[] text) {
        try {
            return JsonParser.parse(text);
        } catch (MalformedJsonException e) {
            throw invalid("Invalid JSON. " + e.getMessage());
        }
    }

    /// A document in each line that is not blank, as an array.
    private static BsonArray lines(byte[] text) {
        var documents = new BsonArray();
        int line = 1;
        for (int start = 0; start < text.length; line++) {
            int end = start;
            boolean blank = true;
            for (; end < text.length && text[end] != '\n'; end++) {
                blank &= text[end] <= ' ' && text[end] >= 0;
            }
            if (!blank) {
                try {
                    documents.add(JsonParser.parse(Arrays.copyOfRange(text, start, end)));
                } catch (MalformedJsonException e) {
                    throw invalid("Invalid JSON in line " + line + ". " + e.getMessage());
                }
            }
            start = end + 1;
        }
        return documents;
    }

    /// @throws ProblemException 400 for a value that is not a document, or has an array as its id
    public static BsonValue checkIds(BsonValue content) {
        if (content.isDocument()) {
            checkId(content.asDocument());
        } else if (content.isArray()) {
            for (var element : content.asArray()) {
                if (!element.isDocument()) {
                    throw invalid("request data must be either an json object or an array of objects");
                }
                checkId(element.asDocument());
            }
        } else {
            throw invalid("request data must be either a json object or an array, got " + content.getBsonType());
        }
        return content;
    }

    private static void checkId(BsonDocument document) {
        var id = document instanceof RawBsonDocument raw
                ? RawDocuments.get(raw, "_id")
                : Optional.ofNullable(document.get("_id"));
        if (id.filter(BsonValue::isArray).isPresent()) {
            throw invalid("the type of _id in request data is not supported: ARRAY");
        }
    }
}
