package org.restheart.mongo.content;

import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// Dotted paths of fields, as update operators name them.
final class Paths {
    private Paths() {}

    private static List<String> names(String path) {
        return List.of(path.split("\\.", -1));
    }

    /// Whether changing one could change the other: one contains the other, or they are the same. Positions in
    /// arrays (`$`, `$[]`, `$[x]`) count as any name.
    static boolean overlap(String a, String b) {
        var first = names(a);
        var second = names(b);
        for (int i = 0; i < Math.min(first.size(), second.size()); i++) {
            var x = first.get(i);
            var y = second.get(i);
            if (!x.equals(y) && !x.startsWith("$") && !y.startsWith("$")) {
                return false;
            }
        }
        return true;
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

    /// Puts a value at a path, making documents on the way out of whatever is there.
    ///
    /// @param document changed
    static void put(BsonDocument document, String path, BsonValue value) {
        var names = names(path);
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
