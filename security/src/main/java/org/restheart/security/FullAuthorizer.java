package org.restheart.security;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Method;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.access.Grant;
import org.restheart.http.judged.Answer;
import org.restheart.http.judged.RuleAnswer;
import org.restheart.security.predicate.KindAttempt;

/// Allows every request, or every authenticated request.
///
/// @param authenticationRequired whether anonymous requests are refused
public record FullAuthorizer(boolean authenticationRequired) implements Authorizer {
    @Override
    public boolean requiresAuthentication(Request request) {
        return authenticationRequired && request.method() != Method.OPTIONS;
    }

    @Override
    public Optional<Grant> authorize(Request request, @Nullable Account account) {
        return Optional.of(Grant.FULL);
    }

    @Override
    public List<RuleAnswer> ask(Request example, KindAttempt attempt) {
        boolean refused = attempt.account() == null && requiresAuthentication(example);
        return List.of(RuleAnswer.of("fullAuthorizer", refused ? Answer.NEVER : Answer.ALWAYS));
    }
}
