package org.restheart.rest.changestream;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Body;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.access.Account;
import org.restheart.http.access.CallerScope;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Ending;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.rest.changestream.Reauthorization.AuthorizationBasis;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes connections that are no longer authorized: always when their credentials expire or, after a change of
/// what they rest on, are no longer good; and, if configured, when their requests would no longer be admitted.
/// Every response that stays open for a caller is watched here, whichever service sends it. Thread-safe.
///
/// To reject a password takes long, and a caller may have many connections: those of others do not wait for its
/// checks of credentials, of which each caller has one at a time, and all callers together few. Whether requests
/// would still be admitted is checked for all connections one after another.
public final class AuthorizationWatch {
    private static final Logger LOG = LoggerFactory.getLogger(AuthorizationWatch.class);
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);
    private static final int MAX_CHANGED = 1_000;
    private static final String BASIC = "Basic ";

    /// So many accounts are checked at a time: each may take a connection to MongoDB and a place in the queue of
    /// passwords, which clients that log in need as well.
    private static final int MAX_CHECKS = 8;

    /// A caller whose requests keep MongoDB or the processors busy must not keep its connections by this.
    private static final Duration MAX_UNDECIDED = Duration.ofSeconds(30);

    /// A check must also have failed so many times: fewer attempts may be far apart when many others are checked.
    private static final int MIN_ATTEMPTS = 5;

    private final BackgroundTasks tasks;
    private final InstantSource clock;
    private final Duration interval;
    private final Reauthorization reauthorization;
    private final Set<AuthorizationBasis> changed = ConcurrentHashMap.newKeySet();
    private volatile boolean anyChanged;
    private final Set<Authorization> watched = ConcurrentHashMap.newKeySet();

    /// The connections whose credentials may have ended after they were checked and before they were watched, and those
    /// that could not be checked.
    private final Queue<Authorization> unchecked = new ConcurrentLinkedQueue<>();

    /// The callers whose connections are being checked.
    private final Set<String> checking = ConcurrentHashMap.newKeySet();

    /// Fair: after each check the caller waits for its next turn.
    private final Semaphore checks = new Semaphore(MAX_CHECKS, true);

    /// @param interval in which each request is asked whether it would be admitted; zero for never
    AuthorizationWatch(BackgroundTasks tasks, Duration interval, Reauthorization reauthorization, InstantSource clock) {
        this.tasks = tasks;
        this.clock = clock;
        this.interval = interval;
        this.reauthorization = reauthorization;
        BooleanSupplier any = () -> !watched.isEmpty();
        tasks.repeat("expired-streams", CHECK_INTERVAL, any, this::endExpired);
        tasks.repeat(
                "streams-of-accounts",
                CHECK_INTERVAL,
                () -> anyChanged || !changed.isEmpty() || !unchecked.isEmpty(),
                this::sweepChanged);
        if (!interval.isZero()) {
            tasks.repeat("stream-rights", interval, any, this::endRefused);
        }
    }

    /// The authorization of one connection; compares by identity.
    private static final class Authorization {
        private final Backlog backlog;
        private final Optional<Instant> expires;
        private final Set<AuthorizationBasis> bases;
        private final @Nullable Request request;
        private final String caller = CallerScope.current();
        private final Undecided ofCredentials = new Undecided();
        private final Undecided ofAdmission = new Undecided();

        /// @param request null if it will not be needed
        Authorization(
                Backlog backlog, Optional<Instant> expires, Set<AuthorizationBasis> bases, @Nullable Request request) {
            this.backlog = backlog;
            this.expires = expires;
            this.bases = bases;
            this.request = request;
        }

        boolean hasExpired(Instant now) {
            return expires.filter(end -> !now.isBefore(end)).isPresent();
        }

        /// Empty for credentials without a password.
        Optional<Password> password() {
            return Optional.ofNullable(request)
                    .flatMap(known -> known.headers().all("Authorization").stream()
                            .filter(line -> line.regionMatches(true, 0, BASIC, 0, BASIC.length()))
                            .findFirst()
                            .map(line -> line.substring(BASIC.length()).strip())
                            .map(encoded -> new Password(decoded(encoded), roles(known))));
        }

        private static List<String> roles(Request request) {
            return request.caller().account().map(Account::roles).orElse(List.of());
        }

        /// The same for all encodings of one text.
        private static String decoded(String encoded) {
            try {
                return new String(Base64.getDecoder().decode(encoded), StandardCharsets.ISO_8859_1);
            } catch (IllegalArgumentException _) {
                return encoded;
            }
        }

        boolean restsOn(Set<AuthorizationBasis> any) {
            return !Collections.disjoint(bases, any);
        }
    }

    /// What was sent as name and password.
    ///
    /// @param roles that the account had: if it has others now, the connection is closed for this alone
    private record Password(String text, List<String> roles) {
        @Override
        public String toString() {
            return "Password" + roles;
        }
    }

    /// Since when something has not been decided, for another reason than that MongoDB cannot be reached.
    /// Used by one thread at a time.
    private static final class Undecided {
        private @Nullable Instant since;
        private int attempts;

        void end() {
            since = null;
            attempts = 0;
        }

        boolean isTooLong(Instant now) {
            var began = since;
            if (began == null) {
                since = now;
                return false;
            }
            attempts++;
            return attempts >= MIN_ATTEMPTS && Duration.between(began, now).compareTo(MAX_UNDECIDED) > 0;
        }
    }

    /// @param backlog ended when the request is no longer authorized
    /// @param request to which it is the response, with its caller
    /// @return to be called when the connection is closed
    public Runnable watch(Backlog backlog, Request request) {
        var expires = request.caller().expires();
        var bases = reauthorization.bases(request);
        boolean changes = !bases.isEmpty() || !interval.isZero();
        if (expires.isEmpty() && !changes) {
            return () -> {};
        }
        var authorization = new Authorization(
                backlog, expires, bases, changes ? request.blocking().with(Body.EMPTY) : null);
        watched.add(authorization);
        if (!bases.isEmpty()) {
            unchecked.add(authorization);
        }
        return () -> watched.remove(authorization);
    }

    /// Whether a request that was admitted would be admitted now. Blocks.
    public boolean admits(Request request) {
        return reauthorization.stillAdmits(request);
    }

    /// A request whose response is open, with its account as it is now: what is done for a later event follows changes
    /// of the account. While the account cannot be read, it is as it was. Blocks.
    ///
    /// @return empty if it is no longer authorized
    public Optional<Request> current(Request request) {
        try {
            return reauthorization.current(request);
        } catch (ProblemException e) {
            if (!isTemporary(e.problem().code())) {
                throw e;
            }
            LOG.debug("the account of a listener cannot be read now", e);
            return Optional.of(request);
        }
    }

    /// Something may have changed: the credentials that rest on it are checked soon.
    ///
    /// @param basis empty if it may be any
    void changed(Optional<AuthorizationBasis> basis) {
        if (watched.isEmpty()) {
            return;
        }
        if (basis.isPresent() && changed.size() < MAX_CHANGED) {
            changed.add(basis.get());
        } else {
            anyChanged = true;
        }
    }

    private void sweepChanged() {
        var due = new HashSet<Authorization>();
        for (var authorization = unchecked.poll(); authorization != null; authorization = unchecked.poll()) {
            due.add(authorization);
        }
        boolean any = anyChanged;
        var bases = Set.copyOf(changed);
        changed.removeAll(bases); // what changes from now on is for the next time
        if (any) {
            anyChanged = false;
        }
        if (any || !bases.isEmpty()) {
            watched.stream()
                    .filter(authorization -> any || authorization.restsOn(bases))
                    .forEach(due::add);
        }
        due.stream()
                .filter(watched::contains)
                .collect(Collectors.groupingBy(authorization -> authorization.caller))
                .forEach(this::check);
    }

    private void check(String caller, List<Authorization> theirs) {
        if (!checking.add(caller)) {
            unchecked.addAll(theirs); // what has changed meanwhile
            return;
        }
        tasks.start(
                "streams-of-account",
                () -> CallerScope.run(caller, () -> {
                    try {
                        endInvalid(theirs);
                    } finally {
                        checking.remove(caller);
                    }
                }));
    }

    /// A password that was rejected once is not checked for each connection.
    private void endInvalid(List<Authorization> theirs) {
        var rejected = new HashSet<Password>();
        for (var authorization : theirs) {
            var password = authorization.password();
            boolean good = password.filter(rejected::contains).isEmpty() && isKnown(authorization);
            if (!good) {
                password.ifPresent(rejected::add);
                end(authorization);
            }
        }
    }

    /// Waits for its turn.
    private boolean isKnown(Authorization authorization) {
        checks.acquireUninterruptibly();
        try {
            return !tasks.isRunning()
                    || !watched.contains(authorization)
                    || passes(
                            authorization,
                            request -> reauthorization.current(request).isPresent(),
                            authorization.ofCredentials,
                            () -> unchecked.add(authorization));
        } finally {
            checks.release();
        }
    }

    private void endExpired() {
        var now = clock.instant();
        watched.stream().filter(authorization -> authorization.hasExpired(now)).forEach(this::end);
    }

    private void endRefused() {
        watched.stream()
                .filter(authorization ->
                        !passes(authorization, reauthorization::stillAdmits, authorization.ofAdmission, () -> {}))
                .forEach(this::end);
    }

    private void end(Authorization authorization) {
        watched.remove(authorization);
        authorization.backlog.end(Ending.PERMISSION_LOST);
    }

    /// @param onUndecided called if it cannot be decided now
    private boolean passes(
            Authorization authorization, Predicate<Request> good, Undecided undecidedSince, Runnable onUndecided) {
        try {
            boolean passes = authorization.request == null || good.test(authorization.request);
            undecidedSince.end();
            return passes;
        } catch (RuntimeException e) { // one request must not prevent the others from being checked
            onUndecided.run();
            var code = e instanceof ProblemException known ? known.problem().code() : ProblemCode.INTERNAL;
            if (isTemporary(code)) {
                LOG.debug("the authorization of a listener cannot be checked now", e);
            } else {
                LOG.warn("the authorization of a listener could not be checked", e);
            }
            if (code == ProblemCode.DATABASE_UNAVAILABLE) {
                undecidedSince.end();
                return true;
            }
            return !undecidedSince.isTooLong(clock.instant());
        }
    }

    /// Whether it can be decided later.
    private static boolean isTemporary(ProblemCode code) {
        return code == ProblemCode.DATABASE_UNAVAILABLE || code == ProblemCode.OVERLOADED;
    }
}
