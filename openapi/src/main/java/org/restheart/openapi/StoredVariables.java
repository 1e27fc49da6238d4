package org.restheart.openapi;

import static org.restheart.openapi.Json.object;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.BsonValue;

/// The variables of a stored aggregation or stream, found by walking its definition. Immutable.
///
/// @param required by name: whether a request without it fails, and the default
record StoredVariables(Map<String, Variable> required) {
    /// @param otherwise the default
    record Variable(boolean required, Optional<BsonValue> otherwise) {}

    static StoredVariables of(BsonDocument definition) {
        var found = new TreeMap<String, Variable>();
        for (var key : java.util.List.of("stages", "query")) {
            var value = definition.get(key);
            if (value != null) {
                walk(value, false, found);
            }
        }
        return new StoredVariables(found);
    }

    private static void walk(BsonValue value, boolean optional, Map<String, Variable> found) {
        if (value instanceof BsonArray array) {
            array.forEach(element -> walk(element, optional, found));
        } else if (value instanceof BsonDocument document) {
            if (document.size() == 1 && document.containsKey("$var")) {
                variable(document.get("$var"), optional, found);
            } else if (document.size() == 1
                    && document.get("$ifvar") instanceof BsonArray conditional
                    && !conditional.isEmpty()) {
                var names = conditional.getFirst() instanceof BsonArray several
                        ? several
                        : new BsonArray(java.util.List.of(conditional.getFirst()));
                names.forEach(name -> variable(name, true, found));
                conditional.subList(1, conditional.size()).forEach(stage -> walk(stage, true, found));
            } else {
                document.values().forEach(inner -> walk(inner, optional, found));
            }
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
    BsonDocument schema() {
        var properties = new BsonDocument();
        var names = new BsonArray();
        required.forEach((name, variable) -> {
            var schema = new BsonDocument();
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
