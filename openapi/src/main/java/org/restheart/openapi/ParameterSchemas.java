package org.restheart.openapi;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;
import static org.restheart.openapi.Json.type;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonMode;
import org.restheart.data.Operation.Read;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.DataPaths;
import org.restheart.http.parameter.DataParameter;
import org.restheart.http.parameter.ValueForm;
import org.restheart.openapi.OpenApiConfig.Server;
import org.restheart.openapi.VisibleResources.Group;
import org.restheart.openapi.VisibleResources.Offered;
import org.restheart.rest.description.Shape;

/// Query parameters and header fields of requests. Equal ones are shared components. Confined to one document.
final class ParameterSchemas {

    /// Ids that are not the names of resources below a collection.
    private static final String ID = "^(?!(?:"
            + DataPaths.RESERVED.stream()
                    .sorted()
                    .map(name -> name.equals("*") ? "\\*" : name)
                    .collect(Collectors.joining("|"))
            + ")$)";

    private static final Set<String> SCALARS = Set.of("string", "integer", "number", "boolean");

    private final Server server;
    private final JsonMode mode;
    private final Map<String, BsonDocument> shared = new TreeMap<>();

    /// @param server determines the bounds of pages
    /// @param mode the JSON mode of the described documents
    ParameterSchemas(Server server, JsonMode mode) {
        this.server = server;
        this.mode = mode;
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
        for (var parameter : DataParameter.values()) {
            if (parameter.appliesTo(offered.operation().use())
                    && (parameter != DataParameter.WRITE_MODE || offered.writeMode())
                    && isAllowed(offered, parameter.wireName())) {
                all.add(parameter(parameter, offered.operation(), schemas, group, variables));
            }
        }
        variables
                .flatMap(StoredVariables::listener)
                .filter(wanted -> isAllowed(offered, wanted.parameter()))
                .ifPresent(wanted -> all.add(object("name", wanted.parameter(), "in", "query")
                        .append("description", BsonValues.value("only events with this value of a field"))
                        .append("schema", type("string"))
                        .append("required", BsonValues.value(wanted.required()))));
        if (offered.operation().kind() == ResourceKind.AGGREGATION) {
            variables.ifPresent(found -> found.schema(schemas::typeOf)
                    .getDocument("properties")
                    .forEach((name, schema) -> {
                        if (DataParameter.of(name)
                                        .filter(known -> known.isKnown(Read.RUN))
                                        .isEmpty()
                                && isAllowed(offered, name)) {
                            all.add(variable(name, schema.asDocument()));
                        }
                    }));
        }
        headers(offered.operation()).forEach((component, header) -> all.add(reference(component, header)));
        return all;
    }

    /// A variable by its own name. Objects have no usual spelling in a query string.
    private static BsonDocument variable(String name, BsonDocument schema) {
        boolean isScalar = schema.get("type") instanceof BsonString type && SCALARS.contains(type.getValue());
        return object("name", name, "in", "query")
                .append("description", BsonValues.value("a variable of the pipeline, instead of `avars`"))
                .append("schema", isScalar ? schema : type("string"));
    }

