package org.restheart.openapi;

import static org.restheart.bson.BsonValues.array;
import static org.restheart.bson.BsonValues.object;
import static org.restheart.openapi.Json.content;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.restheart.http.Bundled;
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

/// Operations of services other than the data API, from the fragments in `services.json`. The requests into which
/// those of the Atlas Data API and of the Model Context Protocol are translated are authorized.
final class ServiceOperations {
    private static final String JSON = "application/json";
    private static final BsonDocument FRAGMENTS = Bundled.json(ServiceOperations.class, "services.json");

    private ServiceOperations() {}

    /// An operation that at least one request of the caller may execute.
    ///
    /// @param method in lower case
    record Offer(String path, String method, BsonDocument operation, boolean depends, boolean anonymous) {}

    /// @param paths of services, by the names of their configuration blocks
    /// @param visible what the caller may do with data
    static List<Offer> of(
            Request asking, Map<String, String> paths, KindPermissions permissions, VisibleResources visible) {
        var offers = new ArrayList<Offer>();
        boolean hasAccount = asking.caller().account().isPresent();
        var actions = paths.get("dataApi");
        if (actions != null && hasAccount) {
            FRAGMENTS.getDocument("dataApi").getDocument("actions").keySet().forEach(name -> {
                var path = actions + "/{appId}/endpoint/data/v1/action/" + name;
                offers.add(new Offer(path, "post", action(name), true, false));
            });
        }
        var tools = paths.get("mcp");
        if (tools != null && (hasAccount || !visible.isEmpty())) {
            offers.add(new Offer(tools, "post", modelContextProtocol(), true, !hasAccount));
        }
        var token = paths.get("authTokenService");
        if (token != null) {
            var operations = FRAGMENTS.getDocument("token");
            offers.add(new Offer(token, "post", operations.getDocument("post"), false, true));
            if (hasAccount) {
                offers.add(new Offer(token, "delete", operations.getDocument("delete"), false, false));
            }
        }
        var transactions = paths.get("transactions");
        if (transactions != null && visible.writesDocuments()) {
            offers.add(new Offer(transactions, "post", FRAGMENTS.getDocument("transactions"), true, !hasAccount));
        }
        for (var fragment : FRAGMENTS.getArray("get")) {
            var service = paths.get(text(fragment.asDocument(), "service"));
            if (service != null) {
                offer(fragment.asDocument(), service, asking, permissions, offers);
            }
        }
        return offers;
    }

    private static void offer(
            BsonDocument fragment, String service, Request asking, KindPermissions permissions, List<Offer> offers) {
        var account = asking.caller().account();
        var segments = new ArrayList<>(RequestKind.segments(RequestPath.parse(service)));
        if (!text(fragment, "path").isEmpty()) {
            segments.add(account.<Segment>map(known -> new Segment.Name(known.name()))
                    .orElse(Segment.Unknown.ANY));
        }
        var kind = new RequestKind(Method.GET, segments, Set.of(), false, Via.REST);
        var answer = permissions.ask(asking, kind).decision();
        if (answer == Decision.NEVER) {
            return;
        }
        boolean anonymous = account.isEmpty()
                || permissions.ask(asking.with(Caller.ANONYMOUS), kind).decision() != Decision.NEVER;
        var operation = named(text(fragment, "operationId"), text(fragment, "summary"));
        var responses = new BsonDocument();
        List.of(200, 401, 403, 503)
                .forEach(status -> responses.append("" + status, object("description", StatusText.of(status))));
        responses.getDocument("200").append("content", content(JSON, fragment.getDocument("answer")));
        var path = service + text(fragment, "path");
        offers.add(new Offer(
                path, "get", operation.append("responses", responses), answer == Decision.DEPENDS, anonymous));
    }

    private static String text(BsonDocument fragment, String name) {
        return fragment.getString(name).getValue();
    }

    private static BsonDocument named(String operationId, String summary) {
        return object("operationId", operationId, "summary", summary);
    }

    private static BsonDocument action(String name) {
        var api = FRAGMENTS.getDocument("dataApi");
        var action = api.getDocument("actions").getDocument(name);
        var string = Json.type("string");
        var sent = object("dataSource", string, "database", string, "collection", string);
        var must = action.getArray("must", new BsonArray());
        for (var members : List.of(must, action.getArray("may", new BsonArray()))) {
            members.forEach(member -> {
                var key = member.asString().getValue();
                sent.append(key, api.getDocument("members").get(key));
            });
        }
        var required = array("dataSource", "database", "collection");
        required.addAll(must);
        var body = object("type", "object", "properties", sent, "required", required);
        var result = api.getDocument("results").getDocument(text(action, "result"));
        // what an upsert inserts has an id
        var always = result.keySet().stream().filter(key -> !key.equals("upsertedId"));
        var content = content(JSON, Json.members(result, always.toArray(String[]::new)))
                .append("application/ejson", object("schema", Json.type("object")));
        var described = "The result; numbers, dates and ids in canonical Extended JSON for clients that accept it";
        var responses = object("2XX", object("description", described, "content", content))
                .append("default", api.get("error"));
        var id = "dataApi" + name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
        return named(id, "The action " + name + " of the Atlas Data API")
                .append("requestBody", object("required", true, "content", content(JSON, body)))
                .append("responses", responses);
    }

    private static BsonDocument modelContextProtocol() {
        var operation = FRAGMENTS.getDocument("mcp").clone();
        var content = content(JSON, operation.getDocument("answer"));
        operation.remove("answer");
        var either = content.clone().append("text/event-stream", object("schema", Json.type("string")));
        return operation.append(
                "responses",
                object("200", object("description", "The result, or the error of a call", "content", either))
                        .append("202", object("description", "A notification has been received"))
                        .append("401", object("description", StatusText.of(401), "content", content))
                        .append("default", object("description", "An error of the protocol", "content", content)));
    }
}
