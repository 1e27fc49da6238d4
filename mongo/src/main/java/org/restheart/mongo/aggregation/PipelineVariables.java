package org.restheart.mongo.aggregation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// Values of variables by name. A name is a key or a path into a value: `order.limit`, `list[0].x`, `['a.b'].c`.
/// Immutable by agreement.
public record PipelineVariables(BsonDocument values) {
    /// A key after a dot or at the beginning, a key in quotes and brackets, or a position in brackets.
    private static final Pattern STEP = Pattern.compile("\\.?([^.\\[\\]']+)|\\['([^']*)']|\\[(\\d{1,9})]");

    /// The value bound to the name, which may be null.
    public Optional<BsonValue> find(String name) {
        var value = values.get(name);
        return value != null ? Optional.of(value) : follow(steps(name));
    }

    private Optional<BsonValue> follow(List<String> steps) {
        BsonValue at = values;
        for (var step : steps) {
            var next = step(at, step);
            if (next.isEmpty()) {
                return Optional.empty();
            }
            at = next.get();
        }
        return steps.isEmpty() ? Optional.empty() : Optional.of(at);
    }

    private static Optional<BsonValue> step(BsonValue at, String step) {
        if (at.isDocument()) {
            return Optional.ofNullable(at.asDocument().get(step));
        }
        if (!at.isArray() || !step.chars().allMatch(Character::isDigit)) {
            return Optional.empty();
        }
        int index = Integer.parseInt(step);
        return index < at.asArray().size() ? Optional.of(at.asArray().get(index)) : Optional.empty();
    }

    /// Empty for a text that is not a path.
    private static List<String> steps(String path) {
        var steps = new ArrayList<String>();
        var matcher = STEP.matcher(path);
        int end = 0;
        while (matcher.find() && matcher.start() == end) {
            end = matcher.end();
            for (int group = 1; group <= matcher.groupCount(); group++) {
                if (matcher.group(group) != null) {
                    steps.add(matcher.group(group));
                }
            }
        }
        return end == path.length() ? steps : List.of();
    }
}
