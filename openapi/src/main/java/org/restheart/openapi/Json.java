package org.restheart.openapi;

import java.util.Collection;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonString;
import org.bson.BsonValue;

/// Factories of JSON values.
final class Json {
    /// Characters of an escaped one.
    private static final int ESCAPE = 6;

    private Json() {}

    /// @param namesAndValues name, value, name, value …
    static BsonDocument object(Object... namesAndValues) {
        var object = new BsonDocument();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.append((String) namesAndValues[i], value(namesAndValues[i + 1]));
        }
        return object;
    }

    static BsonArray array(Object... values) {
        var array = new BsonArray();
        for (var value : values) {
            array.add(value(value));
        }
        return array;
    }

    static BsonValue value(Object value) {
        return switch (value) {
            case BsonValue bson -> bson;
            case String text -> new BsonString(text);
            case Integer number -> new BsonInt32(number);
            case Long number -> new BsonInt64(number);
            case Double number -> new BsonDouble(number);
            case Boolean flag -> BsonBoolean.valueOf(flag);
            case Collection<?> values -> array(values.toArray());
            default -> throw new IllegalArgumentException(value.getClass().getName());
        };
    }

    static BsonDocument type(String name) {
        return object("type", name);
    }

    static BsonDocument list(BsonDocument items) {
        return object("type", "array", "items", items);
    }

    /// The schema of objects.
    ///
    /// @param required names of the members that all have
    static BsonDocument members(BsonDocument properties, String... required) {
        var schema = object("type", "object", "properties", properties);
        return required.length == 0 ? schema : schema.append("required", array((Object[]) required));
    }

    /// Content of one media type.
    static BsonDocument content(String mediaType, BsonDocument schema) {
        return object(mediaType, object("schema", schema));
    }

    static BsonDocument schema(String component) {
        return object("$ref", "#/components/schemas/" + component);
    }

    static BsonDocument reference(String section, String component) {
        return object("$ref", "#/components/" + section + "/" + component);
    }

    /// JSON with characters beyond U+FFFF as themselves, which encoders of JSON write as two halves: YAML, as which
    /// many tools read JSON, has no halves.
    static String withoutHalves(String json) {
        int at = json.indexOf('\\');
        if (at < 0) {
            return json;
        }
        var text = new StringBuilder(json.length()).append(json, 0, at);
        while (at < json.length()) {
            char c = json.charAt(at);
            if (c != '\\') {
                text.append(c);
                at++;
            } else if (isHalf(json, at, true) && isHalf(json, at + ESCAPE, false)) {
                text.append((char) unit(json, at)).append((char) unit(json, at + ESCAPE));
                at += 2 * ESCAPE;
            } else {
                text.append(c).append(json.charAt(at + 1));
                at += 2;
            }
        }
        return text.toString();
    }

    private static boolean isHalf(String json, int at, boolean high) {
        if (!json.startsWith("\\u", at)) {
            return false;
        }
        char unit = (char) unit(json, at);
        return high ? Character.isHighSurrogate(unit) : Character.isLowSurrogate(unit);
    }

    private static int unit(String json, int at) {
        return Integer.parseInt(json, at + 2, at + ESCAPE, 16);
    }

    /// Stored text, escaped for viewers that interpret it as Markdown with HTML.
    static String prose(String text) {
        var cut = text.length() > 2_000 ? text.substring(0, 2_000) : text;
        return cut.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
