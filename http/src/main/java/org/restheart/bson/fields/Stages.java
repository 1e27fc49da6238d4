package org.restheart.bson.fields;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;

/// What a stage of a pipeline reaches beyond the documents that it is given: a collection, and pipelines of its own.
/// All checks of pipelines ask here. Names of stages are compared without regard to case: a check rather refuses too
/// much.
public final class Stages {
    private Stages() {}

    /// A collection that a stage names.
    ///
    /// @param db empty for the one in which the pipeline runs
    /// @param written whether the stage writes to it
    public record Reached(Optional<String> db, String collection, boolean written) {}

    /// The collection that a stage reads or writes; empty if it names none.
    public static Optional<Reached> reached(String stage, BsonValue operand) {
        return switch (lower(stage)) {
            case "$lookup", "$graphlookup" -> named(member(operand, "from"), false);
            case "$unionwith" -> named(operand, false);
            case "$out" -> named(operand, true);
            case "$merge" -> named(operand.isDocument() ? member(operand, "into") : operand, true);
            default -> Optional.empty();
        };
    }

    private static String lower(String stage) {
        return stage.startsWith("$") ? stage.toLowerCase(Locale.ROOT) : stage;
    }

    /// @param target `coll`, or `{db: …, coll: …}`
    private static Optional<Reached> named(BsonValue target, boolean written) {
        var db = member(target, "db") instanceof BsonString text
                ? Optional.of(text.getValue())
                : Optional.<String>empty();
        return (target.isString() ? target : member(target, "coll")) instanceof BsonString name
                ? Optional.of(new Reached(db, name.getValue(), written))
                : Optional.empty();
    }

    /// The pipelines in a stage, by name.
    public static Map<String, BsonArray> pipelines(String stage, BsonValue operand) {
        return switch (lower(stage)) {
            case "$facet" -> arrays(operand);
            case "$lookup", "$unionwith" -> array(operand, "pipeline");
            case "$merge" -> array(operand, "whenMatched");
            case "$rankfusion", "$scorefusion" -> arrays(member(member(operand, "input"), "pipelines"));
            default -> Map.of();
        };
    }

    private static Map<String, BsonArray> array(BsonValue options, String name) {
        return member(options, name) instanceof BsonArray stages ? Map.of(name, stages) : Map.of();
    }

    private static Map<String, BsonArray> arrays(BsonValue named) {
        var arrays = new LinkedHashMap<String, BsonArray>();
        if (named instanceof BsonDocument document) {
            document.forEach((name, value) -> {
                if (value instanceof BsonArray stages) {
                    arrays.put(name, stages);
                }
            });
        }
        return arrays;
    }

    /// A member of a document; null of BSON for any other value, and if there is none.
    public static BsonValue member(BsonValue value, String name) {
        return value instanceof BsonDocument document ? document.getOrDefault(name, BsonNull.VALUE) : BsonNull.VALUE;
    }
}
