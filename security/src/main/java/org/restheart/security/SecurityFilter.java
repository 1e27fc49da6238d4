package org.restheart.security;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Body;
import org.restheart.http.Content;
import org.restheart.http.Fields;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.Account;
import org.restheart.http.access.Caller;
import org.restheart.http.access.CallerScope;
import org.restheart.http.attribute.Key;
import org.restheart.http.judged.AccessExplanation;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Permitted;
import org.restheart.http.judged.RequestKind;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The security filter of a route: authenticates the request, evaluates vetoers and authorizers, and passes the
/// request on with its [Caller].
///
/// A request of a known account under cached rules passes without blocking, on the I/O thread. What cannot be decided
/// now is refused with 503.
public final class SecurityFilter implements Filter {
    /// Whether a request that waits, or the rest of its response, may go on. Only of requests that may block, as this
    /// may.
    public static final Key<BooleanSupplier> STANDING = Key.named("standing");

    private static final Logger LOG = LoggerFactory.getLogger(SecurityFilter.class);

    private final Policy policy;
    private final boolean secured;
    private final RequestAuthentication authentication;
    private final RequestAuthorization authorization;

    SecurityFilter(Policy policy, boolean secured) {
        this.policy = policy;
        this.secured = secured;
        this.authentication = new RequestAuthentication(policy);
        this.authorization = new RequestAuthorization(policy, secured);
    }

    /// Accounts are looked up for the client's address, since the caller is not known before.
    @Override
    public Response filter(Request sent, Handler next) {
        var address = CallerScope.address(policy.clients().of(sent));
        return CallerScope.call(address, () -> authenticated(sent, next));
    }

    private Response authenticated(Request sent, Handler next) {
        var located = policy.before().apply(sent);
        var ambient = authentication.ambient(sent, located);
        var request = ambient.restrained(located);
        if (mayGuess(request)) {
            policy.failedAttempts().forEach(attempts -> attempts.admit(request));
        }
        return switch (authentication.attempt(request)) {
            case Authentication.Authenticated(var account, var credentials, var headers) -> {
                request.attribute(Account.OBSERVER).ifPresent(observer -> observer.accept(account));
                var caller = caller(account, credentials);
                var known = request.with(Credentials.KEY, credentials);
                tellCaller(known.with(caller)); // before rules read the content, which counts for the caller
                ambient.check(request);
                var response = privately(sent, () -> authorize(known, account, caller, headers, next));
                yield headers == Fields.NONE ? response : response.map(ready -> ready.with(headers));
            }
            case Authentication.Rejected(boolean isStale) ->
                anonymous(isStale ? request.with(Authentication.STALE, true) : request, true, next);
            case Authentication.Absent _ -> anonymous(request, false, next);
        };
    }

    /// Probes guess nothing: a balancer has the address of all clients behind it, and would take away a gateway that
    /// refuses its probes since one of them guesses.
    private boolean mayGuess(Request request) {
        return secured || !request.method().isSafe() || authentication.hasCredentials(request);
    }

    /// Caches that clients share store no response to a request with `Authorization` (RFC 9111, 3.5), but
    /// know of no other fields with credentials.
    private static Response privately(Request sent, Supplier<Response> response) {
        if (!sent.method().isSafe() || sent.headers().has("Authorization")) {
            return response.get();
        }
        try {
            return response.get()
                    .map(ready -> ready.headers().has("Cache-Control") ? ready : ready.with("Cache-Control", "private"))
                    .mapFailure(SecurityFilter::privately);
        } catch (RuntimeException e) {
            throw privately(e);
        }
    }

    /// Caches store many refusals too (RFC 9110, 15.1).
    private static RuntimeException privately(RuntimeException failure) {
        return failure instanceof ProblemException refusal
                        && !refusal.problem().headers().has("Cache-Control")
                ? refusal.problem().with("Cache-Control", "private").raise()
                : failure;
    }

    private static Caller caller(Account account, Credentials credentials) {
        var whole = Caller.of(account).identifiedBy(credentials.identity(account));
        var caller = credentials.areLimited() ? whole.withLimits() : whole;
        return credentials.expires().map(caller::until).orElse(caller);
    }

    /// Tells the observer of the caller, if there is one, whose shares the request uses.
    private String tellCaller(Request request) {
        var caller = policy.clients().caller(request);
        request.attribute(CallerScope.OBSERVER).ifPresent(observer -> observer.accept(caller));
        return caller;
    }

    private Response anonymous(Request request, boolean rejected, Handler next) {
        if (authorization.needsAccount(request)) {
            throw Challenges.unauthorized(policy.authenticators(), request, rejected)
                    .raise();
        }
        var caller = Caller.ANONYMOUS.identifiedBy(
                CallerScope.address(policy.clients().of(request)));
        return authorize(request, null, caller, Fields.NONE, next);
    }

