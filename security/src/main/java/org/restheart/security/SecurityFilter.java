package org.restheart.security;

import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Account;
import org.restheart.http.Caller;
import org.restheart.http.Fields;
import org.restheart.http.Filter;
import org.restheart.http.Grant;
import org.restheart.http.Handler;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// The door of a route: who asks, does anybody object, does somebody allow it. Hands the request on with its
/// [Caller].
///
/// A request by a known account under rules that are already loaded passes without waiting, on the I/O thread.
public final class SecurityFilter implements Filter {
    private final Policy policy;
    private final boolean secured;

    SecurityFilter(Policy policy, boolean secured) {
        this.policy = policy;
        this.secured = secured;
    }

    @Override
    public Response filter(Request sent, Handler next) {
        var request = policy.before().apply(sent);
        policy.failedAttempts().forEach(attempts -> attempts.admit(request));
        return switch (authenticate(request)) {
            case Authentication.Authenticated(var account, var credentials, var headers) -> {
                request.attribute(Account.OBSERVER).ifPresent(observer -> observer.accept(account));
                var caller =
                        credentials.expires().map(Caller.of(account)::until).orElseGet(() -> Caller.of(account));
                var response = authorize(request.with(Credentials.KEY, credentials), account, caller, next);
                yield headers == Fields.NONE ? response : response.map(ready -> ready.with(headers));
            }
            case Authentication.Rejected _ -> {
                // Not again when the whole chain restarts on a thread that may block.
                request.requireThread();
                policy.failedAttempts().forEach(attempts -> attempts.rejected(request));
                yield anonymous(request, next);
            }
            case Authentication.Absent _ -> anonymous(request, next);
        };
    }

    private Authentication authenticate(Request request) {
        if (AuthorizationFields.areUnacceptable(request.headers())) {
            return Authentication.REJECTED;
        }
        var outcome = Authentication.ABSENT;
        for (var authenticator : policy.authenticators()) {
            switch (authenticator.authenticate(request)) {
                case Authentication.Authenticated accepted -> {
                    return accepted;
                }
                case Authentication.Rejected rejected -> outcome = rejected;
                case Authentication.Absent _ -> {}
            }
        }
        return outcome;
    }

    private Response anonymous(Request request, Handler next) {
        boolean needsAccount = secured
                && !policy.authenticators().isEmpty()
                && policy.authorizers().stream().allMatch(authorizer -> authorizer.requiresAuthentication(request));
        return needsAccount
                ? Challenges.unauthorized(policy.authenticators(), request)
                : authorize(request, null, Caller.ANONYMOUS, next);
    }

    private Response authorize(Request request, @Nullable Account account, Caller caller, Handler next) {
        for (var vetoer : policy.vetoers()) {
            if (vetoer.vetoes(request, account)) {
                return refuse(request);
            }
        }
        if (!secured) {
            return next.handle(request.with(caller));
        }
        var grant = grant(request, account);
        return grant.isPresent() ? next.handle(request.with(caller.with(grant.get()))) : refuse(request);
    }

    private Optional<Grant> grant(Request request, @Nullable Account account) {
        for (var authorizer : policy.authorizers()) {
            if (account != null || !authorizer.requiresAuthentication(request)) {
                var grant = authorizer.authorize(request, account);
                if (grant.isPresent()) {
                    return grant;
                }
            }
        }
        return Optional.empty();
    }

    /// Whether a request that this door has let in would be let in now, by an account that is still the same: for
    /// what outlasts its answer. May wait.
    ///
    /// @param request as it was handed on
    /// @throws org.restheart.http.ProblemException 503 when that cannot be told now
    public boolean stillAdmits(Request request) {
        var account = request.caller().account().orElse(null);
        return (account == null || isStillKnown(request, account))
                && policy.vetoers().stream().noneMatch(vetoer -> vetoer.vetoes(request, account))
                && (!secured || grant(request, account).isPresent());
    }

    /// An answer to a digest challenge cannot be judged again: each counts once.
    private boolean isStillKnown(Request request, Account account) {
        boolean answersOnce = request.headers()
                .first("Authorization")
                .filter(field -> field.regionMatches(true, 0, "Digest ", 0, "Digest ".length()))
                .isPresent();
        return answersOnce
                || (authenticate(request) instanceof Authentication.Authenticated now
                        && now.account().equals(account));
    }

    private Response refuse(Request request) {
        policy.failedAttempts().forEach(attempts -> attempts.refused(request));
        return Response.status(403).with("Content-Type", Response.JSON);
    }
}
