package org.restheart.openapi;

import static org.restheart.openapi.Json.object;
import static org.restheart.openapi.Json.type;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.JsonMode;
import org.restheart.mongo.description.ShapeBuilder;
import org.restheart.openapi.OpenApiConfig.Server;
import org.restheart.openapi.Visible.Group;
import org.restheart.openapi.Visible.Offered;

/// Query parameters and header fields of requests. Equal ones are shared components. Confined to one document.
final class ParameterSchemas {
    private static final List<String> READING = List.of("readConcern", "readPreference");
    private static final List<String> SESSION = List.of("sid", "txn");
    private static final List<String> FORMS = List.of("jsonMode", "rep", "hal", "np");

    /// Ids that are not the names of resources below a collection.
    private static final String ID = "^(?!(?:"
            + CollectionPaths.RESERVED.stream()
                    .sorted()
                    .map(name -> name.equals("*") ? "\\*" : name)
                    .collect(Collectors.joining("|"))
            + ")$)";

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
            case "id" -> object("type", "string", "minLength", 1, "pattern", ID);
            default -> object("type", "string", "minLength", 1);
        };
    }

    /// The parameters that a request of the operation may have.
    BsonArray of(Offered offered, DocumentSchemas schemas, Optional<Group> group, Optional<StoredVariables> variables) {
        var all = new BsonArray();
        for (var name : names(offered)) {
            if (isAllowed(offered, name)) {
                all.add(parameter(name, offered.operation(), schemas, group, variables));
            }
        }
        variables
                .flatMap(StoredVariables::listener)
                .filter(wanted -> isAllowed(offered, wanted.parameter()))
                .ifPresent(wanted -> all.add(object("name", wanted.parameter(), "in", "query")
                        .append("description", Json.value("only events with this value of a field"))
                        .append("schema", type("string"))
                        .append("required", Json.value(wanted.required()))));
        headers(offered.operation()).forEach((component, header) -> all.add(reference(component, header)));
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
            case CREATE -> all(List.of("wm", "writeConcern", "jsonMode", "rep"), SESSION);
            case WRITE ->
                all(List.of("wm", "filter", "shardkey", "id_type", "checkEtag", "writeConcern", "jsonMode"), SESSION);
            case BULK -> all(List.of("filter", "wm", "writeConcern", "jsonMode", "rep"), SESSION);
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

    /// Header fields, by the names of their components.
    private static Map<String, BsonDocument> headers(DataOperation operation) {
        var headers = new LinkedHashMap<String, BsonDocument>();
        if (operation.takesPrecondition()) {
            headers.put("If-Match", header("If-Match", "the `ETag` of the version that is meant"));
        }
        if (operation.statuses().contains(304)) {
            headers.put("If-None-Match", header("If-None-Match", "the `ETag` of the version that the client has"));
        }
        if (operation.takesAbsence()) {
            headers.put(
                    "IfNoneMatchOfWrites",
                    header("If-None-Match", "`*`: only if there is none; an `ETag`: only if the version is another"));
        }
        if (operation.takesIdempotencyKey()) {
            headers.put(
                    "Idempotency-Key",
                    header(
                            "Idempotency-Key",
                            "a text of the client's choice: a request that is repeated with it inserts nothing twice"));
        }
        if (operation.takesPreference()) {
            var prefer = header("Prefer", "whether the response has the written document, as a `GET` shows it");
            prefer.getDocument("schema").append("enum", Json.array("return=representation", "return=minimal"));
            headers.put("Prefer", prefer);
        }
        return headers;
    }

    private BsonDocument parameter(
            String name,
            DataOperation operation,
            DocumentSchemas schemas,
            Optional<Group> group,
            Optional<StoredVariables> variables) {
        boolean required = name.equals("filter") && operation.parameters() == DataOperation.Parameters.BULK;
        var definition = definitions.of(name);
        if (required) {
            definition.append("required", Json.value(true));
        }
        var example = switch (name) {
            case "sort" ->
                group.flatMap(ParameterSchemas::sortExample)
                        .or(() -> schemas.exampleField().map(Map.Entry::getKey));
            case "hint" -> group.flatMap(ParameterSchemas::hintExample);
            case "keys" -> schemas.exampleField().map(field -> "{\"" + field.getKey() + "\": 1}");
            case "filter" ->
                group.filter(ParameterSchemas::hasTextIndex)
                        .map(_ -> "{\"$text\": {\"$search\": \"…\"}}")
                        .or(() -> schemas.exampleField()
                                .map(field -> new BsonDocument(field.getKey(), field.getValue()).toJson()));
            case "avars" -> {
                var some = variables.filter(found -> !found.isEmpty());
                some.ifPresent(found -> definition.append("required", Json.value(found.isRequired())));
                yield some.map(StoredVariables::example);
            }
            default -> Optional.<String>empty();
        };
        return example.map(text -> definition.append("example", new BsonString(text)))
                .orElseGet(() -> reference(required ? "filterRequired" : name, definition));
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

    private static BsonDocument header(String name, String description) {
        return object("name", name, "in", "header", "description", description, "schema", type("string"));
    }
}
