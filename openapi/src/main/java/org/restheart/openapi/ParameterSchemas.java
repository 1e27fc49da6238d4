package org.restheart.openapi;

import static org.restheart.openapi.Json.object;
import static org.restheart.openapi.Json.type;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.JsonMode;
import org.restheart.http.access.ResourceKind;
import org.restheart.mongo.description.ShapeBuilder;
import org.restheart.openapi.OpenApiConfig.Server;
import org.restheart.openapi.Visible.Group;
import org.restheart.openapi.Visible.Offered;

/// Query parameters and header fields of requests. Equal ones are shared components. Confined to one document.
final class ParameterSchemas {
    private static final List<String> READING = List.of("readConcern", "readPreference");
    private static final List<String> SESSION = List.of("sid", "txn");
    private static final List<String> FORMS = List.of("jsonMode", "rep", "hal", "np");

    private final QueryParameters definitions;
    private final Map<String, BsonDocument> shared = new TreeMap<>();

    ParameterSchemas(Server server, JsonMode mode) {
        this.definitions = new QueryParameters(server, mode);
    }

    Map<String, BsonDocument> shared() {
        return shared;
    }

    static BsonDocument ofPath(String name) {
        return switch (name) {
            case "sid" -> object("type", "string", "format", "uuid");
            case "txn" -> object("type", "integer", "format", "int64");
            default -> object("type", "string", "minLength", 1);
        };
    }

    /// The parameters that a request of the operation may have.
    BsonArray of(Offered offered, Optional<Group> group, Optional<StoredVariables> variables) {
        var all = new BsonArray();
        for (var name : names(offered)) {
            if (isAllowed(offered, name)) {
                all.add(parameter(name, offered.operation(), group, variables));
            }
        }
        variables
                .flatMap(StoredVariables::listener)
                .filter(wanted -> isAllowed(offered, wanted.parameter()))
                .ifPresent(wanted -> all.add(object(
                        "name",
                        wanted.parameter(),
                        "in",
                        "query",
                        "description",
                        "only events with this value of a field",
                        "schema",
                        type("string"),
                        "required",
                        wanted.required())));
        for (var name : headers(offered.operation())) {
            all.add(reference(name, header(name)));
        }
        return all;
    }

    private static boolean isAllowed(Offered offered, String parameter) {
        return offered.permitted().possible().stream()
                .anyMatch(rule -> rule.limits().allowsParameter(parameter));
    }

    private static List<String> names(Offered offered) {
        var names = names(offered.operation().parameters());
        return offered.writeMode()
                ? names
                : names.stream().filter(name -> !name.equals("wm")).toList();
    }

    private static List<String> names(DataOperation.Parameters parameters) {
        return switch (parameters) {
            case NONE -> List.of("jsonMode");
            case NAMES -> all(List.of("page", "pagesize"), FORMS);
            case LIST ->
                all(
                        List.of("filter", "keys", "sort", "hint", "page", "pagesize", "after", "count"),
                        FORMS,
                        List.of("nocache", "cache"),
                        READING,
                        SESSION);
            case ONE ->
                all(List.of("filter", "keys", "shardkey", "id_type"), FORMS, List.of("nocache"), READING, SESSION);
            case COUNT -> all(List.of("filter", "hint", "jsonMode"), READING, SESSION);
            case CHECK ->
                all(List.of("schema", "filter", "sort", "hint", "pagesize", "after", "jsonMode"), READING, SESSION);
            case CREATE -> all(List.of("wm", "writeConcern", "jsonMode"), SESSION);
            case WRITE ->
                all(List.of("wm", "filter", "shardkey", "id_type", "checkEtag", "writeConcern", "jsonMode"), SESSION);
            case BULK -> all(List.of("filter", "wm", "writeConcern", "jsonMode"), SESSION);
            case MANAGE -> List.of("checkEtag", "jsonMode");
            case RUN -> all(List.of("avars", "page", "pagesize"), FORMS);
            case LISTEN -> List.of("avars", "resumeAfter", "startAtOperationTime", "jsonMode");
        };
    }

