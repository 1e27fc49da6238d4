package org.restheart.bson.fields;

import java.util.ArrayList;
import java.util.List;

/// A dotted path as clients write it. A number in it is the position of an array's element or the name of a field,
/// only the document knows which; at the beginning it is a name, as no document is an array. `$`, `$[]` and `$[x]`
/// are positions. Immutable.
///
/// @param text as written
/// @param readings the names of fields that it may mean, positions left out
/// @param truncated whether the readings are only prefixes of what it may mean
public record FieldPath(String text, List<String> readings, boolean truncated) {
    /// A path with more numbers is truncated, so it covers more fields than it names.
    private static final int MAX_NUMBERS = 5;

    public static FieldPath of(String text) {
        if (text.indexOf('.') < 0) {
            return new FieldPath(text, List.of(text), false);
        }
        var readings = new ArrayList<StringBuilder>();
        readings.add(new StringBuilder());
        int numbers = 0;
        boolean truncated = false;
        boolean first = true;
        for (var step : text.split("\\.", -1)) {
            if (first || !isPosition(step)) {
                readings.forEach(reading -> append(reading, step));
            } else if (isNumber(step)) {
                if (++numbers > MAX_NUMBERS) {
                    truncated = true;
                    break;
                }
                var named = readings.stream().map(StringBuilder::new).toList();
                named.forEach(reading -> append(reading, step));
                readings.addAll(named);
            }
            first = false;
        }
        return new FieldPath(
                text, readings.stream().map(StringBuilder::toString).distinct().toList(), truncated);
    }

    private static void append(StringBuilder path, String step) {
        path.append(path.isEmpty() ? "" : ".").append(step);
    }

    /// Whether it contains the position that the query has found.
    static boolean isPositional(String text) {
        return text.endsWith(".$") || text.contains(".$.");
    }

    private static boolean isPosition(String step) {
        return step.startsWith("$") || isNumber(step);
    }

    private static boolean isNumber(String step) {
        return !step.isEmpty() && step.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    /// Whether there may be positions in it.
    public boolean hasPositions() {
        return readings.size() > 1 || !readings.getFirst().equals(text);
    }

    /// Whether one may be the other or contain it.
    public boolean overlaps(FieldPath other) {
        return readings.stream()
                .anyMatch(mine ->
                        other.readings.stream().anyMatch(theirs -> isWithin(mine, theirs) || isWithin(theirs, mine)));
    }

    /// Whether it may be the other or inside it.
    ///
    /// @param other a path of names
    public boolean mayBeWithin(String other) {
        return isWithin(text, other)
                || readings.stream().anyMatch(mine -> isWithin(mine, other) || (truncated && isWithin(other, mine)));
    }

    /// The prefix of the path that contains every array it may index: a change at a position may add elements, and so
    /// change every field of the array's elements.
    FieldPath container() {
        int dot = text.indexOf('.');
        while (dot >= 0) {
            int next = text.indexOf('.', dot + 1);
            if (isPosition(next < 0 ? text.substring(dot + 1) : text.substring(dot + 1, next))) {
                return of(text.substring(0, dot));
            }
            dot = next;
        }
        return this;
    }

    /// Whether a path of names is another one or inside it.
    static boolean isWithin(String path, String ancestor) {
        return path.startsWith(ancestor)
                && (path.length() == ancestor.length() || path.charAt(ancestor.length()) == '.');
    }
}
