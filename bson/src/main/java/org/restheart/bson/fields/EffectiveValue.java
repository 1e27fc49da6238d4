package org.restheart.bson.fields;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonUndefined;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;

/// The one value that a content gives to a property: nested, dotted, or in `$set`. As in MongoDB, dots in names below
/// the top are part of them.
///
/// @param value null if the property is left alone or removed
/// @param isCertain false if the content gives two different values, or changes the property in another way
public record EffectiveValue(@Nullable BsonValue value, boolean isCertain) {
    private static final BsonValue REMOVED = new BsonUndefined();

    public static EffectiveValue of(BsonDocument content, String path) {
        var given = new ArrayList<BsonValue>();
        var others = new BsonDocument();
        content.forEach((key, value) -> {
            if (!key.startsWith("$")) {
                collect(key, value, path, given, others);
            } else if (key.equals("$set") && value instanceof BsonDocument fields) {
                fields.forEach((name, inner) -> collect(name, inner, path, given, others));
            } else if (key.equals("$unset") && value instanceof BsonDocument fields) {
                fields.keySet().forEach(name -> collect(name, REMOVED, path, given, others));
            } else {
                others.append(key, value);
            }
        });
        var elsewhere = TouchedPaths.together(others, true).has(path);
        if (elsewhere || given.stream().anyMatch(value -> !value.equals(given.getFirst()))) {
            return new EffectiveValue(null, false);
        }
        return new EffectiveValue(given.isEmpty() || given.getFirst().equals(REMOVED) ? null : given.getFirst(), true);
    }

    /// @param others receives what does not set the whole property
    private static void collect(String key, BsonValue value, String path, List<BsonValue> into, BsonDocument others) {
        var whole = key.equals(path)
                ? value
                : FieldPath.isWithin(path, key) ? at(value, path.substring(key.length() + 1)) : null;
        if (whole == null) {
            others.append(key, value);
        } else {
            into.add(whole);
        }
    }

    /// @return null if several values may be there
    private static @Nullable BsonValue at(BsonValue value, String path) {
        if (!(value instanceof BsonDocument document)) {
            return value.isArray() ? null : REMOVED;
        }
        int dot = path.indexOf('.');
        if (dot >= 0 && document.keySet().stream().anyMatch(name -> isDotted(name) && FieldPath.isWithin(path, name))) {
            return null;
        }
        var inner = document.get(dot < 0 ? path : path.substring(0, dot));
        return inner == null ? REMOVED : dot < 0 ? inner : at(inner, path.substring(dot + 1));
    }

    private static boolean isDotted(String name) {
        return name.indexOf('.') >= 0;
    }
}
