package org.restheart.mongo.content;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.restheart.mongo.write.Update;

/// Which fields a filter looks at.
public final class FilterFields {
    private final Set<String> paths = new HashSet<>();
    private boolean anything;

    private FilterFields() {}

    /// Whether an update could turn a document that `filter` matches into one that it does not match.
    ///
    /// @param laidOver what the update sets whatever the client sends: where the filter asks for just that, all
    ///     is well
    public static boolean mayLeave(BsonDocument filter, Update update, Optional<BsonDocument> laidOver) {
        var fields = new FilterFields();
        fields.add(filter, laidOver.orElseGet(BsonDocument::new));
        return switch (update) {
            case Update.Pipeline _ -> true;
            case Update.Operators(var operators) ->
                fields.anything
                        || operators.entrySet().stream()
                                .anyMatch(e -> e.getValue().asDocument().entrySet().stream()
                                        .anyMatch(entry -> fields.paths.stream()
                                                .anyMatch(path -> Paths.touches(e.getKey(), entry, path))));
        };
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
                    } else if (!condition.equals(laidOver.get(key))) {
                        paths.add(key);
                    }
                }
            }
        });
    }
}
