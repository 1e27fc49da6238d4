package org.restheart.mongo.content;

import static org.restheart.mongo.content.Refusals.invalid;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Body;
import org.restheart.http.Query;

/// Converts a form to a document with a field for each name and the first value of a repeated one. A value that is JSON
/// is parsed, any other is a string.
final class Form {
    private static final int MAX_FIELDS = 10_000;

    private Form() {}

    /// `application/x-www-form-urlencoded` (WHATWG URL standard, 5.1).
    ///
    /// @throws org.restheart.http.ProblemException 400
    static BsonDocument urlEncoded(Body body) {
        var fields = Query.parse(text(ByteBuffer.wrap(body.bytes())), MAX_FIELDS);
        var document = new BsonDocument();
        for (var name : fields.names()) {
            document.put(name, value(fields.first(name).orElse("")));
        }
        return document;
    }

    /// `multipart/form-data` (RFC 7578); files are left out.
    ///
    /// @param mediaType with its boundary
    /// @throws org.restheart.http.ProblemException 400
    static BsonDocument multipart(String mediaType, Body body) {
        var document = new BsonDocument();
        for (var part : Multipart.parse(mediaType, body.bytes(), MAX_FIELDS)) {
            if (part.fileName().isEmpty() && !document.containsKey(part.name())) {
                document.put(part.name(), value(text(part.content())));
            }
        }
        return document;
    }

    private static BsonValue value(String text) {
        if (text.isEmpty()) {
            return new BsonString("");
        }
        try {
            var json = LooseValue.json(text);
            if (json.isPresent()) {
                return json.get();
            }
        } catch (MalformedJsonException e) {
            if (text.startsWith("{") || text.startsWith("[")) {
                throw invalid("Invalid JSON. " + e.getMessage());
            }
        }
        return new BsonString(text);
    }

    private static String text(ByteBuffer utf8) {
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(utf8).toString();
        } catch (CharacterCodingException _) {
            throw invalid("form data is not UTF-8");
        }
    }
}
