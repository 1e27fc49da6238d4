package org.restheart.bson.fields;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/// The fields that one document of a request's content, or an update, changes, in whatever form it says so: nested
/// documents, dotted keys, update operators (both names of a `$rename`), the stages of an update pipeline. See
/// "Update Operators" and "Updates with Aggregation Pipeline" in the MongoDB manual. What it does not understand
/// touches everything.
public final class TouchedPaths {
    private static final int MAX_DEPTH = 100;

    /// The paths named in the content, down to the leaves.
    private final Map<String, FieldPath> named = new LinkedHashMap<>();
    /// The paths whose whole value may change: `{"a": {"b": 1}}` in an update leaves nothing of the former `a`.
    private final Map<String, FieldPath> changed = new LinkedHashMap<>();

    private boolean everything;

    private TouchedPaths() {}

    /// One for each document of the content: one for a document or an update pipeline, several for an array. They are
    /// made one after the other, since there may be many.
    ///
    /// @param content anything; what is not a document touches everything
    /// @param isUpdate whether it changes what is stored, so that arrays are pipelines; else it is stored whole
    public static Stream<TouchedPaths> of(BsonValue content, boolean isUpdate) {
        return content instanceof BsonArray array && !isUpdate
                ? array.stream().map(element -> ofDocument(element, false))
                : Stream.of(together(content, isUpdate));
    }

    /// What all documents of the content touch together, which takes no more for many than for one if they are alike.
    public static TouchedPaths together(BsonValue content, boolean isUpdate) {
        if (!(content instanceof BsonArray array)) {
            return ofDocument(content, isUpdate);
        }
        if (isUpdate) {
            return ofPipeline(array);
        }
        var touched = new TouchedPaths();
        array.forEach(element -> touched.addDocument(element, false));
        return touched;
    }

    /// What a change touches that puts the content in place of a stored document: it removes the fields that the
    /// content lacks.
    public static TouchedPaths ofReplacement(BsonValue content) {
        var touched = ofDocument(content, false);
        touched.everything = true;
        return touched;
    }

    public static TouchedPaths of(Update update) {
        return switch (update) {
            case Update.Operators(var document) -> ofDocument(document, true);
            case Update.Pipeline(var stages) -> ofPipeline(stages);
        };
    }

    /// What one stage of an update pipeline touches.
    public static TouchedPaths ofStage(BsonDocument stage) {
        return ofPipeline(List.of(stage));
    }

    /// Whether every one of the keys is set, changed or removed, itself or below it.
    public boolean hasAll(List<String> keys) {
        return keys.stream().allMatch(key -> named.values().stream().anyMatch(path -> path.mayBeWithin(key)));
    }

    /// Whether any of the keys may change, also because something that contains it is replaced or removed.
    public boolean hasAny(List<String> keys) {
        return everything || keys.stream().anyMatch(this::has);
    }

    public boolean has(String key) {
        return everything || has(FieldPath.of(key));
    }

    private boolean has(FieldPath key) {
        return changed.values().stream().anyMatch(path -> path.overlaps(key));
    }

    /// Whether nothing changes but the keys and what is below them. Positions in arrays do not count.
    public boolean hasOnly(List<String> keys) {
        return !everything
                && changed.values().stream().allMatch(path -> keys.stream().anyMatch(key -> path.mayBeWithin(key)));
    }

    /// Whether a filter on the path may match before and not after, or the other way round.
    public boolean mayDecide(String path) {
        var key = FieldPath.of(path);
        return everything
                || changed.values().stream()
                        .anyMatch(touched -> touched.container().overlaps(key));
    }

    private static TouchedPaths ofDocument(BsonValue value, boolean isUpdate) {
        var touched = new TouchedPaths();
        touched.addDocument(value, isUpdate);
        return touched;
    }

    private void addDocument(BsonValue value, boolean isUpdate) {
        if (value instanceof BsonDocument document) {
            document.forEach((key, inner) -> {
                if (key.startsWith("$")) {
                    addOperator(key, inner);
                } else {
                    addValue(key, inner, isUpdate);
                }
            });
        } else {
            everything = true;
        }
    }

