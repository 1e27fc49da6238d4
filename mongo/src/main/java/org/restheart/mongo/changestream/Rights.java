package org.restheart.mongo.changestream;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Body;
import org.restheart.http.Request;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Ending;
import org.restheart.mongo.background.BackgroundTasks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes connections that are no longer authorized: always when their credentials expire or, after a change of their
/// account, are no longer good; and, if configured, when their requests would no longer be admitted. Thread-safe.
final class Rights {
    private static final Logger LOG = LoggerFactory.getLogger(Rights.class);
    private static final Duration LOOK = Duration.ofMillis(500);
    private static final int MAX_CHANGED = 1_000;

    private final Duration interval;
    private final Predicate<Request> admits;
    private final Predicate<Request> knows;
    private final Set<String> changed = ConcurrentHashMap.newKeySet();
    private volatile boolean anyChanged;
    private final Set<Right> watched = ConcurrentHashMap.newKeySet();

    /// @param interval in which `admits` is called for each; zero for never
    /// @param admits whether an admitted request would be admitted now; may block
    /// @param knows whether the credentials of an admitted request are still good; may block
    Rights(BackgroundTasks tasks, Duration interval, Predicate<Request> admits, Predicate<Request> knows) {
        this.interval = interval;
        this.knows = knows;
        this.admits = admits;
        tasks.repeat("expired-streams", LOOK, this::endExpired);
        tasks.repeat("streams-of-accounts", LOOK, this::endUnknown);
        if (!interval.isZero()) {
            tasks.repeat("stream-rights", interval, this::endRefused);
        }
    }

    /// The authorization of one connection; compares by identity.
    private static final class Right {
        private final Backlog backlog;
        private final Optional<Instant> expires;
        private final @Nullable Request request;

        /// @param request null if it will not be needed
        Right(Backlog backlog, Optional<Instant> expires, @Nullable Request request) {
            this.backlog = backlog;
            this.expires = expires;
            this.request = request;
        }

        boolean hasExpired(Instant now) {
            return expires.filter(end -> !now.isBefore(end)).isPresent();
        }

        /// Tokens may call an account otherwise than its realm does, by its subject.
        boolean isOfAny(Set<String> names) {
            var account = request == null ? null : request.caller().account().orElse(null);
            return account != null
                    && (names.contains(account.name())
                            || (account.properties().get("sub") instanceof BsonString subject
                                    && names.contains(subject.getValue())));
        }
    }

    /// Adds a connection.
    ///
    /// @return to be called when the connection is closed
    Runnable watch(Backlog backlog, Request request) {
        var caller = request.caller();
        boolean changes = caller.account().isPresent() || !interval.isZero();
        if (caller.expires().isEmpty() && !changes) {
            return () -> {};
        }
        var right = new Right(
                backlog, caller.expires(), changes ? request.blocking().with(Body.EMPTY) : null);
        watched.add(right);
        return () -> watched.remove(right);
    }

    /// An account may have changed: its credentials are checked soon.
    ///
    /// @param name empty if it may be any
    void accountChanged(Optional<String> name) {
        if (watched.isEmpty()) {
            return;
        }
        if (name.isPresent() && changed.size() < MAX_CHANGED) {
            changed.add(name.get());
        } else {
            anyChanged = true;
        }
    }

    private void endUnknown() {
        boolean any = anyChanged;
        var names = Set.copyOf(changed);
        if (!any && names.isEmpty()) {
            return;
        }
        anyChanged = false;
        changed.removeAll(names); // what changes from now on is for the next time
        watched.stream()
                .filter(right -> any || right.isOfAny(names))
                .filter(right -> !is(right, knows))
                .forEach(this::end);
    }

    private void endExpired() {
        var now = Instant.now();
        watched.stream().filter(right -> right.hasExpired(now)).forEach(this::end);
    }

    private void endRefused() {
        watched.stream().filter(right -> !is(right, admits)).forEach(this::end);
    }

    private void end(Right right) {
        watched.remove(right);
        right.backlog.end(Ending.PERMISSION_LOST);
    }

    /// If it cannot be decided now, it is checked again later.
    private static boolean is(Right right, Predicate<Request> good) {
        try {
            return right.request == null || good.test(right.request);
        } catch (RuntimeException e) { // one request must not prevent the others from being checked
            LOG.warn("the authorization of a listener could not be checked", e);
            return true;
        }
    }
}
