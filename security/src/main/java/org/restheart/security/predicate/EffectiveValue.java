package org.restheart.security.predicate;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// The one value that a content gives to a property: nested, dotted, or in `$set`. If it gives two different
/// ones, or changes the property by another operator as well, there is none.
final class EffectiveValue {
    private EffectiveValue() {}

    static @Nullable BsonValue of(BsonDocument content, String path) {
        var values = new ArrayList<BsonValue>();
        for (var entry : content.entrySet()) {
            if (!entry.getKey().startsWith("$")) {
                continue;
            }
            if (entry.getKey().equals("$set") && entry.getValue() instanceof BsonDocument fields) {
                collect(fields, path, values);
            } else if (TouchedPaths.ofDocument(new BsonDocument(entry.getKey(), entry.getValue()))
                    .has(path)) {
                return null;
            }
        }
        collect(content, path, values);
        return values.isEmpty() || values.stream().anyMatch(value -> !Values.equal(value, values.getFirst()))
                ? null
                : values.getFirst();
    }

    private static void collect(BsonDocument document, String path, List<BsonValue> into) {
        document.forEach((key, value) -> {
            if (key.equals(path)) {
                into.add(value);
            } else if (path.startsWith(key)
                    && path.length() > key.length()
                    && path.charAt(key.length()) == '.'
                    && value instanceof BsonDocument inner) {
                collect(inner, path.substring(key.length() + 1), into);
            }
        });
    }
}