    private static TouchedPaths ofPipeline(List<? extends BsonValue> stages) {
        var touched = new TouchedPaths();
        for (var stage : stages) {
            if (stage instanceof BsonDocument document && document.size() == 1) {
                document.forEach(touched::addStage);
            } else {
                touched.everything = true;
            }
        }
        return touched;
    }

    private void addOperator(String operator, BsonValue operand) {
        if (!(operand instanceof BsonDocument fields)) {
            everything = true;
            return;
        }
        boolean sets = operator.equals("$set") || operator.equals("$setOnInsert");
        fields.forEach((path, value) -> {
            if (sets) {
                addValue(path, value, true);
            } else {
                addWhole(path);
            }
            if (operator.equals("$rename")) {
                addWhole(value);
            }
        });
    }

    private void addStage(String stage, BsonValue operand) {
        switch (stage) {
            case "$set", "$addFields" -> {
                if (operand instanceof BsonDocument fields) {
                    fields.forEach((path, value) -> addComputed(path, value, 0));
                } else {
                    everything = true;
                }
            }
            case "$unset" -> {
                var names = operand instanceof BsonArray array ? array : new BsonArray(List.of(operand));
                names.forEach(this::addWhole);
            }
            case "$project" -> {
                // An exclusion removes what it names; an inclusion removes all the rest, and may compute values.
                if (operand instanceof BsonDocument fields && isExclusion(fields, 0)) {
                    fields.forEach((path, value) -> addComputed(path, value, 0));
                } else {
                    everything = true;
                }
            }
            default -> everything = true; // $replaceRoot, $replaceWith, and stages that updates do not know
        }
    }

    private static boolean isExclusion(BsonDocument fields, int depth) {
        return depth < MAX_DEPTH
                && fields.values().stream()
                        .allMatch(value -> value instanceof BsonDocument inner
                                ? !hasOperator(inner) && isExclusion(inner, depth + 1)
                                : isZero(value));
    }

    private static boolean isZero(BsonValue value) {
        return value.isNumber()
                ? value.asNumber().doubleValue() == 0
                : value.isBoolean() && !value.asBoolean().getValue();
    }

    /// In a pipeline a nested document is put into what is there, field by field.
    private void addComputed(String path, BsonValue value, int depth) {
        if (depth > MAX_DEPTH) {
            everything = true;
        } else if (value instanceof BsonDocument document && !document.isEmpty() && !hasOperator(document)) {
            document.forEach((key, inner) -> addComputed(path + "." + key, inner, depth + 1));
        } else {
            addWhole(path);
        }
    }

    private void addValue(String path, BsonValue value, boolean replaces) {
        if (replaces) {
            changed.computeIfAbsent(path, FieldPath::of);
        }
        addLeaves(path, value, replaces, 0);
    }

    private void addLeaves(String path, BsonValue value, boolean replaces, int depth) {
        if (depth > MAX_DEPTH) {
            everything = true;
        } else if (value instanceof BsonDocument document && !document.isEmpty() && !hasOperator(document)) {
            document.forEach((key, inner) -> addLeaves(path + "." + key, inner, replaces, depth + 1));
        } else if (value instanceof BsonArray array && !array.isEmpty()) {
            array.forEach(element -> addLeaves(path, element, replaces, depth + 1));
        } else {
            var leaf = named.computeIfAbsent(path, FieldPath::of);
            if (!replaces) {
                changed.put(path, leaf);
            }
        }
    }

    private static boolean hasOperator(BsonDocument document) {
        return document.keySet().stream().anyMatch(key -> key.startsWith("$"));
    }

    private void addWhole(BsonValue path) {
        if (path instanceof BsonString text) {
            addWhole(text.getValue());
        } else {
            everything = true;
        }
    }

    private void addWhole(String path) {
        changed.put(path, named.computeIfAbsent(path, FieldPath::of));
    }
}