    @SafeVarargs
    private static List<String> all(List<String>... names) {
        var all = new ArrayList<String>();
        for (var some : names) {
            all.addAll(some);
        }
        return all;
    }

    private static List<String> headers(DataOperation operation) {
        var names = new ArrayList<String>();
        if (operation.takesPrecondition()) {
            names.add("If-Match");
        }
        if (operation.statuses().contains(304)) {
            names.add("If-None-Match");
        }
        if (operation.kind() == ResourceKind.COLLECTION && operation.input() == DataOperation.Input.DOCUMENTS) {
            names.add("Idempotency-Key");
        }
        return names;
    }

    private BsonDocument parameter(
            String name, DataOperation operation, Optional<Group> group, Optional<StoredVariables> variables) {
        return switch (name) {
            case "sort" ->
                group.flatMap(ParameterSchemas::sortExample)
                        .map(example -> definitions.of("sort").append("example", new BsonString(example)))
                        .orElseGet(() -> reference(name, definitions.of(name)));
            case "hint" ->
                group.flatMap(ParameterSchemas::hintExample)
                        .map(example -> definitions.of("hint").append("example", new BsonString(example)))
                        .orElseGet(() -> reference(name, definitions.of(name)));
            case "filter" ->
                operation.parameters() == DataOperation.Parameters.BULK
                        ? reference("filterRequired", definitions.of(name).append("required", Json.value(true)))
                        : group.filter(ParameterSchemas::hasTextIndex).isPresent()
                                ? definitions
                                        .of(name)
                                        .append("example", new BsonString("{\"$text\": {\"$search\": \"…\"}}"))
                                : reference(name, definitions.of(name));
            case "avars" ->
                variables
                        .filter(found -> !found.isEmpty())
                        .map(found -> definitions
                                .of(name)
                                .append("required", Json.value(found.isRequired()))
                                .append("example", new BsonString(found.example())))
                        .orElseGet(() -> reference(name, definitions.of(name)));
            default -> reference(name, definitions.of(name));
        };
    }

    private BsonDocument reference(String name, BsonDocument definition) {
        shared.putIfAbsent(name, definition);
        return Json.reference("parameters", name);
    }

    /// An example by the first index other than that of `_id`; names that are data are not shown.
    private static Optional<String> sortExample(Group group) {
        return keys(group).map(keys -> {
            var example = new BsonDocument();
            keys.forEach((field, direction) ->
                    example.append(field, direction.isNumber() ? direction : new BsonString("…")));
            return example.size() == 1 && example.getFirstKey().matches("[\\w.]+")
                    ? example.getFirstKey()
                    : example.toJson();
        });
    }

    private static Optional<BsonDocument> keys(Group group) {
        return group.indexes().stream()
                .map(index -> index.getDocument("key"))
                .filter(keys -> !keys.containsKey("_id"))
                .filter(keys -> keys.entrySet().stream()
                        .allMatch(entry -> entry.getValue().isNumber()
                                && Arrays.stream(entry.getKey().split("\\.")).noneMatch(ShapeBuilder::isData)))
                .findFirst();
    }

    private static boolean hasTextIndex(Group group) {
        return group.indexes().stream()
                .anyMatch(index -> index.getDocument("key").containsValue(new BsonString("text")));
    }

    private static Optional<String> hintExample(Group group) {
        return group.showsNames()
                ? group.indexes().stream()
                        .filter(index -> !index.getDocument("key").containsKey("_id"))
                        .flatMap(index -> index.get("name") instanceof BsonString name
                                ? Stream.of(name.getValue())
                                : Stream.empty())
                        .findFirst()
                : Optional.empty();
    }

    private static BsonDocument header(String name) {
        var description = switch (name) {
            case "If-Match" -> "the `ETag` of the version that is meant";
            case "If-None-Match" -> "the `ETag` of the version that the client has";
            default -> "a text of the client's choice: a request that is repeated with it inserts nothing twice";
        };
        return object("name", name, "in", "header", "description", description, "schema", type("string"));
    }
}
