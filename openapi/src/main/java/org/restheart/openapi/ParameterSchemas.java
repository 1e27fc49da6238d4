package org.restheart.openapi;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;
import static org.restheart.openapi.Json.type;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.BsonValues;
import org.restheart.bson.JsonMode;
import org.restheart.http.Method;
import org.restheart.http.access.ResourceKind;
import org.restheart.http.judged.DataPaths;
import org.restheart.mongo.description.Shape;
import org.restheart.mongo.parameter.UnknownParameters;
import org.restheart.openapi.OpenApiConfig.Server;
import org.restheart.openapi.VisibleResources.Group;
import org.restheart.openapi.VisibleResources.Offered;

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
                        .append("description", BsonValues.value("only events with this value of a field"))
                        .append("schema", type("string"))
                        .append("required", BsonValues.value(wanted.required()))));
        if (offered.operation().kind() == ResourceKind.AGGREGATION) {
            variables.ifPresent(found -> found.schema(schemas::typeOf)
                    .getDocument("properties")
                    .forEach((name, schema) -> {
                        if (!UnknownParameters.isKnown(name) && isAllowed(offered, name)) {
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

    private static List<String> names(Offered offered) {
        return offered.operation().parameters().names().stream()
                .filter(name -> switch (name) {
                    case "wm" -> offered.writeMode();
                    case "arrayFilters" -> offered.operation().method() == Method.PATCH;
                    default -> true;
                })
                .toList();
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
            prefer.getDocument("schema").append("enum", BsonValues.array("return=representation", "return=minimal"));
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
            definition.append("required", BsonValues.value(true));
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
                some.ifPresent(found -> definition.append("required", BsonValues.value(found.isRequired())));
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

    /// An example by the first index other than that of `_id`, for callers who may list indexes; names that are data
    /// are
    /// not shown.
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
                        .flatMap(index -> index.get("name") instanceof BsonString name
                                ? Stream.of(name.getValue())
                                : Stream.empty())
                        .findFirst()
                : Optional.empty();
    }

    private static BsonDocument header(String name, String description) {
        return object("name", name, "in", "header", "description", description, "schema", type("string"));
    }

    /// The query parameters of the data API, by name. Immutable.
    ///
    /// @param server determines the bounds of pages
    /// @param mode the JSON mode of the described documents
    private record QueryParameters(Server server, JsonMode mode) {
        private static final Object[] READ_PREFERENCES = {
            "primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest"
        };
        private static final Object[] ID_TYPES = {
            "STRING_OID",
            "OID",
            "STRING",
            "NUMBER",
            "DATE",
            "NULL",
            "MINKEY",
            "MAXKEY",
            "UUID",
            "DECIMAL128",
            "DOCUMENT"
        };

        /// The definition of a parameter, as a new document.
        ///
        /// @throws IllegalArgumentException for another name
        BsonDocument of(String name) {
            return switch (name) {
                case "filter" ->
                    json(name, "a query of MongoDB; may be repeated, all must match", "{\"_id\": {\"$exists\": true}}");
                case "keys" -> json(name, "a projection: which properties are wanted", "{\"_id\": 1}");
                case "sort" -> query(name, "an order: a property, `-property`, or an object", type("string"));
                case "hint" -> query(name, "an index: its keys or its name", type("string"));
                case "page" -> query(name, "the number of the page, from 1", number(1, 1, Integer.MAX_VALUE));
                case "pagesize" ->
                    query(name, "documents per page", number(0, server.pageSize(), server.maxPageSize()));
                case "after" -> query(name, "taken from the `Link` of a page: what follows that page", type("string"));
                case "count" -> choice(name, "count what matches", "true", "estimated");
                case "jsonMode" -> jsonMode();
                case "rep" -> choice(name, "the representation of results", "STANDARD", "HAL", "SHAL");
                case "hal" -> choice(name, "how much HAL", "FULL", "COMPACT");
                case "np" -> flag(name, "without properties of the collection");
                case "nocache" -> flag(name, "ask MongoDB whether database and collection exist");
                case "cache" -> query(name, "accepted, without effect", type("boolean"));
                case "readConcern" ->
                    choice(name, "for this request", "local", "available", "majority", "linearizable", "snapshot");
                case "readPreference" -> choice(name, "for this request", READ_PREFERENCES);
                case "writeConcern" ->
                    choice(name, "for this request", "ACKNOWLEDGED", "W1", "W2", "W3", "JOURNALED", "MAJORITY");
                case "wm" ->
                    choice(name, "whether documents are inserted, updated, or either", "insert", "update", "upsert");
                case "checkEtag" -> flag(name, "require `If-Match`");
                case "schema" ->
                    query(name, "a schema of the database's store; without, the collection's", type("string"));
                case "shardkey" -> json(name, "the shard key of the document", "{\"_id\": 1}");
                case "arrayFilters" ->
                    json(name, "which elements `$[e]` in paths stands for", "[{\"e.n\": {\"$gt\": 1}}]");
                case "collation" -> json(name, "how texts are compared", "{\"locale\": \"en\", \"strength\": 2}");
                case "id_type" -> choice(name, "the type of the id", ID_TYPES);
                case "avars" -> json(name, "values of the variables of the pipeline", "{}");
                case "resumeAfter" ->
                    json(name, "what follows the event with this token; tokens come with events", "{\"_data\": \"…\"}");
                case "startAtOperationTime" ->
                    query(name, "what follows this time: seconds since 1970, or a timestamp", type("string"));
                case "sid" -> query(name, "a session", object("type", "string", "format", "uuid"));
                case "txn" -> query(name, "a transaction of the session", object("type", "integer", "format", "int64"));
                default -> throw new IllegalArgumentException(name);
            };
        }

        /// The JSON mode that this document describes.
        private BsonDocument jsonMode() {
            var text = mode.name().toLowerCase(Locale.ROOT);
            var parameter = choice(
                    "jsonMode",
                    "how types that JSON lacks are spelled; other modes are described by other documents:"
                            + " `?jsonMode=relaxed`, `strict`, `extended`",
                    text);
            return mode == JsonMode.DEFAULT ? parameter : parameter.append("required", BsonValues.value(true));
        }

        private static BsonDocument query(String name, String description, BsonDocument schema) {
            return object("name", name, "in", "query", "description", description, "schema", schema);
        }

        private static BsonDocument json(String name, String description, String example) {
            return query(name, description, object("type", "string", "contentMediaType", "application/json"))
                    .append("example", new BsonString(example));
        }

        private static BsonDocument flag(String name, String description) {
            return query(name, description, object("type", "string", "enum", array("true")));
        }

        private static BsonDocument choice(String name, String description, Object... values) {
            return query(name, description, object("type", "string", "enum", array(values)));
        }

        private static BsonDocument number(int min, int otherwise, int max) {
            return object("type", "integer", "minimum", min, "maximum", max, "default", otherwise);
        }
    }
}
