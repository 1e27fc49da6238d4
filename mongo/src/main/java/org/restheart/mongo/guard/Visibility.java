package org.restheart.mongo.guard;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.bson.BsonDocument;

/// Which fields a projection shows, by path. Positions in arrays do not count: `items.0.price` is
/// `items.price`. Immutable.
///
/// @param only whether just the named paths are shown, in place of all others
/// @param paths what the projection names
record Visibility(boolean only, Set<String> paths) {

    static Visibility of(BsonDocument projection) {
        boolean only = projection.values().stream()
                .anyMatch(value -> value.isNumber() && value.asNumber().intValue() != 0);
        return new Visibility(
                only, projection.keySet().stream().map(Visibility::normal).collect(Collectors.toUnmodifiableSet()));
    }

    /// Whether the field is shown with everything in it.
    boolean shows(String path) {
        var field = normal(path);
        return only ? paths.stream().anyMatch(shown -> isIn(field, shown)) : !isHidden(field) && !holdsHidden(field);
    }

    /// Whether something in the field is shown.
    boolean showsPart(String path) {
        var field = normal(path);
        return only ? paths.stream().anyMatch(shown -> isIn(field, shown) || isIn(shown, field)) : !isHidden(field);
    }

    private boolean isHidden(String field) {
        return paths.stream().anyMatch(hidden -> isIn(field, hidden));
    }

    private boolean holdsHidden(String field) {
        return paths.stream().anyMatch(hidden -> isIn(hidden, field));
    }

    private static boolean isIn(String path, String ancestor) {
        return path.equals(ancestor) || path.startsWith(ancestor + ".");
    }

    private static String normal(String path) {
        return Arrays.stream(path.split("\\.", -1))
                .filter(segment -> segment.isEmpty() || !segment.chars().allMatch(Character::isDigit))
                .collect(Collectors.joining("."));
    }
}
