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
    /// @param mayContainDb whether the name may be `otherdb.coll`
    public record Reached(Optional<String> db, String collection, boolean written, boolean mayContainDb) {
        /// The position of the dot of `otherdb.coll`; not positive if there is none.
        public int dot() {
            return mayContainDb ? collection.indexOf('.') : -1;
        }
    }

    /// The collection that a stage reads or writes; empty if it names none.
    public static Optional<Reached> reached(String stage, BsonValue operand) {
        return switch (lower(stage)) {
            case "$lookup", "$graphlookup" -> read(member(operand, "from"));
            case "$unionwith" -> named(operand, false, true);
            case "$out" -> written(operand);
            case "$merge" -> written(operand.isDocument() ? member(operand, "into") : operand);
            default -> Optional.empty();
        };
    }

    private static String lower(String stage) {
        return stage.startsWith("$") ? stage.toLowerCase(Locale.ROOT) : stage;
    }

    private static Optional<Reached> read(BsonValue target) {
        return named(target, false, target.isString());
    }

    private static Optional<Reached> written(BsonValue target) {
        return named(target, true, target.isString());
    }

    /// @param target `coll`, or `{db: …, coll: …}`
    private static Optional<Reached> named(BsonValue target, boolean written, boolean mayContainDb) {
        var db = member(target, "db") instanceof BsonString text
                ? Optional.of(text.getValue())
                : Optional.<String>empty();
        return (target.isString() ? target : member(target, "coll")) instanceof BsonString name
                ? Optional.of(new Reached(db, name.getValue(), written, mayContainDb))
                : Optional.empty();
    }

    /// The pipelines in a stage, by their paths in its operand.
    public static Map<String, BsonArray> pipelines(String stage, BsonValue operand) {
        return switch (lower(stage)) {
            case "$facet" -> arrays(operand, "");
            case "$lookup", "$unionwith" -> array(operand, "pipeline");
            case "$merge" -> array(operand, "whenMatched");
            case "$rankfusion", "$scorefusion" ->
                arrays(member(member(operand, "input"), "pipelines"), "input.pipelines.");
            default -> Map.of();
        };
    }

    private static Map<String, BsonArray> array(BsonValue options, String name) {
        return member(options, name) instanceof BsonArray stages ? Map.of(name, stages) : Map.of();
    }

    private static Map<String, BsonArray> arrays(BsonValue named, String prefix) {
        var arrays = new LinkedHashMap<String, BsonArray>();
        if (named instanceof BsonDocument document) {
            document.forEach((name, value) -> {
                if (value instanceof BsonArray stages) {
                    arrays.put(prefix + name, stages);
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
