package org.restheart.bson.fields;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// The one value that a content gives to a property: nested, dotted, or in `$set`. There is none if the content gives
/// two different values or also changes the property in another way.
public final class EffectiveValue {
    private EffectiveValue() {}

    public static @Nullable BsonValue of(BsonDocument content, String path) {
        var given = new ArrayList<BsonValue>();
        var others = new BsonDocument();
        content.forEach((key, value) -> {
            if (!key.startsWith("$")) {
                collect(key, value, path, given, others);
            } else if (key.equals("$set") && value instanceof BsonDocument fields) {
                fields.forEach((name, inner) -> collect(name, inner, path, given, others));
            } else {
                others.append(key, value);
            }
        });
        var elsewhere = TouchedPaths.together(others, true).has(path);
        return elsewhere || given.isEmpty() || given.stream().anyMatch(value -> !value.equals(given.getFirst()))
                ? null
                : given.getFirst();
    }

    /// @param others receives what does not set the whole property
    private static void collect(String key, BsonValue value, String path, List<BsonValue> into, BsonDocument others) {
        if (key.equals(path)) {
            into.add(value);
        } else if (FieldPath.isWithin(path, key)) {
            int before = into.size();
            if (value instanceof BsonDocument inner) {
                var rest = path.substring(key.length() + 1);
                inner.forEach((name, nested) -> collect(name, nested, rest, into, new BsonDocument()));
            }
            if (into.size() == before) {
                others.append(key, value); // it removes the property
            }
        } else {
            others.append(key, value);
        }
    }
}
