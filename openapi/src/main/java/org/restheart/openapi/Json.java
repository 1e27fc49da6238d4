package org.restheart.openapi;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;

import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;

/// Factories of JSON Schemas and of parts of OpenAPI documents.
final class Json {
    /// Characters of an escaped one.
    private static final int ESCAPE = 6;

    private Json() {}

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

    /// A reference to a component.
    static BsonDocument schema(String component) {
        return reference("schemas", component);
    }

    /// The name of the component to which a schema refers; empty for one that is no reference.
    static Optional<String> component(BsonDocument schema) {
        return schema.get("$ref") instanceof BsonString reference
                ? Optional.of(
                        reference.getValue().substring(reference.getValue().lastIndexOf('/') + 1))
                : Optional.empty();
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

    /// JSON as YAML 1.2: strings and scalars in JSON syntax, which YAML includes.
    static String yaml(BsonDocument document) {
        var out = new StringBuilder();
        members(document, 0, out);
        return out.toString();
    }

    private static void members(BsonDocument object, int depth, StringBuilder out) {
        object.forEach((name, value) -> {
            out.append("  ".repeat(depth)).append(scalar(new BsonString(name))).append(':');
            yaml(value, depth + 1, out);
        });
    }

    private static void yaml(BsonValue value, int depth, StringBuilder out) {
        if (value instanceof BsonDocument inner && !inner.isEmpty()) {
            out.append('\n');
            members(inner, depth, out);
        } else if (value instanceof BsonArray array && !array.isEmpty()) {
            out.append('\n');
            for (var element : array) {
                out.append("  ".repeat(depth)).append('-');
                yaml(element, depth + 1, out);
            }
        } else {
            out.append(' ').append(scalar(value)).append('\n');
        }
    }

    private static String scalar(BsonValue value) {
        return JsonEncoder.of(JsonMode.DEFAULT).encodeToString(value);
    }
}
