package org.restheart.security.token;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.access.Grant;
import org.restheart.http.judged.Answer;
import org.restheart.http.judged.RuleAnswer;
import org.restheart.security.Authorizer;
import org.restheart.security.predicate.KindAttempt;
import org.restheart.security.predicate.PathPattern;

/// Authorizes requests to a secured token service: every account may use it, and every caller may request a token.
public final class TokenRules implements Authorizer {
    private final PathPattern uri;

    public TokenRules(String uri) {
        this.uri = PathPattern.ofUri(uri);
    }

    @Override
    public boolean requiresAuthentication(Request request) {
        return !(concerns(request) && request.method() == Method.POST);
    }

    @Override
    public Optional<Grant> authorize(Request request, @Nullable Account account) {
        return concerns(request) ? Optional.of(Grant.FULL) : Optional.empty();
    }

    @Override
    public List<RuleAnswer> ask(Request example, KindAttempt attempt) {
        boolean asks = attempt.account() != null || example.method() == Method.POST;
        return List.of(RuleAnswer.of("token service", asks ? attempt.kind().isBelow(uri.segments()) : Answer.NEVER));
    }

    private boolean concerns(Request request) {
        return uri.isPrefixOf(request.path());
    }
}
