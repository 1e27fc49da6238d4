package org.restheart.openapi;

import static org.restheart.openapi.Json.array;
import static org.restheart.openapi.Json.object;
import static org.restheart.openapi.Json.type;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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

    private final Server server;
    private final JsonMode mode;
    private final Map<String, BsonDocument> shared = new TreeMap<>();

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
            default -> object("type", "string", "minLength", 1);
        };
    }

    /// The parameters that a request of the operation may have.
    BsonArray of(Offered offered, Optional<Group> group, Optional<StoredVariables> variables) {
        var all = new BsonArray();
        for (var name : names(offered)) {
            boolean allowed = offered.permitted().possible().stream()
                    .anyMatch(rule -> rule.limits().allowsParameter(name));
            if (allowed) {
                all.add(parameter(name, offered.operation(), group, variables));
            }
        }
        for (var name : headers(offered.operation())) {
            all.add(reference(name, header(name)));
        }
        return all;
    }

    private List<String> names(Offered offered) {
        var operation = offered.operation();
        var names = new ArrayList<String>();
        switch (operation.parameters()) {
            case NONE -> names.add("jsonMode");
            case NAMES -> names.addAll(List.of("page", "pagesize", "jsonMode", "rep", "hal", "np"));
            case LIST -> {
                names.addAll(List.of("filter", "keys", "sort", "hint", "page", "pagesize", "after", "count"));
                names.addAll(FORMS);
                names.addAll(List.of("nocache", "cache"));
                names.addAll(READING);
                names.addAll(SESSION);
            }
            case ONE -> {
                names.addAll(List.of("filter", "keys", "shardkey", "id_type"));
                names.addAll(FORMS);
                names.add("nocache");
                names.addAll(READING);
                names.addAll(SESSION);
            }
            case COUNT -> {
                names.addAll(List.of("filter", "hint", "jsonMode"));
                names.addAll(READING);
                names.addAll(SESSION);
            }
            case CHECK -> {
                names.addAll(List.of("schema", "filter", "sort", "hint", "pagesize", "after", "jsonMode"));
                names.addAll(READING);
                names.addAll(SESSION);
            }
            case CREATE -> {
                names.addAll(List.of("wm", "writeConcern", "jsonMode"));
                names.addAll(SESSION);
            }
            case WRITE -> {
                names.addAll(List.of("wm", "filter", "shardkey", "id_type", "checkEtag", "writeConcern", "jsonMode"));
                names.addAll(SESSION);
            }
            case BULK -> {
                names.addAll(List.of("filter", "wm", "writeConcern", "jsonMode"));
                names.addAll(SESSION);
            }
            case MANAGE -> names.addAll(List.of("checkEtag", "jsonMode"));
            case RUN -> {
                names.addAll(List.of("avars", "page", "pagesize"));
                names.addAll(FORMS);
            }
            case LISTEN -> names.addAll(List.of("avars", "jsonMode"));
        }
        if (!offered.writeMode()) {
            names.remove("wm");
        }
        return names;
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
                        .map(example -> query("sort", "an order: a property, `-property`, or an object", type("string"))
                                .append("example", new BsonString(example)))
                        .orElseGet(() -> reference(name, definition(name)));
            case "hint" ->
                group.flatMap(ParameterSchemas::hintExample)
                        .map(example -> definition("hint").append("example", new BsonString(example)))
                        .orElseGet(() -> reference(name, definition(name)));
            case "filter" ->
                operation.parameters() == DataOperation.Parameters.BULK
                        ? reference("filterRequired", definition(name).append("required", Json.value(true)))
                        : reference(name, definition(name));
            case "avars" ->
                variables
                        .filter(found -> !found.isEmpty())
                        .map(found -> definition(name)
                                .append("required", Json.value(found.isRequired()))
                                .append("example", new BsonString(found.example())))
                        .orElseGet(() -> reference(name, definition(name)));
            default -> reference(name, definition(name));
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
                                && java.util.Arrays.stream(entry.getKey().split("\\."))
                                        .noneMatch(ShapeBuilder::isData)))
                .findFirst();
    }

    private static Optional<String> hintExample(Group group) {
        return group.showsNames()
                ? group.indexes().stream()
                        .filter(index -> !index.getDocument("key").containsKey("_id"))
                        .flatMap(index -> index.get("name") instanceof BsonString name
                                ? java.util.stream.Stream.of(name.getValue())
                                : java.util.stream.Stream.empty())
                        .findFirst()
                : Optional.empty();
    }

    private static BsonDocument query(String name, String description, BsonDocument schema) {
        return object("name", name, "in", "query", "description", description, "schema", schema);
    }

    private static BsonDocument header(String name) {
        var description = switch (name) {
            case "If-Match" -> "the `ETag` of the version that is meant";
            case "If-None-Match" -> "the `ETag` of the version that the client has";
            default -> "a text of the client's choice: a request that is repeated with it inserts nothing twice";
        };
        return object("name", name, "in", "header", "description", description, "schema", type("string"));
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

    private static BsonDocument number(int min, int otherwise, Optional<Integer> max) {
        var schema = object("type", "integer", "minimum", min);
        max.ifPresent(value -> schema.append("maximum", Json.value(value)));
        return schema.append("default", Json.value(otherwise));
    }

    private BsonDocument definition(String name) {
        return switch (name) {
            case "filter" ->
                json(name, "a query of MongoDB; may be repeated, all must match", "{\"_id\": {\"$exists\": true}}");
            case "keys" -> json(name, "a projection: which properties are wanted", "{\"_id\": 1}");
            case "sort" -> query(name, "an order: a property, `-property`, or an object", type("string"));
            case "hint" -> query(name, "an index: its keys or its name", type("string"));
            case "page" -> query(name, "from 1", number(1, 1, Optional.of(Integer.MAX_VALUE)));
            case "pagesize" ->
                query(name, "documents per page", number(0, server.pageSize(), Optional.of(server.maxPageSize())));
            case "after" -> query(name, "taken from the `Link` of a page: what follows that page", type("string"));
            case "count" -> choice(name, "count what matches", "true", "estimated");
            case "jsonMode" -> jsonMode();
            case "rep" -> choice(name, "the representation of results", "STANDARD", "HAL", "SHAL");
            case "hal" -> choice(name, "how much HAL", "FULL", "COMPACT");
            case "np" -> flag(name, "without properties of the collection");
            case "nocache" -> flag(name, "ask MongoDB whether database and collection exist");
            case "cache" -> query(name, "a result of the last seconds will do", type("boolean"));
            case "readConcern" ->
                choice(name, "for this request", "local", "available", "majority", "linearizable", "snapshot");
            case "readPreference" ->
                choice(
                        name,
                        "for this request",
                        "primary",
                        "primaryPreferred",
                        "secondary",
                        "secondaryPreferred",
                        "nearest");
            case "writeConcern" ->
                choice(name, "for this request", "ACKNOWLEDGED", "W1", "W2", "W3", "JOURNALED", "MAJORITY");
            case "wm" -> choice(name, "what becomes of documents that exist, or do not", "insert", "update", "upsert");
            case "checkEtag" -> flag(name, "require `If-Match`");
            case "schema" -> query(name, "a schema of the database's store; without, the collection's", type("string"));
            case "shardkey" -> json(name, "the shard key of the document", "{\"_id\": 1}");
            case "id_type" ->
                choice(
                        name,
                        "the type of the id",
                        "STRING_OID",
                        "OID",
                        "STRING",
                        "NUMBER",
                        "DATE",
                        "NULL",
                        "MINKEY",
                        "MAXKEY");
            case "avars" -> json(name, "values of variables", "{}");
            case "sid" -> query(name, "a session", object("type", "string", "format", "uuid"));
            case "txn" -> query(name, "a transaction of the session", object("type", "integer", "format", "int64"));
            default -> throw new IllegalArgumentException(name);
        };
    }

    /// The JSON mode that this document describes.
    private BsonDocument jsonMode() {
        var text = mode.name().toLowerCase(java.util.Locale.ROOT);
        var parameter = choice(
                "jsonMode",
                "how types that JSON lacks are spelled; other modes are described by other documents:"
                        + " `?jsonMode=relaxed`, `strict`, `extended`",
                text);
        return mode == JsonMode.DEFAULT ? parameter : parameter.append("required", Json.value(true));
    }
}
