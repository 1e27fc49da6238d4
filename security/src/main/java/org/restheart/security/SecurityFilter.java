package org.restheart.security;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Content;
import org.restheart.http.Fields;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.Account;
import org.restheart.http.access.Caller;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.Demand;
import org.restheart.http.access.Grant;
import org.restheart.http.judged.Answer;
import org.restheart.http.judged.Explanation;
import org.restheart.http.judged.Explanation.Tried;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Permitted;
import org.restheart.http.judged.RequestKind;
import org.restheart.http.judged.RuleAnswer;
import org.restheart.security.predicate.KindAttempt;

/// The security filter of a route: authenticates the request, evaluates vetoers and authorizers, and passes the
/// request on with its [Caller].
///
/// A request of a known account under cached rules passes without blocking, on the I/O thread.
public final class SecurityFilter implements Filter {
    /// Longer paths and names are truncated in messages.
    private static final int MAX_QUOTED = 200;

    private final Policy policy;
    private final boolean secured;

    SecurityFilter(Policy policy, boolean secured) {
        this.policy = policy;
        this.secured = secured;
    }

    /// Until the caller is known, it is its address for which accounts are looked up.
    @Override
    public Response filter(Request sent, Handler next) {
        var address = CallerScope.address(policy.clients().of(sent));
        return CallerScope.call(address, () -> authenticated(sent, next));
    }

    private Response authenticated(Request sent, Handler next) {
        var located = policy.before().apply(sent);
        var ambient = ambient(sent, located);
        var request = ambient.restrained(located);
        policy.failedAttempts().forEach(attempts -> attempts.admit(request));
        return switch (attempt(request)) {
            case Authentication.Authenticated(var account, var credentials, var headers) -> {
                request.attribute(Account.OBSERVER).ifPresent(observer -> observer.accept(account));
                ambient.check(request);
                var caller = caller(account, credentials);
                var response = authorize(request.with(Credentials.KEY, credentials), account, caller, headers, next);
                yield headers == Fields.NONE ? response : response.map(ready -> ready.with(headers));
            }
            case Authentication.Rejected _ -> {
                request.requireThread(); // attempts are counted there
                yield anonymous(request, true, next);
            }
            case Authentication.Absent _ -> anonymous(request, false, next);
        };
    }

    /// The rule for the credentials of a request. A field of a mechanism's own is sent by a script, which needs
    /// a preflight for it.
    private AmbientCredentials ambient(Request sent, Request located) {
        var known = located.attribute(AmbientCredentials.KEY);
        if (known.isPresent()) {
            return known.get();
        }
        return AmbientCredentials.isPassword(sent)
                        && policy.authenticators().stream().noneMatch(authenticator -> authenticator.hasOwnField(sent))
                ? policy.passwords()
                : AmbientCredentials.NONE;
    }

    private static Caller caller(Account account, Credentials credentials) {
        var whole = Caller.of(account).identifiedBy(credentials.identity(account));
        var caller = credentials.isApiKey() ? whole.withLimits() : whole;
        return credentials.expires().map(caller::until).orElse(caller);
    }

    /// Credentials that were not accepted before are checked on a thread that may block, where each attempt
    /// is counted.
    private Authentication attempt(Request request) {
        if (!request.mayBlock() || !hasCredentials(request)) {
            return authenticate(request);
        }
        var begun = new ArrayList<FailedAttempts>();
        boolean rejected = false;
        try {
            for (var attempts : policy.failedAttempts()) {
                attempts.begin(request);
                begun.add(attempts);
            }
            var outcome = authenticate(request);
            rejected = outcome instanceof Authentication.Rejected;
            return outcome;
        } finally {
            for (var attempts : begun) {
                attempts.end(request, rejected);
            }
        }
    }

    private boolean hasCredentials(Request request) {
        return request.headers().has("Authorization")
                || policy.authenticators().stream().anyMatch(authenticator -> authenticator.hasOwnField(request));
    }

    private Authentication authenticate(Request request) {
        return authenticate(request, Authenticator::authenticate);
    }

    private Authentication authenticate(Request request, BiFunction<Authenticator, Request, Authentication> mechanism) {
        if (AuthorizationFields.areUnacceptable(request.headers())) {
            return Authentication.REJECTED;
        }
        var outcome = Authentication.ABSENT;
        for (var authenticator : policy.authenticators()) {
            switch (mechanism.apply(authenticator, request)) {
                case Authentication.Authenticated accepted -> {
                    return accepted;
                }
                case Authentication.Rejected rejected -> outcome = rejected;
                case Authentication.Absent _ -> {}
            }
        }
        return outcome;
    }

