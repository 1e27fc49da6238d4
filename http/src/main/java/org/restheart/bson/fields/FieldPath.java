package org.restheart.bson.fields;

import java.util.ArrayList;
import java.util.List;

/// A dotted path as clients write it. A number in it is the position of an array's element or the name of a field,
/// only the document knows which; at the beginning it is a name, as no document is an array. In updates `$`, `$[]` and
/// `$[x]` are positions; elsewhere, and in any other form, a step that begins with `$` is a name, such as `$id` of a
/// DBRef. Steps may be empty names. Immutable.
///
/// @param text as written
/// @param readings the names of fields that it may mean, positions left out
/// @param truncated whether the readings are only prefixes of what it may mean
public record FieldPath(String text, List<String> readings, boolean truncated) {
    /// A path with more numbers is truncated, so it covers more fields than it names.
    private static final int MAX_NUMBERS = 5;

    /// A path in an update.
    public static FieldPath of(String text) {
        return of(text, true);
    }

    /// A path in a filter, a sort, an index or an expression.
    public static FieldPath read(String text) {
        return of(text, false);
    }

    private static FieldPath of(String text, boolean isUpdated) {
        if (text.indexOf('.') < 0) {
            return new FieldPath(text, List.of(text), false);
        }
        var readings = new ArrayList<StringBuilder>();
        readings.add(new StringBuilder());
        int numbers = 0;
        boolean truncated = false;
        boolean first = true;
        for (var step : text.split("\\.", -1)) {
            if (first) {
                readings.getFirst().append(step);
            } else if (isNumber(step)) {
                if (++numbers > MAX_NUMBERS) {
                    truncated = true;
                    break;
                }
                var named = readings.stream().map(StringBuilder::new).toList();
                named.forEach(reading -> append(reading, step));
                readings.addAll(named);
            } else if (!isUpdated || !isOperator(step)) {
                readings.forEach(reading -> append(reading, step));
            }
            first = false;
        }
        return new FieldPath(
                text, readings.stream().map(StringBuilder::toString).distinct().toList(), truncated);
    }

    private static void append(StringBuilder path, String step) {
        path.append('.').append(step);
    }

    /// Whether it contains the position that the query has found.
    static boolean isPositional(String text) {
        return text.endsWith(".$") || text.contains(".$.");
    }

    private static boolean isPosition(String step) {
        return isOperator(step) || isNumber(step);
    }

    /// Whether it is a positional operator of updates.
    private static boolean isOperator(String step) {
        return step.equals("$") || (step.startsWith("$[") && step.endsWith("]"));
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
