package org.restheart.openapi;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;
import static org.restheart.openapi.Json.content;
import static org.restheart.openapi.Json.list;
import static org.restheart.openapi.Json.members;
import static org.restheart.openapi.Json.type;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.BsonValues;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.StatusText;
import org.restheart.http.access.Caller;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.http.judged.Via;

/// Operations of services other than the data API. Those that translate into requests of it are authorized as these.
final class ServiceOperations {
    private static final String JSON = "application/json";
    private static final String EXTENDED_JSON = "application/ejson";
    private static final BsonDocument NUMBER = type("integer");

    private ServiceOperations() {}

    /// An operation that at least one request of the caller may execute.
    ///
    /// @param method in lower case
    record Offer(
            String path,
            String method,
            String operationId,
            String summary,
            Optional<BsonDocument> requestBody,
            BsonDocument responses,
            boolean depends,
            boolean anonymous) {}

    /// An operation by `GET`.
    ///
    /// @param segment a variable after the service's path; empty for none
    private record Fragment(String service, String segment, String operationId, String summary, BsonDocument answer) {}

    private static final List<Fragment> FRAGMENTS = List.of(
            new Fragment("ping", "", "ping", "Whether the gateway answers", members(object("message", type("string")))),
            new Fragment(
                    "roles",
                    "user",
                    "getRoles",
                    "The caller's own roles",
                    members(object("authenticated", type("boolean"), "roles", list(type("string"))))));

    /// @param paths of services, by the names of their configuration blocks
    /// @param reads whether the caller may do something with data
    static List<Offer> of(Request asking, Map<String, String> paths, KindPermissions permissions, boolean reads) {
        var offers = new ArrayList<Offer>();
        boolean hasAccount = asking.caller().account().isPresent();
        var actions = paths.get("dataApi");
        if (actions != null && hasAccount) {
            offers.addAll(ofDataApi(actions));
        }
        var tools = paths.get("mcp");
        if (tools != null && (hasAccount || reads)) {
            offers.add(ofModelContextProtocol(tools, !hasAccount));
        }
        for (var fragment : FRAGMENTS) {
            Optional.ofNullable(paths.get(fragment.service()))
                    .flatMap(path -> offer(fragment, path, asking, permissions))
                    .ifPresent(offers::add);
        }
        return offers;
    }

    private static Optional<Offer> offer(Fragment fragment, String path, Request asking, KindPermissions permissions) {
        var account = asking.caller().account();
        var segments = new ArrayList<>(RequestKind.segments(RequestPath.parse(path)));
        if (!fragment.segment().isEmpty()) {
            segments.add(account.<Segment>map(known -> new Segment.Name(known.name()))
                    .orElse(Segment.Unknown.ANY));
        }
        var kind = new RequestKind(Method.GET, segments, Set.of(), false, Via.REST);
        var answer = permissions.ask(asking, kind).decision();
        if (answer == Decision.NEVER) {
            return Optional.empty();
        }
        boolean anonymous = account.isEmpty()
                || permissions.ask(asking.with(Caller.ANONYMOUS), kind).decision() != Decision.NEVER;
        return Optional.of(new Offer(
                fragment.segment().isEmpty() ? path : path + "/{" + fragment.segment() + "}",
                "get",
                fragment.operationId(),
                fragment.summary(),
                Optional.empty(),
                responses(fragment.answer()),
                answer == Decision.DEPENDS,
                anonymous));
    }

    private static BsonDocument responses(BsonDocument answer) {
        var responses = new BsonDocument();
        List.of(200, 401, 403, 503)
                .forEach(status ->
                        responses.append(Integer.toString(status), object("description", StatusText.of(status))));
        responses.getDocument("200").append("content", content("application/json", answer));
        return responses;
    }

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
                    Optional.of(object("required", true, "content", content(JSON, bodyOf(action)))),
                    responsesOf(action),
                    true,
                    false));
        }
        return offers;
    }

    private static BsonDocument bodyOf(Action action) {
        var properties = object("dataSource", type("string"), "database", type("string"), "collection", type("string"));
        action.members().forEach(name -> properties.append(name, member(name)));
        var required = array("dataSource", "database", "collection");
        required.addAll(BsonTexts.array(action.members().subList(0, action.required())));
        return object("type", "object", "properties", properties, "required", required);
    }

    private static BsonDocument member(String name) {
        return switch (name) {
            case "limit", "skip" -> object("type", "integer", "minimum", 0);
            case "documents" -> list(type("object")).append("minItems", BsonValues.value(1));
            case "pipeline" -> list(type("object"));
            case "update" -> object("type", array("object", "array"));
            case "upsert" -> type("boolean");
            default -> type("object");
        };
    }

    private static BsonDocument responsesOf(Action action) {
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
                        .append("401", object("description", StatusText.of(401), "content", content))
                        .append("default", object("description", "An error of the protocol", "content", content)),
                true,
                anonymous);
    }
}
