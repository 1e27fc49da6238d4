package org.restheart.bson.fields;

import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.text.ShortText;
import org.restheart.text.Words;

/// Finds filters that are valid, but most probably mean something else than their author thinks, since they match
/// nothing: operators without `$`, which a shell removes within double quotes, and ids of another type.
public final class FilterMistakes {
    /// Operators that are seldom names of fields. Those that often are, such as `type` and `size`, are left out.
    private static final Set<String> COMPARISONS = Words.of("eq ne gt gte lt lte in nin not exists regex elemMatch");

    private static final Set<String> COMBINATIONS = Set.of("and", "or", "nor");

    /// Of Extended JSON.
    private static final Set<String> TYPES = Set.of("oid", "date", "numberLong", "numberDecimal", "uuid");

    /// Fields of files (GridFS), former ones included.
    private static final Set<String> OF_FILES =
            Words.of("_id filename length chunkSize uploadDate metadata contentType md5 aliases");

    private static final Pattern OBJECT_ID = Pattern.compile("[0-9a-fA-F]{24}|ObjectId\\(.*\\)");

    /// Deeper parts are not looked at, and neither are more values of a list.
    private static final int MAX_DEPTH = 5;

    private static final int MAX_VALUES = 100;
    private static final int MAX_QUOTED = 50;

    private FilterMistakes() {}

    /// The first mistake in a filter, if there is one.
    ///
    /// @param what it is, for the message
    public static Optional<String> in(String what, BsonDocument filter) {
        return in(what, filter, 0);
    }

    /// The first comparison with what files do not have: what is sent with a file is below `metadata`.
    public static Optional<String> ofFiles(BsonDocument filter) {
        return filter.keySet().stream()
                .filter(name -> !name.startsWith("$") && !OF_FILES.contains(name.split("\\.", 2)[0]))
                .findFirst()
                .map(name -> "the filter compares " + quoted(name)
                        + ", which files that are uploaded here do not have; what is sent with a file is metadata."
                        + quoted(name));
    }

    private static Optional<String> in(String what, BsonDocument filter, int depth) {
        for (var field : filter.entrySet()) {
            var mistake = inField(what, field.getKey(), field.getValue(), depth);
            if (mistake.isPresent()) {
                return mistake;
            }
        }
        return Optional.empty();
    }

    private static Optional<String> inField(String what, String name, BsonValue value, int depth) {
        if (name.isEmpty()) {
            return Optional.of(emptyKey(what + " has"));
        }
        if (value instanceof BsonArray parts) {
            var conditions = parts.stream().limit(MAX_VALUES).filter(BsonDocument.class::isInstance);
            if (COMBINATIONS.contains(name)) {
                return conditions.findFirst().map(_ -> what + " compares a field " + name + meant(name));
            }
            return name.startsWith("$") && depth < MAX_DEPTH
                    ? conditions
                            .flatMap(part -> in(what, part.asDocument(), depth + 1).stream())
                            .findFirst()
                    : Optional.empty();
        }
        if (name.equals("_id")
                && texts(value).anyMatch(text -> OBJECT_ID.matcher(text).matches())) {
            return Optional.of(what + " compares _id with a text; an ObjectId is written {\"_id\": {\"$oid\": …}}");
        }
        return value instanceof BsonDocument condition ? inCondition(what, name, condition) : Optional.empty();
    }

    /// The texts with which a condition compares a field.
    private static Stream<String> texts(BsonValue condition) {
        return switch (condition) {
            case BsonString text -> Stream.of(text.getValue());
            case BsonDocument document ->
                Stream.of("$eq", "$in")
                        .filter(document::containsKey)
                        .map(document::get)
                        .flatMap(FilterMistakes::texts);
            case BsonArray values ->
                values.stream().limit(MAX_VALUES).filter(BsonValue::isString).flatMap(FilterMistakes::texts);
            default -> Stream.empty();
        };
    }

    private static Optional<String> inCondition(String what, String name, BsonDocument condition) {
        var keys = condition.keySet();
        if (keys.contains("")) {
            return Optional.of(emptyKey("the condition on " + quoted(name) + " has"));
        }
        if (keys.isEmpty()) {
            return Optional.empty();
        }
        var first = condition.getFirstKey();
        var found = what + " compares " + quoted(name) + " with an object whose key is " + first;
        if (COMPARISONS.containsAll(keys)) {
            return Optional.of(found + meant(first));
        }
        return keys.size() == 1 && TYPES.contains(first)
                ? Optional.of(found + "; the type is written {\"$" + first + "\": …}")
                : Optional.empty();
    }

    private static String meant(String operator) {
        return "; the operator is written $" + operator;
    }

    private static String emptyKey(String what) {
        return what + " an empty key: within double quotes a shell removes operators such as $gt, within single"
                + " quotes it keeps them";
    }

    private static String quoted(String name) {
        return ShortText.of(name, MAX_QUOTED);
    }
}