    /// @param headers of the response to accepted credentials, which a refusal has too
    private Response authorize(
            Request request, @Nullable Account account, Caller caller, Fields headers, Handler next) {
        var permitted = authorization.permit(request, account, caller);
        if (permitted.isEmpty()) {
            policy.failedAttempts().forEach(attempts -> attempts.refused(request));
            throw authorization.refusal(request, account).with(headers).raise();
        }
        var admitted = request.with(permitted.get());
        var withoutContent = request.body().isAbsent() ? admitted : admitted.with(Body.EMPTY);
        BooleanSupplier standing = () -> maySendRest(withoutContent.blocking());
        var received =
                request.body().isAbsent() ? admitted : admitted.with(new RevocableContent(standing).of(request.body()));
        return handleFor(received, next, standing);
    }

    /// As [#filter], for a judged request: its caller was authenticated with the outer request.
    ///
    /// @throws org.restheart.http.ProblemException [JudgedRequests#NOT_PERMITTED]
    public Response judge(Request request, Handler next) {
        var account = request.caller().account().orElse(null);
        var permitted = account == null && authorization.needsAccount(request)
                ? Optional.<Caller>empty()
                : authorization.permit(request, account, request.caller());
        if (permitted.isEmpty()) {
            policy.failedAttempts().forEach(attempts -> attempts.refused(request));
            throw JudgedRequests.NOT_PERMITTED.raise();
        }
        return handleFor(request.with(permitted.get()), next, () -> true); // the outer response is guarded
    }

    /// In the scope of the caller, also while the content of the response is pulled.
    ///
    /// @param standing whether what is left of that content may be sent; may block
    private Response handleFor(Request request, Handler next, BooleanSupplier standing) {
        var caller = tellCaller(request);
        var known = request.mayBlock()
                ? request.with(STANDING, () -> CallerScope.call(caller, standing::getAsBoolean))
                : request; // nothing waits there
        return CallerScope.call(caller, () -> next.handle(known)).map(ready -> switch (ready.content()) {
            case Content.Streamed streamed ->
                ready.with(streamed.through(
                        source -> new CallersSource(caller, new RevocableContent(standing).of(source))));
            case Content.None _, Content.Bytes _ -> ready; // sent as a whole
            case Content.Push _ -> ready; // whoever pushes watches the credentials
        });
    }

    /// Streamed content that is produced in the scope of its caller, on whatever thread it is read.
    private record CallersSource(String caller, Content.Source source) implements Content.Source {
        @Override
        public ByteBuffer next() throws Exception {
            return CallerScope.call(caller, source::next);
        }

        @Override
        public void close() {
            CallerScope.run(caller, source::close);
        }
    }

    /// Whether what is left of a response may be sent, or of content received. If that cannot be decided now, it may:
    /// it was admitted.
    private boolean maySendRest(Request request) {
        try {
            return stillAuthenticates(request);
        } catch (ProblemException e) {
            LOG.debug("the credentials of request {} cannot be checked now", request.id(), e);
            return true;
        }
    }

    /// The decision of [#judge] for all requests of a kind, without vetoers.
    public Permitted ask(Request example, RequestKind kind) {
        return authorization.ask(example, kind);
    }

    /// The decision of [#judge] with its reasons.
    public AccessExplanation explain(Request request) {
        return authorization.explain(request);
    }

    /// Whether a request that this filter admitted would be admitted now, for the same account: for responses
    /// that stay open. May block.
    ///
    /// @param request as passed on by this filter
    public boolean stillAdmits(Request request) {
        var account = request.caller().account().orElse(null);
        return (account == null || authentication.isStillKnown(request, account))
                && authorization.permit(request, account, request.caller()).isPresent();
    }

    /// Whether the credentials of an authenticated request are still good, for the same account with the same
    /// roles. May block.
    public boolean stillKnows(Request request) {
        return request.caller()
                .account()
                .filter(account -> authentication.isStillKnown(request, account))
                .isPresent();
    }

    /// The request with its account as it is now, if its credentials have not expired and are still good for the
    /// account with the same roles; unchanged if it has no account. May block.
    public Optional<Request> current(Request request) {
        var caller = request.caller();
        if (caller.hasExpired(Instant.now())) {
            return Optional.empty();
        }
        return caller.account().isEmpty()
                ? Optional.of(request)
                : authentication
                        .current(request, caller.account().get())
                        .map(account -> request.with(caller.with(account)));
    }

    /// As [#stillKnows], but the account's other properties may have changed; always true without an account.
    public boolean stillAuthenticates(Request request) {
        return current(request).isPresent();
    }
}
