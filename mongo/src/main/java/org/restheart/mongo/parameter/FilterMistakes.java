package org.restheart.mongo.parameter;

import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.bson.fields.TextualId;
import org.restheart.http.FoundWarnings;
import org.restheart.http.Request;
import org.restheart.http.ShortText;
import org.restheart.http.Words;

/// Finds filters that are valid, but most probably mean something else than their author thinks, since they match
/// nothing: operators without `$`, which a shell removes within double quotes, and ids of another type.
public final class FilterMistakes {
    /// Operators that are seldom names of fields. Those that often are, such as `type` and `size`, are left out.
    private static final Set<String> COMPARISONS = Words.of("""
                    eq ne gt gte lt lte in nin exists regex elemMatch
                    """);

    private static final Set<String> COMBINATIONS = Set.of("and", "or", "nor");

    /// Of Extended JSON.
    private static final Set<String> TYPES = Set.of("oid", "date", "numberLong", "numberDecimal", "uuid");

    /// Fields of files (GridFS), former ones included.
    private static final Set<String> OF_FILES =
            Set.of("_id", "filename", "length", "chunkSize", "uploadDate", "metadata", "contentType", "md5", "aliases");

    /// Deeper parts are not looked at, and neither are more values of a list.
    private static final int MAX_DEPTH = 5;

    private static final int MAX_VALUES = 100;
    private static final int MAX_QUOTED = 50;

    private FilterMistakes() {}

    /// Adds a warning about the first mistake in a filter, if there is one.
    ///
    /// @param ofFiles whether it selects files
    public static void warn(Request request, BsonDocument filter, boolean ofFiles) {
        in(filter, 0)
                .or(() -> ofFiles ? ofFiles(filter) : Optional.empty())
                .ifPresent(text -> FoundWarnings.add(request, text));
    }

    /// What is sent with a file is below `metadata`.
    private static Optional<String> ofFiles(BsonDocument filter) {
        return filter.keySet().stream()
                .filter(name -> !name.startsWith("$") && !OF_FILES.contains(name.split("\\.", 2)[0]))
                .findFirst()
                .map(name -> "the filter compares " + quoted(name)
                        + ", which files that are uploaded here do not have; what is sent with a file is metadata."
                        + quoted(name));
    }

    static Optional<String> in(BsonDocument filter, int depth) {
        for (var field : filter.entrySet()) {
            var found = inField(field.getKey(), field.getValue(), depth);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static Optional<String> inField(String name, BsonValue value, int depth) {
        if (name.isEmpty()) {
            return Optional.of(emptyKey("the filter has"));
        }
        if (value instanceof BsonArray parts) {
            if (COMBINATIONS.contains(name) && parts.stream().anyMatch(BsonValue::isDocument)) {
                return Optional.of("the filter compares a field " + name + "; the operator is written $" + name);
            }
            return name.startsWith("$") && depth < MAX_DEPTH
                    ? parts.stream()
                            .limit(MAX_VALUES)
                            .filter(BsonDocument.class::isInstance)
                            .flatMap(part -> in(part.asDocument(), depth + 1).stream())
                            .findFirst()
                    : Optional.empty();
        }
        if (name.equals("_id")) {
            var text = TextualId.warning(value);
            if (text.isPresent()) {
                return text;
            }
        }
        return value instanceof BsonDocument condition ? inCondition(name, condition) : Optional.empty();
    }

    private static Optional<String> inCondition(String name, BsonDocument condition) {
        var keys = condition.keySet();
        if (keys.contains("")) {
            return Optional.of(emptyKey("the condition on " + quoted(name) + " has"));
        }
        if (!keys.isEmpty() && COMPARISONS.containsAll(keys)) {
            var operator = condition.getFirstKey();
            return Optional.of("the filter compares " + quoted(name) + " with an object whose key is " + operator
                    + "; the operator is written $" + operator);
        }
        return keys.size() == 1 && TYPES.contains(condition.getFirstKey())
                ? Optional.of("the filter compares " + quoted(name) + " with an object whose key is "
                        + condition.getFirstKey() + "; the type is written {\"$" + condition.getFirstKey() + "\": …}")
                : Optional.empty();
    }

    private static String emptyKey(String what) {
        return what + " an empty key: within double quotes a shell removes operators such as $gt, within single"
                + " quotes it keeps them";
    }

    private static String quoted(String name) {
        return ShortText.of(name, MAX_QUOTED);
    }
}
