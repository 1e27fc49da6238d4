package org.restheart.openapi;

import static org.restheart.bson.BsonValues.object;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonNull;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.restheart.bson.BsonTexts;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.data.Access;
import org.restheart.data.Privilege;
import org.restheart.http.KnownKeys;
import org.restheart.http.Method;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.RequestPath;
import org.restheart.http.ShortText;
import org.restheart.http.judged.AccessExplanation;
import org.restheart.http.judged.AccessExplanation.Tried;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.Via;

/// `POST /_access/check`: evaluates the access rules for a request without executing it. Thread-safe.
record AccessChecks(BiFunction<Request, JudgedRequest, AccessExplanation> explain) {
    private static final int MAX_PARAMETERS = 1_000;

    /// Longer texts are truncated in messages.
    private static final int MAX_QUOTED = 50;

    /// With the words of others for them.
    private static final KnownKeys KEYS = KnownKeys.of("as body method path query roles")
            .meantBy("account=as user=as userid=as username=as name=as role=roles uri=path url=path content=body"
                    + " filter=query");

    /// Refuses unknown keys, with which the answer would be about another request or account.
    ///
    /// @throws org.restheart.http.ProblemException 400 naming the first one
    static void requireKnown(BsonDocument content) {
        for (var key : content.keySet()) {
            if (!KEYS.known().contains(key)) {
                throw refuse("unknown key " + key
                        + KEYS.near(key)
                                .map(name -> "; did you mean " + name + "?")
                                .orElse("; the keys are as, roles, method, path, query and body"));
            }
        }
    }

    /// The name of the account whose request is checked; empty for the caller's own.
    ///
    /// @throws org.restheart.http.ProblemException 400 if it is no text
    static Optional<String> as(BsonDocument content) {
        return text(content, "as");
    }

    /// The roles whose request is checked; empty for the caller's own.
    ///
    /// @throws org.restheart.http.ProblemException 400 if it is no list of texts
    static Optional<List<String>> roles(BsonDocument content) {
        var value = content.get("roles");
        if (value == null || value.isNull()) {
            return Optional.empty();
        }
        if (!(value instanceof BsonArray names) || !names.stream().allMatch(BsonValue::isString)) {
            throw refuse("roles must be a list of texts");
        }
        return Optional.of(
                names.stream().map(name -> name.asString().getValue()).toList());
    }

    /// @param asking has the caller whose permissions are evaluated
    /// @param content `{method, path, query, body}`, with known keys only
    /// @param readsRules whether the response has the contents of access rules. Otherwise it has, for each
    ///     rule, its role, its priority and the flags that it lacks, and for a grant only the kinds of its
    ///     restrictions
    BsonDocument check(Request asking, BsonDocument content, boolean readsRules) {
        var explanation = explain.apply(asking, request(content));
        var answer =
                object("decision", explanation.isAllowed() ? "allowed" : "refused", "status", explanation.status());
        explanation
                .reason()
                .or(() -> withoutRules(asking, explanation))
                .ifPresent(reason -> answer.append("reason", new BsonString(reason)));
        var deciding = explanation.deciding();
        return answer.append(
                        "permission",
                        deciding.<BsonValue>map(rule -> permission(rule, readsRules))
                                .orElse(BsonNull.VALUE))
                .append(
                        "grant",
                        deciding.flatMap(Tried::grant)
                                .<BsonValue>map(
                                        grant -> readsRules ? restrictions(grant) : namesOf(restrictions(grant)))
                                .orElse(BsonNull.VALUE))
                .append(
                        "trace",
                        new BsonArray(explanation.tried().stream()
                                .map(rule -> traced(rule, readsRules))
                                .toList()));
    }

    /// What a caller without any access rule is told; its roles may be misspelt there or in the rules.
    private static Optional<String> withoutRules(Request asking, AccessExplanation explanation) {
        return explanation.isAllowed() || !explanation.tried().isEmpty()
                ? Optional.empty()
                : asking.caller()
                        .account()
                        .map(account -> account.roles().isEmpty()
                                ? "the account has no roles"
                                : "there is no permission for "
                                        + ShortText.of(String.join(", ", account.roles()), MAX_QUOTED));
    }

    private static JudgedRequest request(BsonDocument content) {
        var name = text(content, "method").orElse("GET");
        var method = Method.of(name)
                .orElseThrow(() -> refuse("method is " + ShortText.of(name, MAX_QUOTED)
                        + ", which is no method of HTTP that is served (in upper case, such as GET)"));
        var target = text(content, "path")
                .filter(path -> path.startsWith("/"))
                .orElseThrow(() -> refuse("path is needed, a text that begins with /"));
        int mark = target.indexOf('?');
        var query = new StringBuilder(mark < 0 ? "" : target.substring(mark + 1));
        text(content, "query")
                .ifPresent(more -> query.append(query.isEmpty() ? "" : "&").append(more));
        var judged = JudgedRequest.of(
                method,
                RequestPath.parse(mark < 0 ? target : target.substring(0, mark)),
                Query.parse(query.toString(), MAX_PARAMETERS),
                Via.REST);
        var body = content.get("body");
        if (body == null || body.isNull()) {
            return judged;
        }
        var json = body.isString()
                ? body.asString().getValue()
                : JsonEncoder.of(JsonMode.STRICT).encodeToString(body);
        return judged.withContent(json.getBytes(StandardCharsets.UTF_8));
    }

    private static Optional<String> text(BsonDocument content, String name) {
        var value = content.get(name);
        if (value == null || value.isNull()) {
            return Optional.empty();
        }
        if (!value.isString()) {
            throw refuse(name + " must be a text");
        }
        return Optional.of(value.asString().getValue());
    }

    private static RuntimeException refuse(String message) {
        return new ProblemException(ProblemCode.CONTENT_INVALID, message);
    }

    private static BsonDocument permission(Tried rule, boolean readsRules) {
        var result = new BsonDocument();
        if (readsRules) {
            rule.id()
                    .ifPresentOrElse(
                            id -> result.append("_id", id), () -> result.append("place", new BsonString(rule.place())));
        }
        rule.role().ifPresent(role -> result.append("role", new BsonString(role)));
        rule.priority().ifPresent(priority -> result.append("priority", new BsonDouble(priority)));
        return result;
    }

    private static BsonDocument traced(Tried rule, boolean readsRules) {
        var result = permission(rule, readsRules)
                .append("applies", BsonBoolean.valueOf(rule.grant().isPresent()));
        if (!rule.missing().isEmpty()) {
            result.append(
                    "missing",
                    BsonTexts.array(rule.missing().stream().map(Privilege::flag).toList()));
        }
        rule.failed().filter(_ -> readsRules).ifPresent(part -> result.append("failed", new BsonString(part)));
        return result;
    }

    private static BsonDocument restrictions(Access grant) {
        var result = new BsonDocument();
        grant.readFilter().ifPresent(filter -> result.append("readFilter", filter));
        grant.writeFilter().ifPresent(filter -> result.append("writeFilter", filter));
        grant.mergeRequest().ifPresent(merged -> result.append("mergeRequest", merged));
        grant.projectResponse().ifPresent(projection -> result.append("projectResponse", projection));
        return result;
    }

    private static BsonDocument namesOf(BsonDocument restrictions) {
        var result = new BsonDocument();
        restrictions.keySet().forEach(name -> result.append(name, BsonBoolean.TRUE));
        return result;
    }
}
