package org.restheart.mongo.schema;

import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/// A text for each value of JSON: equal values have equal texts, whatever the order of members and the
/// spelling of numbers. Maps by text stay fast when hashes are equal, since texts have an order.
final class CanonicalJson {
    private CanonicalJson() {}

    static String of(JsonNode value) {
        var out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(JsonNode value, StringBuilder out) {
        if (value.isObject()) {
            var members = new TreeMap<String, JsonNode>();
            value.properties().forEach(member -> members.put(member.getKey(), member.getValue()));
            out.append('{');
            members.forEach((name, member) -> {
                text(name, out);
                write(member, out);
            });
            out.append('}');
        } else if (value.isArray()) {
            out.append('[');
            value.forEach(element -> write(element, out));
            out.append(']');
        } else if (value.isNumber()) {
            var number = value.decimalValue().stripTrailingZeros();
            out.append('n')
                    .append(number.unscaledValue())
                    .append('e')
                    .append(number.scale())
                    .append(',');
        } else if (value.isString()) {
            text(value.stringValue(), out);
        } else {
            out.append(value);
        }
    }

    /// With its length, so that it ends where it ends.
    private static void text(String text, StringBuilder out) {
        out.append('"').append(text.length()).append(':').append(text);
    }
}
