package org.restheart.openapi;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;

/// Writes JSON values as YAML 1.2: strings and scalars in JSON syntax, which YAML includes.
final class YamlWriter {
    private final StringBuilder out = new StringBuilder();

    private YamlWriter() {}

    static String of(BsonDocument document) {
        var yaml = new YamlWriter();
        yaml.object(document, 0);
        return yaml.out.toString();
    }

    private void object(BsonDocument object, int depth) {
        object.forEach((name, value) -> {
            out.append("  ".repeat(depth)).append(scalar(new BsonString(name))).append(':');
            value(value, depth + 1);
        });
    }

    private void value(BsonValue value, int depth) {
        if (value instanceof BsonDocument inner && !inner.isEmpty()) {
            out.append('\n');
            object(inner, depth);
        } else if (value instanceof BsonArray array && !array.isEmpty()) {
            out.append('\n');
            for (var element : array) {
                out.append("  ".repeat(depth)).append('-');
                value(element, depth + 1);
            }
        } else {
            out.append(' ').append(scalar(value)).append('\n');
        }
    }

    private static String scalar(BsonValue value) {
        return JsonEncoder.of(JsonMode.DEFAULT).encodeToString(value);
    }
}
