package org.restheart.openapi;

import static org.restheart.openapi.Json.list;
import static org.restheart.openapi.Json.members;
import static org.restheart.openapi.Json.object;
import static org.restheart.openapi.Json.type;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.access.Caller;
import org.restheart.http.judged.Answer;
import org.restheart.http.judged.KindPermissions;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.judged.RequestKind.Segment;
import org.restheart.http.judged.Via;

/// Operations of services other than the data API.
final class ServiceOperations {
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

    /// @param segment a variable after the service's path; empty for none
    private record Fragment(
            String service, Method method, String segment, String operationId, String summary, BsonDocument answer) {}

    private static final List<Fragment> FRAGMENTS = List.of(
            new Fragment(
                    "ping",
                    Method.GET,
                    "",
                    "ping",
                    "Whether the gateway answers",
                    members(object("message", type("string")))),
            new Fragment(
                    "roles",
                    Method.GET,
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
            offers.addAll(TranslatedOperations.ofDataApi(actions));
        }
        var tools = paths.get("mcp");
        if (tools != null && (hasAccount || reads)) {
            offers.add(TranslatedOperations.ofModelContextProtocol(tools, !hasAccount));
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
        var segments = new ArrayList<Segment>();
        RequestPath.parse(path).segments().forEach(name -> segments.add(new Segment.Name(name)));
        if (!fragment.segment().isEmpty()) {
            segments.add(account.<Segment>map(known -> new Segment.Name(known.name()))
                    .orElse(Segment.Unknown.ANY));
        }
        var kind = new RequestKind(fragment.method(), segments, Set.of(), false, Via.REST);
        var answer = permissions.ask(asking, kind).answer();
        if (answer == Answer.NEVER) {
            return Optional.empty();
        }
        boolean anonymous = account.isEmpty()
                || permissions.ask(asking.with(Caller.ANONYMOUS), kind).answer() != Answer.NEVER;
        return Optional.of(new Offer(
                fragment.segment().isEmpty() ? path : path + "/{" + fragment.segment() + "}",
                "get",
                fragment.operationId(),
                fragment.summary(),
                Optional.empty(),
                responses(fragment.answer()),
                answer == Answer.DEPENDS,
                anonymous));
    }

    private static BsonDocument responses(BsonDocument answer) {
        var responses = new BsonDocument();
        List.of(200, 401, 403, 503)
                .forEach(status ->
                        responses.append(Integer.toString(status), object("description", Failures.text(status))));
        responses.getDocument("200").append("content", Json.content("application/json", answer));
        return responses;
    }
}
