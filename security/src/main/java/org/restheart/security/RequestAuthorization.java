package org.restheart.security;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.restheart.data.Access;
import org.restheart.data.Privilege;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.ShortText;
import org.restheart.http.access.Account;
import org.restheart.http.access.Caller;
import org.restheart.http.judged.AccessExplanation;
import org.restheart.http.judged.AccessExplanation.Tried;
import org.restheart.http.judged.Permitted;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.Permitted.RuleDecision;
import org.restheart.http.judged.RequestKind;
import org.restheart.security.predicate.KindAttempt;

/// Decides by the vetoers and authorizers of one route what callers may do, and explains its decisions.
/// Thread-safe.
///
/// @param secured false allows every request that no vetoer refuses
record RequestAuthorization(Policy policy, boolean secured) {
    /// Longer paths and names are truncated in messages.
    private static final int MAX_QUOTED = 200;

    /// Whether no authorizer could allow the request to a caller without an account.
    boolean needsAccount(Request sent) {
        var request = asGet(sent);
        return secured
                && !policy.authenticators().isEmpty()
                && policy.authorizers().stream().allMatch(authorizer -> authorizer.requiresAuthentication(request));
    }

    /// The caller with its grant, unless a vetoer refuses the request or no authorizer allows it.
    Optional<Caller> permit(Request request, @Nullable Account account, Caller caller) {
        if (isVetoed(request, account)) {
            return Optional.empty();
        }
        return secured ? grant(request, account).map(caller::with) : Optional.of(caller);
    }

    private boolean isVetoed(Request request, @Nullable Account account) {
        for (var vetoer : policy.vetoers()) { // of each request: no streams
            if (vetoer.vetoes(request, account)) {
                return true;
            }
        }
        return false;
    }

    private Optional<Access> grant(Request sent, @Nullable Account account) {
        var request = asGet(sent);
        for (var authorizer : policy.authorizers()) {
            if (account != null || !authorizer.requiresAuthentication(request)) {
                var grant = authorizer.authorize(request, account);
                if (grant.isPresent()) {
                    return grant.filter(given -> !(given instanceof Access.Denied));
                }
            }
        }
        return Optional.empty();
    }

    /// A `HEAD` request is authorized as `GET`: its headers describe the content, which a rule may keep from
    /// the caller.
    private static Request asGet(Request request) {
        return request.method() == Method.HEAD ? request.with(Method.GET) : request;
    }

    /// The decision for all requests of a kind, without vetoers.
    Permitted ask(Request example, RequestKind kind) {
        if (!secured) {
            return Permitted.by(List.of(RuleDecision.of("not secured", Decision.ALWAYS)));
        }
        var attempt = new KindAttempt(example, kind, example.caller().account().orElse(null));
        var decisions = new ArrayList<RuleDecision>();
        for (var authorizer : policy.authorizers()) {
            for (var decision : authorizer.ask(example, attempt)) {
                decisions.add(decision);
                if (decision.decision() == Decision.ALWAYS) {
                    return Permitted.by(decisions);
                }
            }
        }
        return Permitted.by(decisions);
    }

    /// The decision for a request with its reasons.
    AccessExplanation explain(Request sent) {
        var request = asGet(sent);
        if (!secured) {
            return new AccessExplanation(
                    200, Optional.empty(), List.of(Tried.of("not secured", Optional.of(new Access.Root()))));
        }
        var account = request.caller().account().orElse(null);
        if (isVetoed(request, account)) {
            return new AccessExplanation(403, Optional.of("the server refuses such requests to everybody"), List.of());
        }
        var tried = new ArrayList<Tried>();
        for (var authorizer : policy.authorizers()) {
            tried.addAll(authorizer.explain(request, account));
            if (tried.stream().anyMatch(rule -> rule.grant().isPresent())) {
                return new AccessExplanation(200, Optional.empty(), tried);
            }
            if (account != null
                    && account.isLimited()
                    && authorizer
                            .authorize(request, account)
                            .filter(Access.Denied.class::isInstance)
                            .isPresent()) {
                break;
            }
        }
        return new AccessExplanation(account == null ? 401 : 403, Optional.empty(), tried);
    }

    /// The refusal of a request with an account. The message names the request and the account, and of the
    /// access rules only the flag that the rule covering the request does not set.
    Problem refusal(Request request, @Nullable Account account) {
        if (account == null) {
            return Problem.helpful(ProblemCode.FORBIDDEN, "callers without an account may not do this");
        }
        var who = ShortText.of(account.name(), MAX_QUOTED) + " (roles: "
                + ShortText.of(String.join(", ", account.roles()), MAX_QUOTED) + ")";
        var what = request.method() + " " + ShortText.of(request.path().decoded(), MAX_QUOTED);
        var flags = lacking(request, account);
        return Problem.helpful(
                ProblemCode.FORBIDDEN,
                flags.isEmpty()
                        ? "no permission of " + who + " covers " + what
                                + " with this content and these parameters, or the server refuses such requests"
                                + policy.checks()
                                        .map(path -> "; POST " + path + " tells which")
                                        .orElse("")
                        : "the permission of " + who + " that covers " + what + " does not set " + flags
                                + ", which this request needs");
    }

    /// The flags without which no rule allows the request, as text.
    private String lacking(Request sent, Account account) {
        var request = asGet(sent);
        if (!secured || isVetoed(request, account)) {
            return "";
        }
        return policy.authorizers().stream()
                .map(authorizer -> authorizer.lacking(request, account))
                .filter(demands -> !demands.isEmpty())
                .findFirst()
                .map(demands -> demands.stream().map(Privilege::flag).collect(Collectors.joining(" and ")))
                .orElse("");
    }
}
