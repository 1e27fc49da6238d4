package org.restheart.openapi;

import static org.restheart.bson.BsonValues.object;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonValues;

/// The variables of a stored aggregation or stream, found by walking its definition. Immutable.
///
/// @param required by name: whether a request without it fails, and the default
/// @param compared by name: the fields of the collection with whose values they are compared
/// @param listener by which listeners of a stream choose events
record StoredVariables(
        Map<String, Variable> required, Map<String, Set<String>> compared, Optional<ListenerFilter> listener) {
    private static final Set<String> COMPARISONS = Set.of("$eq", "$ne", "$gt", "$gte", "$lt", "$lte");

    /// Stages before which documents are those of the collection.
    private static final Set<String> PRESERVING = Set.of("$sort", "$limit", "$skip", "$sample");

    /// @param otherwise the default
    record Variable(boolean required, Optional<BsonValue> otherwise) {}

    /// @param parameter of the query
    record ListenerFilter(String parameter, boolean required) {}

    static StoredVariables of(BsonDocument definition) {
        var found = new TreeMap<String, Variable>();
        for (var key : List.of("stages", "query")) {
            var value = definition.get(key);
            if (value != null) {
                walk(value, false, found);
            }
        }
        var compared = new TreeMap<String, Set<String>>();
        if (definition.get("stages") instanceof BsonArray stages) {
            compare(stages, compared);
        }
        return new StoredVariables(found, compared, listener(definition));
    }

    private static Optional<ListenerFilter> listener(BsonDocument definition) {
        return definition.get("notify_when") instanceof BsonDocument filter && filter.size() == 1
                ? filter.values().stream()
                        .flatMap(value -> value instanceof BsonDocument named ? nameOf(named).stream() : Stream.empty())
                        .findFirst()
                        .map(name -> new ListenerFilter(
                                name, !BsonBoolean.FALSE.equals(definition.get("notify_when_required"))))
                : Optional.empty();
    }

    /// Looks at the filters with which a pipeline begins: behind other stages, fields are not those of the collection.
    private static void compare(BsonArray stages, Map<String, Set<String>> compared) {
        for (var stage : stages) {
            var inner = stage instanceof BsonDocument conditional
                            && conditional.get("$ifvar") instanceof BsonArray parts
                            && parts.size() > 1
                    ? parts.get(1)
                    : stage;
            if (inner instanceof BsonDocument document && document.get("$match") instanceof BsonDocument match) {
                compare(match, compared);
            } else if (!(inner instanceof BsonDocument document) || !PRESERVING.containsAll(document.keySet())) {
                return;
            }
        }
    }

    private static void compare(BsonDocument match, Map<String, Set<String>> compared) {
        match.forEach((name, value) -> {
            if (!name.startsWith("$")) {
                compare(name, value, compared);
            } else if (value instanceof BsonArray conditions) {
                conditions.stream()
                        .filter(BsonValue::isDocument)
                        .forEach(condition -> compare(condition.asDocument(), compared));
            }
        });
    }

    private static void compare(String field, BsonValue value, Map<String, Set<String>> compared) {
        if (!(value instanceof BsonDocument document)) {
            return;
        }
        nameOf(document)
                .ifPresent(name ->
                        compared.computeIfAbsent(name, _ -> new TreeSet<>()).add(field));
        document.forEach((operator, operand) -> {
            if (COMPARISONS.contains(operator)) {
                compare(field, operand, compared);
            } else if (operand instanceof BsonArray values && (operator.equals("$in") || operator.equals("$nin"))) {
                values.forEach(each -> compare(field, each, compared));
            }
        });
    }

    /// The variable that a value consists of.
    private static Optional<String> nameOf(BsonDocument value) {
        if (value.size() != 1) {
            return Optional.empty();
        }
        var named =
                value.get("$var") instanceof BsonArray both && !both.isEmpty() ? both.getFirst() : value.get("$var");
        return named instanceof BsonString name ? Optional.of(name.getValue()) : Optional.empty();
    }

    private static void walk(BsonValue value, boolean optional, Map<String, Variable> found) {
        var only = value instanceof BsonDocument document && document.size() == 1 ? document : new BsonDocument();
        if (only.containsKey("$var")) {
            variable(only.get("$var"), optional, found);
        } else if (only.get("$ifvar") instanceof BsonArray conditional && !conditional.isEmpty()) {
            BsonValues.several(conditional.getFirst()).forEach(name -> variable(name, true, found));
            conditional.subList(1, conditional.size()).forEach(stage -> walk(stage, true, found));
        } else {
            BsonValues.within(value).forEach(inner -> walk(inner, optional, found));
        }
    }

    private static void variable(BsonValue value, boolean optional, Map<String, Variable> found) {
        if (value instanceof BsonString name) {
            add(name.getValue(), new Variable(!optional, Optional.empty()), found);
        } else if (value instanceof BsonArray both && both.size() == 2 && both.getFirst() instanceof BsonString name) {
            add(name.getValue(), new Variable(false, Optional.of(both.get(1))), found);
        }
    }

    /// Names that begin with `@` are set by the server. A path refers to the variable of its first segment.
    private static void add(String name, Variable variable, Map<String, Variable> found) {
        if (name.startsWith("@")) {
            return;
        }
        found.merge(
                name.split("[.\\[]", 2)[0],
                variable,
                (a, b) -> new Variable(
                        a.required() || b.required(), a.otherwise().isPresent() ? a.otherwise() : b.otherwise()));
    }

    boolean isEmpty() {
        return required.isEmpty();
    }

    boolean isRequired() {
        return required.values().stream().anyMatch(Variable::required);
    }

    /// The schema of the parameter `avars`.
    ///
    /// @param types those of fields of the collection, by path
    BsonDocument schema(Function<String, Optional<BsonDocument>> types) {
        var properties = new BsonDocument();
        var names = new BsonArray();
        required.forEach((name, variable) -> {
            var schemas = compared.getOrDefault(name, Set.of()).stream()
                    .map(types)
                    .distinct()
                    .toList();
            var schema = schemas.size() == 1
                    ? schemas.getFirst().orElseGet(BsonDocument::new).clone()
                    : new BsonDocument();
            variable.otherwise().ifPresent(value -> schema.append("default", value));
            properties.append(name, schema);
            if (variable.required()) {
                names.add(new BsonString(name));
            }
        });
        var schema = object("type", "object", "properties", properties);
        return names.isEmpty() ? schema : schema.append("required", names);
    }

    /// An example with placeholder values.
    String example() {
        var example = new BsonDocument();
        required.forEach((name, variable) -> {
            if (variable.required()) {
                example.append(name, new BsonString("…"));
            }
        });
        return example.toJson();
    }
}