    private Response anonymous(Request request, boolean rejected, Handler next) {
        if (needsAccount(request)) {
            throw Challenges.unauthorized(policy.authenticators(), request, rejected)
                    .raise();
        }
        var caller = Caller.ANONYMOUS.identifiedBy(
                CallerScope.address(policy.clients().of(request)));
        return authorize(request, null, caller, Fields.NONE, next);
    }

    private boolean needsAccount(Request sent) {
        var request = asGet(sent);
        return secured
                && !policy.authenticators().isEmpty()
                && policy.authorizers().stream().allMatch(authorizer -> authorizer.requiresAuthentication(request));
    }

    /// @param headers of the answer to credentials that were accepted, for a refusal
    private Response authorize(
            Request request, @Nullable Account account, Caller caller, Fields headers, Handler next) {
        var permitted = permit(request, account, caller);
        if (permitted.isEmpty()) {
            policy.failedAttempts().forEach(attempts -> attempts.refused(request));
            throw refusal(request, account).with(headers).raise();
        }
        return handleFor(request.with(permitted.get()), next);
    }

    /// The caller with its grant, unless a vetoer refuses the request or no authorizer allows it.
    private Optional<Caller> permit(Request request, @Nullable Account account, Caller caller) {
        for (var vetoer : policy.vetoers()) {
            if (vetoer.vetoes(request, account)) {
                return Optional.empty();
            }
        }
        return secured ? grant(request, account).map(caller::with) : Optional.of(caller);
    }

    /// As [#filter], for a judged request: its caller was authenticated with the outer request.
    ///
    /// @throws org.restheart.http.ProblemException [JudgedRequests#NOT_PERMITTED]
    public Response judge(Request request, Handler next) {
        var account = request.caller().account().orElse(null);
        var permitted = account == null && needsAccount(request)
                ? Optional.<Caller>empty()
                : permit(request, account, request.caller());
        if (permitted.isEmpty()) {
            policy.failedAttempts().forEach(attempts -> attempts.refused(request));
            throw JudgedRequests.NOT_PERMITTED.raise();
        }
        return handleFor(request.with(permitted.get()), next);
    }

    /// In the scope of the caller, also while the content of the response is pulled.
    private Response handleFor(Request request, Handler next) {
        var caller = policy.clients().caller(request);
        request.attribute(CallerScope.OBSERVER).ifPresent(observer -> observer.accept(caller));
        return CallerScope.call(caller, () -> next.handle(request))
                .map(ready -> ready.content() instanceof Content.Streamed streamed
                        ? ready.with(streamed.through(source -> new CallersSource(caller, source)))
                        : ready);
    }

    /// The decision of [#judge] for all requests of a kind, without vetoers.
    ///
    /// @param example a request of the kind, with its caller
    /// @throws org.restheart.http.ProblemException 503 when that cannot be decided now
    public Permitted ask(Request example, RequestKind kind) {
        if (!secured) {
            return Permitted.by(List.of(RuleAnswer.of("not secured", Answer.ALWAYS)));
        }
        var attempt = new KindAttempt(example, kind, example.caller().account().orElse(null));
        var answers = new ArrayList<RuleAnswer>();
        for (var authorizer : policy.authorizers()) {
            for (var answer : authorizer.ask(example, attempt)) {
                answers.add(answer);
                if (answer.answer() == Answer.ALWAYS) {
                    return Permitted.by(answers);
                }
            }
        }
        return Permitted.by(answers);
    }

    /// The decision of [#judge] with its reasons.
    ///
    /// @throws org.restheart.http.ProblemException 503 when that cannot be decided now
    public Explanation explain(Request sent) {
        var request = asGet(sent);
        if (!secured) {
            return new Explanation(200, Optional.empty(), List.of(Tried.of("not secured", Optional.of(Grant.FULL))));
        }
        var account = request.caller().account().orElse(null);
        for (var vetoer : policy.vetoers()) {
            if (vetoer.vetoes(request, account)) {
                return new Explanation(403, Optional.of("the server refuses such requests to everybody"), List.of());
            }
        }
        var tried = new ArrayList<Tried>();
        for (var authorizer : policy.authorizers()) {
            tried.addAll(authorizer.explain(request, account));
            if (tried.stream().anyMatch(rule -> rule.grant().isPresent())) {
                return new Explanation(200, Optional.empty(), tried);
            }
        }
        return new Explanation(account == null ? 401 : 403, Optional.empty(), tried);
    }

