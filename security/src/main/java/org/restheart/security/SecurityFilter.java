package org.restheart.security;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.restheart.data.Access;
import org.restheart.data.Privilege;
import org.restheart.http.AuthorizationHeader;
import org.restheart.http.Body;
import org.restheart.http.Content;
import org.restheart.http.Fields;
import org.restheart.http.Filter;
import org.restheart.http.Handler;
import org.restheart.http.Headers;
import org.restheart.http.Method;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.access.Account;
import org.restheart.http.access.Caller;
import org.restheart.http.access.CallerScope;
import org.restheart.http.attribute.Key;
import org.restheart.http.judged.AccessExplanation;
import org.restheart.http.judged.AccessExplanation.Tried;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.judged.JudgedRequests;
import org.restheart.http.judged.Permitted;
import org.restheart.http.judged.Permitted.Decision;
import org.restheart.http.judged.Permitted.RuleDecision;
import org.restheart.http.judged.RequestKind;
import org.restheart.security.predicate.KindAttempt;
import org.restheart.text.ShortText;
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

    SecurityFilter(Policy policy, boolean secured) {
        this.policy = policy;
        this.secured = secured;
        this.authentication = new RequestAuthentication(policy);
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
        if (needsAccount(request)) {
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
        var permitted = permit(request, account, caller);
        if (permitted.isEmpty()) {
            policy.failedAttempts().forEach(attempts -> attempts.refused(request));
            throw refusal(request, account).with(headers).raise();
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
    /// @throws org.restheart.http.ProblemException [JudgedRequests#NOT_PERMITTED], or what the client's own
    ///     request would get
    public Response judge(Request request, Handler next) {
        var account = request.caller().account().orElse(null);
        var permitted = account == null && needsAccount(request)
                ? Optional.<Caller>empty()
                : permit(request, account, request.caller());
        if (permitted.isEmpty()) {
            policy.failedAttempts().forEach(attempts -> attempts.refused(request));
            throw request.attribute(JudgedRequest.OF_CLIENT)
                    .map(_ -> refusal(request, account))
                    .orElse(JudgedRequests.NOT_PERMITTED)
                    .raise();
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

    /// Whether a request that this filter admitted would be admitted now, for the same account: for responses
    /// that stay open. May block.
    public boolean stillAdmits(Request request) {
        var account = request.caller().account().orElse(null);
        return (account == null || authentication.isStillKnown(request, account))
                && permit(request, account, request.caller()).isPresent();
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

    /// Longer paths and names are truncated in messages.
    private static final int MAX_QUOTED = 200;

    /// Whether no authorizer could allow the request to a caller without an account.
    private boolean needsAccount(Request sent) {
        var request = asGet(sent);
        return secured
                && !policy.authenticators().isEmpty()
                && policy.authorizers().stream().allMatch(authorizer -> authorizer.requiresAuthentication(request));
    }

    /// The caller with its grant, unless a vetoer refuses the request or no authorizer allows it.
    private Optional<Caller> permit(Request request, @Nullable Account account, Caller caller) {
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

    /// A `HEAD` request is authorized as `GET`: its headers describe the content, which a rule may
    /// keep from the caller.
    private static Request asGet(Request request) {
        return request.method() == Method.HEAD ? request.with(Method.GET) : request;
    }

    /// The decision of [#judge] for all requests of a kind, without vetoers.
    public Permitted ask(Request example, RequestKind kind) {
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

    /// The decision of [#judge] with its reasons.
    public AccessExplanation explain(Request sent) {
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

    /// The refusal of a request with an account. The message names the request and the account, and of
    /// the access rules only the flag that the rule covering the request does not set.
    private Problem refusal(Request request, @Nullable Account account) {
        if (account == null && needsAccount(request)) {
            return Challenges.unauthorized(policy.authenticators(), request, false);
        }
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

    /// Lets the content of a request or a response break off when the credentials of the request end: a
    /// client that sends or receives slowly could otherwise go on for as long as it likes. Confined to one
    /// request or one response.
    static final class RevocableContent {
        private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

        private final BooleanSupplier standing;
        private long checked = System.nanoTime();

        RevocableContent(BooleanSupplier standing) {
            this.standing = standing;
        }

        private boolean hasEnded() {
            long now = System.nanoTime();
            if (now - checked <= INTERVAL_NANOS) {
                return false;
            }
            if (!standing.getAsBoolean()) {
                return true;
            }
            checked = now;
            return false;
        }

        Content.Source of(Content.Source source) {
            return new Content.Source() {
                @Override
                public ByteBuffer next() throws Exception {
                    if (hasEnded()) {
                        throw new IOException("the credentials have ended");
                    }
                    return source.next();
                }

                @Override
                public void close() {
                    source.close();
                }
            };
        }

        Body of(Body content) {
            return new Received(content);
        }

        private final class Received implements Body {
            private final Body content;
            private boolean isRead;

            Received(Body content) {
                this.content = content;
            }

            @Override
            public boolean isLongerThan(long most) {
                return content.isLongerThan(most);
            }

            @Override
            public void hold(long bytes) {
                content.hold(bytes);
            }

            @Override
            public void holdTrees(long bytes) {
                content.holdTrees(bytes);
            }

            /// Checks when the content has arrived, not when it is read again, perhaps after something was
            /// written.
            @Override
            public byte[] bytes() {
                var bytes = content.bytes();
                if (!isRead) {
                    isRead = true;
                    check();
                }
                return bytes;
            }

            @Override
            public InputStream stream() throws IOException {
                return new FilterInputStream(content.stream()) {
                    @Override
                    public int read() throws IOException {
                        int read = in.read();
                        check();
                        return read;
                    }

                    @Override
                    public int read(byte[] bytes, int offset, int length) throws IOException {
                        int read = in.read(bytes, offset, length);
                        check();
                        return read;
                    }
                };
            }

            private void check() {
                if (hasEnded()) {
                    throw new ProblemException(ProblemCode.AUTHENTICATION_REQUIRED, "the credentials have ended");
                }
            }
        }
    }

    /// Authenticates the requests of one route by its mechanisms, and authenticates them again while their
    /// responses stay open. Thread-safe.
    record RequestAuthentication(Policy policy) {
        /// The rule for the credentials of a request. A script has set those in a header field that only
        /// one mechanism reads, and needs a preflight for that.
        AmbientCredentials ambient(Request sent, Request located) {
            var known = located.attribute(AmbientCredentials.KEY);
            if (known.isPresent()) {
                return known.get();
            }
            return AmbientCredentials.isPassword(sent) && !isInOwnField(sent)
                    ? policy.passwords()
                    : AmbientCredentials.NONE;
        }

        /// Credentials that were not accepted before are checked on a thread that may block, where each
        /// attempt is counted.
        Authentication attempt(Request request) {
            if (!request.mayBlock() || !hasCredentials(request)) {
                var outcome = authenticate(request);
                if (outcome.rejected()) {
                    request.requireThread();
                }
                return outcome.authentication();
            }
            var begun = new ArrayList<FailedAttempts>();
            boolean rejected = false;
            try {
                for (var attempts : policy.failedAttempts()) {
                    attempts.begin(request);
                    begun.add(attempts);
                }
                var outcome = authenticate(request);
                rejected = outcome.rejected();
                return outcome.authentication();
            } finally {
                for (var attempts : begun) {
                    attempts.end(request, rejected);
                }
            }
        }

        boolean hasCredentials(Request request) {
            return AuthorizationHeader.isIn(request.headers()) || isInOwnField(request);
        }

        /// Whether credentials are in a field that only one mechanism reads.
        private boolean isInOwnField(Request request) {
            for (var authenticator : policy.authenticators()) {
                if (hasOwnField(authenticator, request)) {
                    return true;
                }
            }
            return false;
        }

        private static boolean hasOwnField(Authenticator authenticator, Request request) {
            var names = authenticator.credentialHeaders();
            return !names.isEmpty() && names.stream().anyMatch(request.headers()::has);
        }

        /// @param rejected whether credentials were rejected, also if a mechanism without credentials
        ///     accepts the request
        private record Outcome(Authentication authentication, boolean rejected) {}

        private Outcome authenticate(Request request) {
            return authenticate(request, Authenticator::authenticate);
        }

        /// Credentials that are rejected are followed by no others, with which they would not be counted:
        /// mechanisms read the same line of `Authorization`, and what is rejected in a field of its own is
        /// final.
        private Outcome authenticate(Request sent, BiFunction<Authenticator, Request, Authentication> mechanism) {
            if (AuthorizationFields.areUnacceptable(sent.headers())) {
                return new Outcome(Authentication.REJECTED, true);
            }
            var request = AuthorizationFields.withOneLine(sent, policy.authenticators());
            var outcome = Authentication.ABSENT;
            for (var authenticator : policy.authenticators()) {
                switch (mechanism.apply(authenticator, request)) {
                    case Authentication.Authenticated accepted -> {
                        return new Outcome(
                                accepted,
                                outcome instanceof Authentication.Rejected && !authenticator.readsCredentials());
                    }
                    case Authentication.Rejected rejected
                    when hasOwnField(authenticator, request) -> {
                        return new Outcome(rejected, true);
                    }
                    case Authentication.Rejected rejected ->
                        outcome = outcome instanceof Authentication.Rejected(boolean isStale) && isStale
                                ? outcome
                                : rejected;
                    case Authentication.Absent _ -> {}
                }
            }
            return new Outcome(outcome, outcome instanceof Authentication.Rejected);
        }

        private Authentication again(Request request) {
            var sent = request.attribute(Credentials.SENT_TO).map(request::with).orElse(request);
            return authenticate(sent, Authenticator::authenticateAgain).authentication();
        }

        /// Whether the credentials of a request still authenticate this account, with the same properties.
        /// May block.
        boolean isStillKnown(Request request, Account account) {
            return again(request) instanceof Authentication.Authenticated now
                    && withoutTag(now.account()).equals(withoutTag(account));
        }

        /// The account of this name as it is now, if they still authenticate it with the same roles. May
        /// block.
        Optional<Account> current(Request request, Account account) {
            return again(request) instanceof Authentication.Authenticated now
                            && now.account().name().equals(account.name())
                            && now.account().roles().equals(account.roles())
                    ? Optional.of(now.account())
                    : Optional.empty();
        }

        /// The account without its entity tag, which changes with every write of the account's document.
        private static Account withoutTag(Account account) {
            if (!account.properties().containsKey("_etag")) {
                return account;
            }
            var properties = account.properties().clone();
            properties.remove("_etag");
            return account.with(properties);
        }

        /// Bounds on the `Authorization` field, checked before any mechanism reads it.
        private static final class AuthorizationFields {
            private static final int MAX_LENGTH = 8_192;

            private AuthorizationFields() {}

            /// Whether the credentials are refused unread: too long, with control characters, or two of
            /// one scheme.
            static boolean areUnacceptable(Headers headers) {
                var lines = AuthorizationHeader.all(headers);
                for (var sent : lines) {
                    if (sent.line().length() > MAX_LENGTH || hasControlCharacter(sent.line())) {
                        return true;
                    }
                }
                return lines.size() > 1
                        && lines.stream()
                                        .map(AuthorizationHeader::scheme)
                                        .distinct()
                                        .count()
                                < lines.size();
            }

            /// The one that mechanisms read: the first line of HTTP Basic, else of a scheme that one of
            /// them reads, else of all.
            static Request withOneLine(Request request, List<Authenticator> authenticators) {
                var lines = AuthorizationHeader.all(request.headers());
                if (lines.size() < 2) {
                    return request;
                }
                var known = lines.stream()
                        .filter(sent -> authenticators.stream()
                                .flatMap(authenticator -> authenticator.scheme().stream())
                                .anyMatch(sent.scheme()::equalsIgnoreCase))
                        .toList();
                return known.stream()
                        .filter(sent -> sent.has(AuthorizationHeader.BASIC))
                        .findFirst()
                        .orElse(known.isEmpty() ? lines.getFirst() : known.getFirst())
                        .in(request);
            }

            private static boolean hasControlCharacter(String line) {
                for (int i = 0; i < line.length(); i++) {
                    char c = line.charAt(i);
                    if ((c < ' ' && c != '\t') || c == 0x7f) {
                        return true;
                    }
                }
                return false;
            }
        }
    }
}
