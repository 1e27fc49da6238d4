package org.restheart.mcp;

import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonWeight;
import org.restheart.http.Body;
import org.restheart.http.ContentTrees;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/// Parses strict JSON (RFC 8259) to a tree. Extended JSON is not interpreted, so that it can be passed on unchanged.
final class PlainJson {
    /// The nesting limit of the REST API plus the levels of the enclosing request.
    private static final int MAX_DEPTH = 110;

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(10_000)
                    .maxNumberLength(1_000)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private PlainJson() {}

    /// @throws RpcError for malformed JSON, duplicate names, or nesting that is too deep
    /// @throws org.restheart.http.ProblemException 413, 503, see [ContentTrees]
    static BsonValue parse(Body body) {
        var utf8 = body.bytes();
        ContentTrees.admit(body, JsonWeight.values(utf8));
        try (var parser = JSON.createParser(ObjectReadContext.empty(), utf8)) {
            if (parser.nextToken() == null) {
                throw unreadable("there is no content");
            }
            var value = value(parser);
            if (parser.nextToken() != null) {
                throw unreadable("something follows the JSON value");
            }
            return value;
        } catch (JacksonException e) {
            var at = e.getLocation();
            throw unreadable(at == null ? "it is not JSON" : "it is not JSON near byte " + at.getByteOffset());
        }
    }

    private static RpcError unreadable(String why) {
        return RpcError.of(400, RpcError.UNREADABLE, "the content cannot be read: " + why);
    }

    private static BsonValue value(JsonParser parser) {
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> {
                var array = new BsonArray();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    array.add(value(parser));
                }
                yield array;
            }
            case VALUE_STRING -> new BsonString(text(parser.getString()));
            case VALUE_NUMBER_INT ->
                switch (parser.getNumberType()) {
                    case INT -> new BsonInt32(parser.getIntValue());
                    case LONG -> new BsonInt64(parser.getLongValue());
                    default -> number(parser);
                };
            case VALUE_NUMBER_FLOAT -> number(parser);
            case VALUE_TRUE -> BsonBoolean.TRUE;
            case VALUE_FALSE -> BsonBoolean.FALSE;
            case VALUE_NULL -> BsonNull.VALUE;
            default -> throw unreadable("it is cut off");
        };
    }

    private static BsonDocument object(JsonParser parser) {
        var object = new BsonDocument();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            var name = text(parser.currentName());
            if (name.indexOf('\0') >= 0) {
                throw unreadable("a name contains U+0000");
            }
            parser.nextToken();
            object.append(name, value(parser));
        }
        return object;
    }

    private static BsonDouble number(JsonParser parser) {
        double number = parser.getDoubleValue();
        if (!Double.isFinite(number)) {
            throw unreadable("a number is out of range");
        }
        return new BsonDouble(number);
    }

    private static String text(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (!Character.isHighSurrogate(text.charAt(i))
                        || i + 1 == text.length()
                        || !Character.isLowSurrogate(text.charAt(i + 1))) {
                    throw unreadable("a text contains half a surrogate pair");
                }
                i++;
            }
        }
        return text;
    }
}
