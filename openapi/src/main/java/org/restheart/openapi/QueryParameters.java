package org.restheart.openapi;

import static org.restheart.openapi.Json.array;
import static org.restheart.openapi.Json.object;
import static org.restheart.openapi.Json.type;

import java.util.Locale;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.restheart.bson.JsonMode;
import org.restheart.openapi.OpenApiConfig.Server;

/// The query parameters of the data API, by name. Immutable.
///
/// @param server determines the bounds of pages
/// @param mode the JSON mode of the described documents
record QueryParameters(Server server, JsonMode mode) {
    private static final Object[] READ_PREFERENCES = {
        "primary", "primaryPreferred", "secondary", "secondaryPreferred", "nearest"
    };
    private static final Object[] ID_TYPES = {
        "STRING_OID", "OID", "STRING", "NUMBER", "DATE", "NULL", "MINKEY", "MAXKEY"
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
            case "page" -> query(name, "the number of the page, from 1", number(1, 1, Optional.of(Integer.MAX_VALUE)));
            case "pagesize" ->
                query(name, "documents per page", number(0, server.pageSize(), Optional.of(server.maxPageSize())));
            case "after" -> query(name, "taken from the `Link` of a page: what follows that page", type("string"));
            case "count" -> choice(name, "count what matches", "true", "estimated");
            case "jsonMode" -> jsonMode();
            case "rep" -> choice(name, "the representation of results", "STANDARD", "HAL", "SHAL");
            case "hal" -> choice(name, "how much HAL", "FULL", "COMPACT");
            case "np" -> flag(name, "without properties of the collection");
            case "nocache" -> flag(name, "ask MongoDB whether database and collection exist");
            case "cache" -> query(name, "whether the result may be a cached one, a few seconds old", type("boolean"));
            case "readConcern" ->
                choice(name, "for this request", "local", "available", "majority", "linearizable", "snapshot");
            case "readPreference" -> choice(name, "for this request", READ_PREFERENCES);
            case "writeConcern" ->
                choice(name, "for this request", "ACKNOWLEDGED", "W1", "W2", "W3", "JOURNALED", "MAJORITY");
            case "wm" ->
                choice(name, "whether documents are inserted, updated, or either", "insert", "update", "upsert");
            case "checkEtag" -> flag(name, "require `If-Match`");
            case "schema" -> query(name, "a schema of the database's store; without, the collection's", type("string"));
            case "shardkey" -> json(name, "the shard key of the document", "{\"_id\": 1}");
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
        return mode == JsonMode.DEFAULT ? parameter : parameter.append("required", Json.value(true));
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

    private static BsonDocument number(int min, int otherwise, Optional<Integer> max) {
        var schema = object("type", "integer", "minimum", min);
        max.ifPresent(value -> schema.append("maximum", Json.value(value)));
        return schema.append("default", Json.value(otherwise));
    }
}
