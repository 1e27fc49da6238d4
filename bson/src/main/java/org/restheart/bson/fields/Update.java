package org.restheart.bson.fields;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonValue;

/// How a document changes (MongoDB manual, "Update Documents"). Immutable by agreement.
public sealed interface Update {
    /// @param document its keys are update operators; not empty
    /// @param arrayFilters the elements that `$[name]` in paths stands for
    record Operators(BsonDocument document, List<BsonDocument> arrayFilters) implements Update {
        public Operators {
            arrayFilters = List.copyOf(arrayFilters);
        }

        public Operators(BsonDocument document) {
            this(document, List.of());
        }

        /// The names that paths have for elements: `e` of `items.$[e].n`.
        ///
        /// @return modifiable
        public Set<String> elementNames() {
            return pathsWithElements()
                    .flatMap(path -> FieldPath.steps(path).stream())
                    .flatMap(step -> elementName(step).stream())
                    .collect(Collectors.toCollection(LinkedHashSet::new));
        }

        private Stream<String> pathsWithElements() {
            return document.values().stream()
                    .filter(BsonDocument.class::isInstance)
                    .flatMap(fields -> fields.asDocument().keySet().stream())
                    .filter(path -> path.contains("$["));
        }

        /// Empty for `$[]`, too.
        private static Optional<String> elementName(String step) {
            return step.startsWith("$[") && step.endsWith("]")
                    ? Optional.of(step.substring(2, step.length() - 1)).filter(name -> !name.isEmpty())
                    : Optional.empty();
        }

        /// The array filters as filters of documents: each at the place in whose elements a path of the update uses it.
        public List<BsonDocument> placedFilters() {
            var placed = new ArrayList<BsonDocument>();
            pathsWithElements().forEach(path -> arrayFilters.forEach(filter -> addPlaced(filter, path, placed)));
            return placed;
        }

        private static void addPlaced(BsonDocument filter, String path, List<BsonDocument> placed) {
            var steps = FieldPath.steps(path);
            var before = new StringJoiner(".");
            for (var step : steps) {
                if (step.startsWith("$[") && step.endsWith("]")) {
                    var name = step.substring(2, step.length() - 1);
                    if (!name.isEmpty()) {
                        var renamed = placed(filter, name, before.toString());
                        if (!renamed.isEmpty()) {
                            placed.add(renamed);
                        }
                    }
                } else {
                    before.add(step);
                }
            }
        }

        /// The filter with what begins with the name of the elements put below their array; without other names.
        private static BsonDocument placed(BsonDocument filter, String name, String array) {
            var renamed = new BsonDocument();
            filter.forEach((field, condition) -> {
                if (field.startsWith("$") && condition instanceof BsonArray parts) {
                    var inner = new BsonArray();
                    parts.forEach(
                            part -> inner.add(part instanceof BsonDocument each ? placed(each, name, array) : part));
                    renamed.append(field, inner);
                } else if (FieldPath.isWithin(field, name)) {
                    renamed.append(array + field.substring(name.length()), condition);
                } else if (field.startsWith("$")) {
                    renamed.append(field, condition);
                }
            });
            return renamed;
        }
    }

    /// @param stages not empty
    record Pipeline(List<BsonDocument> stages) implements Update {
        public Pipeline {
            stages = List.copyOf(stages);
        }
    }

    /// What the content of a `PATCH` says: operators, other keys beside them as if in `$set`, an array as a pipeline.
    /// Elements of an array that are no documents are left out; handlers refuse them.
    static Update of(BsonValue content) {
        if (content instanceof BsonArray array) {
            var stages = new ArrayList<BsonDocument>(array.size());
            array.forEach(stage -> {
                if (stage instanceof BsonDocument document) {
                    stages.add(document);
                }
            });
            return new Pipeline(stages);
        }
        var set = new BsonDocument();
        var operators = new BsonDocument();
        if (content instanceof BsonDocument document) {
            for (Map.Entry<String, BsonValue> entry : document.entrySet()) {
                if (!entry.getKey().startsWith("$")) {
                    set.put(entry.getKey(), entry.getValue());
                } else if (entry.getKey().equals("$set") && entry.getValue() instanceof BsonDocument fields) {
                    set.putAll(fields);
                } else {
                    operators.put(entry.getKey(), entry.getValue());
                }
            }
        }
        if (!set.isEmpty()) {
            operators.put("$set", set);
        }
        return new Operators(operators);
    }
}
