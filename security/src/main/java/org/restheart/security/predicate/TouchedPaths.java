package org.restheart.security.predicate;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;
import org.restheart.http.Method;

/// The properties that one document of a request's content would change, in whatever form it says so: nested
/// documents, dotted keys, update operators (both names of a `$rename`), the stages of an update pipeline.
/// See "Update Operators" and "Updates with Aggregation Pipeline" in the MongoDB manual.
///
/// A path counts with its array positions (`roles.0`, `roles.$[]`) and without them (`roles`).
public final class TouchedPaths {
    private static final int MAX_DEPTH = 100;

    private final Set<Leaf> leaves = new LinkedHashSet<>();
    private boolean everything;

    /// @param path as written
    /// @param plain without array positions; equal to `path` if it has none
    private record Leaf(String path, String plain) {
        /// Whether `key` or something below it changes.
        boolean isAtOrBelow(String key) {
            return covers(key, path) || covers(key, plain);
        }

        /// Whether `key`, something below it or the whole it is part of changes.
        boolean touches(String key) {
            return isAtOrBelow(key) || covers(path, key) || covers(plain, key);
        }

        private static boolean covers(String outer, String inner) {
            return inner.startsWith(outer) && (inner.length() == outer.length() || inner.charAt(outer.length()) == '.');
        }
    }

    private TouchedPaths() {}

    /// One entry per document of the content: one for a document or an update pipeline, several for an array.
    ///
    /// @param content anything; what is not a document touches everything
    public static List<TouchedPaths> of(BsonValue content, Method method) {
        return switch (content) {
            case BsonDocument document -> List.of(ofDocument(document));
            case BsonArray array when method == Method.PATCH -> List.of(ofPipeline(array));
            case BsonArray array -> {
                var all = new ArrayList<TouchedPaths>(array.size());
                array.forEach(element -> all.add(ofDocument(element)));
                yield all;
            }
            default -> List.of(ofDocument(content));
        };
    }

    /// Whether every one of the keys is set, changed or removed, itself or below it.
    public boolean hasAll(List<String> keys) {
        return keys.stream().allMatch(key -> leaves.stream().anyMatch(leaf -> leaf.isAtOrBelow(key)));
    }

    /// Whether any of the keys may change, also because something that contains it is replaced or removed.
    public boolean hasAny(List<String> keys) {
        return everything || keys.stream().anyMatch(this::has);
    }

    public boolean has(String key) {
        return everything || leaves.stream().anyMatch(leaf -> leaf.touches(key));
    }

    /// Whether nothing changes but the keys and what is below them.
    public boolean hasOnly(List<String> keys) {
        return !everything && leaves.stream().allMatch(leaf -> keys.stream().anyMatch(leaf::isAtOrBelow));
    }

    static TouchedPaths ofDocument(BsonValue value) {
        var touched = new TouchedPaths();
        if (value instanceof BsonDocument document) {
            document.forEach((key, inner) -> {
                if (key.startsWith("$")) {
                    touched.addOperator(key, inner);
                } else {
                    touched.addLeaves(key, inner, 0);
                }
            });
        } else {
            touched.everything = true;
        }
        return touched;
    }

    /// What one stage of an update pipeline touches.
    public static TouchedPaths ofStage(BsonDocument stage) {
        return ofPipeline(new BsonArray(List.of(stage)));
    }

    private static TouchedPaths ofPipeline(BsonArray stages) {
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
                addLeaves(path, value, 0);
            } else {
                add(path);
            }
            if (operator.equals("$rename")) {
                if (value.isString()) {
                    add(value.asString().getValue());
                } else {
                    everything = true;
                }
            }
        });
    }

    private void addStage(String stage, BsonValue operand) {
        switch (stage) {
            case "$set", "$addFields" -> {
                if (operand instanceof BsonDocument fields) {
                    fields.forEach((path, value) -> addLeaves(path, value, 0));
                } else {
                    everything = true;
                }
            }
            case "$unset" -> {
                var names = operand instanceof BsonArray array ? array : new BsonArray(List.of(operand));
                for (var name : names) {
                    if (name.isString()) {
                        add(name.asString().getValue());
                    } else {
                        everything = true;
                    }
                }
            }
            case "$project" -> {
                // An exclusion removes what it names; an inclusion removes all the rest, and may compute values.
                if (operand instanceof BsonDocument fields
                        && fields.values().stream().allMatch(TouchedPaths::isZero)) {
                    fields.keySet().forEach(this::add);
                } else {
                    everything = true;
                }
            }
            default -> everything = true; // $replaceRoot, $replaceWith, and stages that updates do not know
        }
    }

    private static boolean isZero(BsonValue value) {
        return value.isNumber()
                ? value.asNumber().doubleValue() == 0
                : value.isBoolean() && !value.asBoolean().getValue();
    }

    private void addLeaves(String path, BsonValue value, int depth) {
        if (depth > MAX_DEPTH) {
            everything = true;
        } else if (value instanceof BsonDocument document
                && !document.isEmpty()
                && document.keySet().stream().noneMatch(key -> key.startsWith("$"))) {
            document.forEach((key, inner) -> addLeaves(path + "." + key, inner, depth + 1));
        } else if (value instanceof BsonArray array && !array.isEmpty()) {
            array.forEach(element -> addLeaves(path, element, depth + 1));
        } else {
            add(path);
        }
    }

    private void add(String path) {
        leaves.add(new Leaf(path, withoutPositions(path)));
    }

    private static String withoutPositions(String path) {
        if (path.indexOf('.') < 0) {
            return path;
        }
        var kept = new StringBuilder();
        for (var step : path.split("\\.", -1)) {
            if (!isPosition(step)) {
                kept.append(kept.isEmpty() ? "" : ".").append(step);
            }
        }
        return kept.toString();
    }

    private static boolean isPosition(String step) {
        return step.startsWith("$") || (!step.isEmpty() && step.chars().allMatch(c -> c >= '0' && c <= '9'));
    }
}