    private static boolean isAllowed(Offered offered, String parameter) {
        return offered.permitted().possible().stream()
                .anyMatch(rule -> rule.limits().allowsParameter(parameter));
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
            headers.put(
                    "Prefer",
                    header(
                            "Prefer",
                            "`tx=rollback`: nothing stays changed; `return=representation`: the response has the"
                                    + " written document, as a `GET` shows it"));
        }
        if (operation.takesBound()) {
            headers.put(
                    "PreferOfMany",
                    header(
                            "Prefer",
                            "`max-affected=N, handling=strict`: nothing is changed if more documents match;"
                                    + " `tx=rollback`: nothing stays changed"));
        }
        return headers;
    }

    private BsonDocument parameter(
            DataParameter parameter,
            DataOperation operation,
            DocumentSchemas schemas,
            Optional<Group> group,
            Optional<StoredVariables> variables) {
        boolean required = parameter == DataParameter.FILTER && operation.kind().isBulk();
        var definition = definition(parameter);
        if (required) {
            definition.append("required", BsonValues.value(true));
        }
        var example = switch (parameter) {
            case SORT ->
                group.flatMap(ParameterSchemas::sortExample)
                        .or(() -> schemas.exampleField().map(Map.Entry::getKey));
            case HINT -> group.flatMap(ParameterSchemas::hintExample);
            case KEYS -> schemas.exampleField().map(field -> "{\"" + field.getKey() + "\": 1}");
            case FILTER ->
                group.filter(ParameterSchemas::hasTextIndex)
                        .map(_ -> "{\"$text\": {\"$search\": \"…\"}}")
                        .or(() -> schemas.exampleField()
                                .map(field -> new BsonDocument(field.getKey(), field.getValue()).toJson()));
            case VARIABLES_OF_PIPELINE -> {
                var some = variables.filter(found -> !found.isEmpty());
                some.ifPresent(found -> definition.append("required", BsonValues.value(found.isRequired())));
                yield some.map(StoredVariables::example);
            }
            default -> Optional.<String>empty();
        };
        return example.map(text -> definition.append("example", new BsonString(text)))
                .orElseGet(() -> reference(required ? "filterRequired" : parameter.wireName(), definition));
    }

    private BsonDocument reference(String name, BsonDocument definition) {
        shared.putIfAbsent(name, definition);
        return Json.reference("parameters", name);
    }

    /// An example by the first index other than that of `_id`, for callers who may list indexes; names that are data
    /// are not shown.
    private static Optional<String> sortExample(Group group) {
        return keys(group).filter(_ -> group.showsNames()).map(keys -> {
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
                                && Arrays.stream(entry.getKey().split("\\.")).noneMatch(Shape.Builder::isData)))
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
                        .flatMap(index -> BsonTexts.of(index, "name").stream())
                        .findFirst()
                : Optional.empty();
    }

    private static BsonDocument header(String name, String description) {
        return object("name", name, "in", "header", "description", description, "schema", type("string"));
    }

    /// The definition of a parameter, as a new document.
    private BsonDocument definition(DataParameter parameter) {
        var schema = switch (parameter.form()) {
            case ValueForm.Flag(var special) ->
                object("type", "string", "enum", special.isEmpty() ? array("true") : array("true", special));
            case ValueForm.Switch _ -> type("boolean");
            case ValueForm.Int(var min, var bounded) ->
                object(
                        "type",
                        "integer",
                        "minimum",
                        min,
                        "maximum",
                        bounded ? server.maxPageSize() : Integer.MAX_VALUE,
                        "default",
                        bounded ? server.pageSize() : min);
            case ValueForm.Choice choice ->
                object(
                        "type",
                        "string",
                        "enum",
                        parameter == DataParameter.JSON_MODE
                                ? array(mode.name().toLowerCase(Locale.ROOT))
                                : BsonTexts.array(choice.names()));
            case ValueForm.Json(var _, var example) ->
                example.isEmpty() ? type("string") : object("type", "string", "contentMediaType", "application/json");
            case ValueForm.Text(var type, var format) ->
                format.isEmpty() ? type(type) : object("type", type, "format", format);
        };
        var definition = object("name", parameter.wireName(), "in", "query")
                .append("description", new BsonString(parameter.meaning()))
                .append("schema", schema);
        if (parameter.form() instanceof ValueForm.Json(var _, var example) && !example.isEmpty()) {
            definition.append("example", new BsonString(example));
        }
        if (parameter == DataParameter.JSON_MODE) { // each document describes one
            definition.append(
                    "description",
                    new BsonString(parameter.meaning()
                            + "; other modes are described by other documents: `?jsonMode=relaxed`, `strict`,"
                            + " `extended`, `plain`"));
            if (mode != JsonMode.DEFAULT) {
                definition.append("required", BsonValues.value(true));
            }
        }
        return definition;
    }
}
