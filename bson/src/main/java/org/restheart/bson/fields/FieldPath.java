package org.restheart.bson.fields;

import java.util.ArrayList;
import java.util.List;
import org.restheart.text.ShortText;

/// A dotted path as clients write it. A number in it is the position of an array's element or the name of a field,
/// only the document knows which; at the beginning it is a name, as no document is an array. In updates `$`, `$[]` and
/// `$[x]` are positions; elsewhere, and in any other form, a step that begins with `$` is a name, such as `$id` of a
/// DBRef. Steps may be empty names. Immutable.
///
/// @param text as written
/// @param readings the names of fields that it may mean, positions left out
/// @param truncated whether the readings are only prefixes of what it may mean
public record FieldPath(String text, List<String> readings, boolean truncated) {
    /// What documents have at most, as MongoDB says.
    private static final int MAX_STEPS = 100;
    private static final int MAX_LENGTH = 4096;

    /// A path with more numbers is truncated, so it covers more fields than it names.
    static final int MAX_NUMBERS = 5;

    /// A path in an update.
    public static FieldPath of(String text) {
        return of(text, true);
    }

    /// A path in a filter, a sort, an index or an expression.
    public static FieldPath read(String text) {
        return of(text, false);
    }

    /// The names and positions in a path that a client sends. Each step may become a document, and a path may be
    /// copied, so neither their number nor the length of several is left to the client; one name may be longer.
    ///
    /// @throws UnusablePathException if it is too long
    public static List<String> steps(String text) {
        if (!isBounded(text)) {
            throw new UnusablePathException("the path '" + ShortText.of(text, 60) + "' is too long: it may have "
                    + MAX_STEPS + " names and " + MAX_LENGTH + " characters");
        }
        return List.of(text.split("\\.", -1));
    }

    /// Whether a path may be taken apart.
    public static boolean isBounded(String text) {
        int dots = 0;
        for (int dot = text.indexOf('.'); dot >= 0; dot = text.indexOf('.', dot + 1)) {
            if (++dots >= MAX_STEPS || text.length() > MAX_LENGTH) {
                return false;
            }
        }
        return true;
    }

    /// The same for a path below another one, which is not made if it is too long.
    public static boolean isBounded(String path, String name) {
        return path.length() + name.length() < MAX_LENGTH && isBounded(path + "." + name);
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
        for (var step : steps(text)) {
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

    /// Whether it is a positional operator of updates.
    static boolean isOperator(String step) {
        return step.equals("$") || (step.startsWith("$[") && step.endsWith("]"));
    }

    static boolean isNumber(String step) {
        return !step.isEmpty() && step.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    public boolean hasPositions() {
        return readings.size() > 1 || !readings.getFirst().equals(text);
    }

    /// Whether one may be the other or contain it.
    public boolean overlaps(FieldPath other) {
        return readings.stream()
                .anyMatch(mine ->
                        other.readings.stream().anyMatch(theirs -> isWithin(mine, theirs) || isWithin(theirs, mine)));
    }

    /// Whether a path of names is another one or inside it.
    public static boolean isWithin(String path, String ancestor) {
        return path.startsWith(ancestor)
                && (path.length() == ancestor.length() || path.charAt(ancestor.length()) == '.');
    }
}
