package org.restheart.rest.content;

import static org.restheart.rest.content.DataContent.invalid;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Body;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;

/// Converts a form to a document with a field for each name and the first value of a repeated one. A value that is JSON
/// is parsed, any other is a string.
public final class Form {
    static final int MAX_FIELDS = 10_000;

    private Form() {}

    /// `application/x-www-form-urlencoded` (WHATWG URL standard, 5.1).
    ///
    /// @throws org.restheart.http.ProblemException 400; 415 for JSON that is declared to be a form, as curl does
    static BsonDocument urlEncoded(Body body) {
        var text = text(body.bytes());
        refuseJson(text);
        refuseLines(text);
        var fields = Query.parse(text, MAX_FIELDS);
        if (fields.names().size() == 1
                && fields.names().stream()
                        .allMatch(name -> fields.first(name).orElse("").isEmpty())) {
            fields.names().forEach(Form::refuseJson);
        }
        var document = new BsonDocument();
        for (var name : fields.names()) {
            document.put(name, value(fields.first(name).orElse("")));
        }
        return document;
    }

    /// `multipart/form-data` (RFC 7578); files are left out, unless they are JSON.
    ///
    /// @param mediaType with its boundary
    static BsonDocument multipart(String mediaType, Body body) {
        var document = new BsonDocument();
        for (var part : Multipart.parse(mediaType, body.bytes(), MAX_FIELDS)) {
            var name = part.head().name();
            if (part.head().isValue() && !document.containsKey(name)) {
                document.put(name, value(text(part.content())));
            }
        }
        return document;
    }

    /// Forms percent-encode braces, so that nothing but JSON begins with one.
    private static void refuseJson(String text) {
        var begin = text.stripLeading();
        if (begin.startsWith("{") || begin.startsWith("[")) {
            throw new ProblemException(
                    ProblemCode.CONTENT_TYPE_UNSUPPORTED,
                    "the content looks like JSON but is declared to be a form;"
                            + " send it with the header Content-Type: application/json");
        }
    }

    /// Forms percent-encode line ends, so that a first line without a name and value is that of another format.
    private static void refuseLines(String text) {
        var content = text.strip();
        int end = content.indexOf('\n');
        if (end >= 0 && content.lastIndexOf('=', end) < 0) {
            throw new ProblemException(
                    ProblemCode.CONTENT_TYPE_UNSUPPORTED,
                    "the content has several lines but is declared to be a form; send it with the header"
                            + " Content-Type that it has, such as text/csv");
        }
    }

    private static BsonValue value(String text) {
        boolean isMeantAsJson = text.startsWith("{") || text.startsWith("[");
        try {
            var value = JsonParser.parseOne(text);
            if (value.isEmpty() && isMeantAsJson) {
                throw invalid("Invalid JSON. There are several values.");
            }
            return value.orElseGet(() -> new BsonString(text));
        } catch (MalformedJsonException e) {
            if (isMeantAsJson) {
                throw invalid("Invalid JSON. " + e.getMessage());
            }
            return new BsonString(text);
        }
    }

    /// A cell of a CSV file: the value, if the whole text is one JSON value, which `10 Downing Street` is not.
    /// Documents and arrays stay bytes.
    public static BsonValue cell(String text) {
        try {
            return JsonParser.parseOne(text).orElseGet(() -> new BsonString(text));
        } catch (MalformedJsonException _) {
            return new BsonString(text);
        }
    }

    private static String text(byte[] utf8) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString();
        } catch (CharacterCodingException _) {
            throw invalid("form data is not UTF-8");
        }
    }
}
