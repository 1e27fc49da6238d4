package org.restheart.mongo.content;

import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.fields.FieldPath;

/// Dotted paths of fields, as update operators name them.
final class Paths {
    private Paths() {}

    /// Whether changing one could change the other: one contains the other, or they are the same.
    static boolean overlap(String a, String b) {
        return FieldPath.of(a).overlaps(FieldPath.of(b));
    }

    /// Whether `path` is `ancestor` or inside it.
    static boolean within(String path, String ancestor) {
        return path.equals(ancestor) || path.startsWith(ancestor + ".");
    }

    /// Whether one entry of an operator's document could change `path`; for `$rename` also its target.
    static boolean touches(String operator, Map.Entry<String, BsonValue> entry, String path) {
        return overlap(entry.getKey(), path)
                || (operator.equals(UpdateOperators.RENAME)
                        && entry.getValue().isString()
                        && overlap(entry.getValue().asString().getValue(), path));
    }

    /// Sets a value at a path, replacing other values on the path by documents.
    ///
    /// @param document changed
    static void put(BsonDocument document, String path, BsonValue value) {
        var names = FieldPath.steps(path);
        var at = document;
        for (var name : names.subList(0, names.size() - 1)) {
            var child = at.get(name);
            var next = child != null && child.isDocument() ? Copies.shallow(child.asDocument()) : new BsonDocument();
            at.put(name, next);
            at = next;
        }
        at.put(names.getLast(), value);
    }
}
