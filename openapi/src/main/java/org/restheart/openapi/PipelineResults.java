package org.restheart.openapi;

import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/// What the results of a stored pipeline consist of, as far as its last stages say.
final class PipelineResults {
    /// Stages whose results have the fields of what they are given.
    private static final Set<String> PRESERVING = Set.of("$match", "$sort", "$limit", "$skip", "$sample");

    private PipelineResults() {}

    /// The names of all fields; empty if they depend on documents or variables.
    static Optional<Set<String>> fields(BsonDocument definition) {
        if (!(definition.get("stages") instanceof BsonArray stages)) {
            return Optional.empty();
        }
        for (var stage : stages.reversed()) {
            if (!(stage instanceof BsonDocument document) || document.size() != 1) {
                return Optional.empty();
            }
            var operator = document.getFirstKey();
            var operand = document.get(operator);
            if (!PRESERVING.contains(operator)) {
                return switch (operator) {
                    case "$group" ->
                        operand instanceof BsonDocument group ? Optional.of(group.keySet()) : Optional.empty();
                    case "$project" -> operand instanceof BsonDocument kept ? included(kept) : Optional.empty();
                    case "$count" ->
                        operand instanceof BsonString name ? Optional.of(Set.of(name.getValue())) : Optional.empty();
                    default -> Optional.empty();
                };
            }
        }
        return Optional.empty();
    }

    /// The fields of a projection, unless it removes fields.
    private static Optional<Set<String>> included(BsonDocument projection) {
        var names = new LinkedHashSet<String>();
        names.add("_id");
        for (var entry : projection.entrySet()) {
            if (entry.getKey().startsWith("$")) {
                return Optional.empty();
            } else if (!isRemoval(entry.getValue())) {
                names.add(entry.getKey().split("\\.", 2)[0]);
            } else if (entry.getKey().equals("_id")) {
                names.remove("_id");
            } else {
                return Optional.empty();
            }
        }
        return names.equals(Set.of("_id")) || names.isEmpty() ? Optional.empty() : Optional.of(names);
    }

    private static boolean isRemoval(BsonValue value) {
        return BsonBoolean.FALSE.equals(value)
                || (value.isNumber() && value.asNumber().doubleValue() == 0)
                || (value instanceof BsonDocument document && document.containsKey("$var"));
    }
}
