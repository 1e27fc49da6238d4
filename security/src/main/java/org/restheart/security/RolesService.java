package org.restheart.security;

import java.util.List;
import java.util.Optional;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.BsonTexts;
import org.restheart.data.Access;
import org.restheart.http.IoThreadService;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.Account;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.Permitted.RuleDecision;
import org.restheart.security.predicate.KindAttempt;
import org.restheart.security.predicate.PathPattern;

/// `GET /roles/{user}`: returns the roles of the caller. Every account may request its own roles and no others; the
/// service implements both rules.
public final class RolesService implements IoThreadService, Authorizer, Vetoer {
    private final PathPattern uri;

    public RolesService(String uri) {
        this.uri = PathPattern.ofUri(uri);
    }

    private boolean concerns(Request request) {
        return uri.isPrefixOf(request.path());
    }

    private boolean isOwn(Request request, @Nullable Account account) {
        var segments = request.path().segments();
        return account != null
                && segments.size() == uri.segments().size() + 1
                && segments.getLast().equals(account.name())
                && !request.path().decoded().endsWith("/");
    }

    @Override
    public boolean requiresAuthentication(Request request) {
        return true;
    }

    @Override
    public Optional<Access> authorize(Request request, @Nullable Account account) {
        return concerns(request) && isOwn(request, account) ? Optional.of(new Access.Root()) : Optional.empty();
    }

    @Override
    public List<RuleDecision> ask(Request example, KindAttempt attempt) {
        var below = attempt.account() == null ? Decision.NEVER : attempt.kind().isBelow(uri.segments());
        var answer = below == Decision.NEVER
                ? Decision.NEVER
                : !attempt.kind().isPathKnown()
                        ? Decision.DEPENDS
                        : isOwn(example, attempt.account()) ? Decision.ALWAYS : Decision.NEVER;
        return List.of(RuleDecision.of("roles service", answer));
    }

    @Override
    public boolean vetoes(Request request, @Nullable Account account) {
        return concerns(request) && request.method() != Method.OPTIONS && !isOwn(request, account);
    }

    @Override
    public Response handle(Request request) {
        request.requireMethod(Method.GET);
        var roles = request.caller().account().orElseThrow().roles();
        return Response.json(
                200,
                new BsonDocument("authenticated", BsonBoolean.TRUE)
                        .append("roles", BsonTexts.array(roles))
                        .toJson());
    }
}
