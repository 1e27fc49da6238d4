package org.restheart.rest.content;

import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.RawDocuments;
import org.restheart.bson.fields.TouchedPaths;
import org.restheart.bson.fields.Update;

/// The fields that a filter depends on.
public final class FilterFields {
    private final Set<String> paths = new HashSet<>();
    private boolean anything;

    private FilterFields() {}

    /// Whether an update could turn a document that `filter` matches into one that it does not match.
    ///
    /// @param laidOver fields that the update always sets: a filter that requires just these values still matches
    public static boolean mayLeave(BsonDocument filter, Update update, BsonDocument laidOver) {
        var fields = new FilterFields();
        fields.add(filter, laidOver);
        var touched = TouchedPaths.of(update);
        return fields.anything || fields.paths.stream().anyMatch(touched::mayDecide);
    }

    private void add(BsonDocument filter, BsonDocument laidOver) {
        filter.forEach((key, condition) -> {
            switch (key) {
                case "$and", "$or", "$nor" ->
                    condition.asArray().forEach(clause -> add(clause.asDocument(), new BsonDocument()));
                case "$comment" -> {}
                default -> {
                    if (key.startsWith("$")) {
                        anything = true;
                    } else if (!asksFor(condition, laidOver.get(key))) {
                        paths.add(key);
                    }
                }
            }
        });
    }

    private static boolean asksFor(BsonValue condition, @Nullable BsonValue value) {
        if (value == null || value.isRegularExpression()) {
            return false;
        }
        var wanted = condition.isDocument() && condition.asDocument().keySet().equals(Set.of("$eq"))
                ? condition.asDocument().getOrDefault("$eq", condition)
                : condition;
        return Arrays.equals(bytes(wanted), bytes(value));
    }

    /// Documents are equal only if their fields have the same order.
    private static byte[] bytes(BsonValue value) {
        return RawDocuments.compact(RawDocuments.encode(new BsonDocument("", value)))
                .getBackingArray();
    }
}
