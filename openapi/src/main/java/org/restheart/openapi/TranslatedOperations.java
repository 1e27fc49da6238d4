package org.restheart.openapi;

import static org.restheart.openapi.Json.array;
import static org.restheart.openapi.Json.content;
import static org.restheart.openapi.Json.list;
import static org.restheart.openapi.Json.members;
import static org.restheart.openapi.Json.object;
import static org.restheart.openapi.Json.type;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.bson.BsonDocument;
import org.restheart.bson.BsonTexts;
import org.restheart.openapi.ServiceOperations.Offer;

/// Operations of the services that translate into requests of the data API: each is authorized as those.
final class TranslatedOperations {
    private static final String JSON = "application/json";
    private static final String EXTENDED_JSON = "application/ejson";
    private static final BsonDocument NUMBER = type("integer");

    /// @param members of the body beside the namespace, the required ones first
    /// @param required how many of them are required
    /// @param result of the answer
    private record Action(String name, List<String> members, int required, BsonDocument result) {}

    private static final List<Action> ACTIONS = List.of(
            new Action("findOne", List.of("filter", "projection", "sort"), 0, object("document", nullableObject())),
            new Action("find", List.of("filter", "projection", "sort", "limit", "skip"), 0, documents()),
            new Action("insertOne", List.of("document"), 1, object("insertedId", new BsonDocument())),
            new Action("insertMany", List.of("documents"), 1, object("insertedIds", type("array"))),
            new Action("updateOne", List.of("filter", "update", "upsert"), 2, changes()),
            new Action("updateMany", List.of("filter", "update", "upsert"), 2, changes()),
            new Action("replaceOne", List.of("filter", "replacement", "upsert"), 2, changes()),
            new Action("deleteOne", List.of("filter"), 1, object("deletedCount", NUMBER)),
            new Action("deleteMany", List.of("filter"), 1, object("deletedCount", NUMBER)),
            new Action("aggregate", List.of("pipeline"), 1, documents()));

    private TranslatedOperations() {}

    private static BsonDocument nullableObject() {
        return object("type", array("object", "null"));
    }

    private static BsonDocument documents() {
        return object("documents", list(type("object")));
    }

    /// What an upsert inserts has an id of any type.
    private static BsonDocument changes() {
        return object("matchedCount", NUMBER, "modifiedCount", NUMBER, "upsertedId", new BsonDocument());
    }

    /// @param uri the path to which the Data API is bound
    static List<Offer> ofDataApi(String uri) {
        var offers = new ArrayList<Offer>();
        for (var action : ACTIONS) {
            offers.add(new Offer(
                    uri + "/{appId}/endpoint/data/v1/action/" + action.name(),
                    "post",
                    "dataApi" + action.name().substring(0, 1).toUpperCase(Locale.ROOT)
                            + action.name().substring(1),
                    "The action " + action.name() + " of the Atlas Data API",
                    Optional.of(object("required", true, "content", content(JSON, body(action)))),
                    responses(action),
                    true,
                    false));
        }
        return offers;
    }

    private static BsonDocument body(Action action) {
        var properties = object("dataSource", type("string"), "database", type("string"), "collection", type("string"));
        action.members().forEach(name -> properties.append(name, member(name)));
        var required = array("dataSource", "database", "collection");
        required.addAll(BsonTexts.array(action.members().subList(0, action.required())));
        return object("type", "object", "properties", properties, "required", required);
    }

    private static BsonDocument member(String name) {
        return switch (name) {
            case "limit", "skip" -> object("type", "integer", "minimum", 0);
            case "documents" -> list(type("object")).append("minItems", Json.value(1));
            case "pipeline" -> list(type("object"));
            case "update" -> object("type", array("object", "array"));
            case "upsert" -> type("boolean");
            default -> type("object");
        };
    }

    private static BsonDocument responses(Action action) {
        var result = action.result().clone(); // documents are changed while they are written
        var always = result.keySet().stream().filter(name -> !name.equals("upsertedId"));
        var error = members(
                object("error", type("string"), "error_code", type("string"), "link", type("string")),
                "error",
                "error_code",
                "link");
        var described = "The result; numbers, dates and ids in canonical Extended JSON for clients that accept it";
        var content = content(JSON, members(result, always.toArray(String[]::new)))
                .append(EXTENDED_JSON, object("schema", type("object")));
        return object("2XX", object("description", described, "content", content))
                .append("default", object("description", "Why not", "content", content(JSON, error)));
    }

    /// @param uri the path to which the protocol is bound
    /// @param anonymous whether it may be used without an account
    static Offer ofModelContextProtocol(String uri, boolean anonymous) {
        var message = members(
                object(
                        "jsonrpc", object("const", "2.0"),
                        "id", object("type", array("string", "integer")),
                        "method", type("string"),
                        "params", type("object")),
                "jsonrpc",
                "method");
        var answer = members(
                object(
                        "jsonrpc", object("const", "2.0"),
                        "id", object("type", array("string", "integer", "null")),
                        "result", type("object"),
                        "error", type("object")),
                "jsonrpc");
        var content = content(JSON, answer);
        var either = content.clone().append("text/event-stream", object("schema", type("string")));
        return new Offer(
                uri,
                "post",
                "modelContextProtocol",
                "One message of the Model Context Protocol",
                Optional.of(object("required", true, "content", content(JSON, message))),
                object("200", object("description", "The result, or the error of a call", "content", either))
                        .append("202", object("description", "A notification has been received"))
                        .append("401", object("description", Failures.text(401), "content", content))
                        .append("default", object("description", "An error of the protocol", "content", content)),
                true,
                anonymous);
    }
}