    /// A `HEAD` request is authorized as `GET`: its headers describe the content, which a rule may keep from
    /// the caller.
    private static Request asGet(Request request) {
        return request.method() == Method.HEAD ? request.with(Method.GET) : request;
    }

    private Optional<Grant> grant(Request sent, @Nullable Account account) {
        var request = asGet(sent);
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

    /// Whether a request that this filter admitted would be admitted now, for the same account: for responses
    /// that stay open. May block.
    ///
    /// @param request as passed on by this filter
    /// @throws org.restheart.http.ProblemException 503 when that cannot be decided now
    public boolean stillAdmits(Request request) {
        var account = request.caller().account().orElse(null);
        return (account == null || isStillKnown(request, account))
                && policy.vetoers().stream().noneMatch(vetoer -> vetoer.vetoes(request, account))
                && (!secured || grant(request, account).isPresent());
    }

    /// Whether the credentials of an authenticated request are still good, for the same account with the same
    /// roles. May block.
    ///
    /// @throws org.restheart.http.ProblemException 503 when that cannot be decided now
    public boolean stillKnows(Request request) {
        return request.caller()
                .account()
                .filter(account -> isStillKnown(request, account))
                .isPresent();
    }

    /// The same, but for an account whose other properties may have changed; always for a request without an
    /// account.
    ///
    /// @throws org.restheart.http.ProblemException 503 when that cannot be decided now
    public boolean stillAuthenticates(Request request) {
        var account = request.caller().account();
        return account.isEmpty()
                || (again(request) instanceof Authentication.Authenticated now
                        && now.account().name().equals(account.get().name())
                        && now.account().roles().equals(account.get().roles()));
    }

    private Authentication again(Request request) {
        var sent = request.attribute(Credentials.SENT_TO).map(request::with).orElse(request);
        return authenticate(sent, Authenticator::authenticateAgain);
    }

    private boolean isStillKnown(Request request, Account account) {
        return again(request) instanceof Authentication.Authenticated now
                && withoutTag(now.account()).equals(withoutTag(account));
    }

    /// The account without its entity tag, which changes with every write of the account's document.
    private static Account withoutTag(Account account) {
        if (!account.properties().containsKey("_etag")) {
            return account;
        }
        var properties = account.properties().clone();
        properties.remove("_etag");
        return new Account(account.name(), account.roles(), properties);
    }

    /// The refusal of a request with an account. The message names the request and the account, and of the
    /// access rules only the flag that the rule covering the request does not set.
    private Problem refusal(Request request, @Nullable Account account) {
        if (account == null) {
            return Problem.helpful(ProblemCode.FORBIDDEN, "callers without an account may not do this");
        }
        var who = shortened(account.name()) + " (roles: " + shortened(String.join(", ", account.roles())) + ")";
        var what = request.method() + " " + shortened(request.path().decoded());
        var flags = lacking(request, account);
        return Problem.helpful(
                ProblemCode.FORBIDDEN,
                flags.isEmpty()
                        ? "no permission of " + who + " covers " + what
                                + ", or one does for other content or parameters only, or the server refuses such"
                                + " requests"
                                + policy.checks()
                                        .map(path -> "; POST " + path + " tells which")
                                        .orElse("")
                        : "the permission of " + who + " that covers " + what + " does not set " + flags
                                + ", which this request needs");
    }

    /// The flags without which no rule allows the request, as text.
    private String lacking(Request sent, Account account) {
        var request = asGet(sent);
        if (!secured || policy.vetoers().stream().anyMatch(vetoer -> vetoer.vetoes(request, account))) {
            return "";
        }
        return policy.authorizers().stream()
                .map(authorizer -> authorizer.lacking(request, account))
                .filter(demands -> !demands.isEmpty())
                .findFirst()
                .map(demands -> demands.stream().map(Demand::flag).collect(Collectors.joining(" and ")))
                .orElse("");
    }

    private static String shortened(String text) {
        return text.length() <= MAX_QUOTED ? text : text.substring(0, MAX_QUOTED) + "…";
    }
}
