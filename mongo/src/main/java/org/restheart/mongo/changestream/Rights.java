package org.restheart.mongo.changestream;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Request;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Ending;
import org.restheart.mongo.background.BackgroundTasks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Closes connections that are no longer authorized: always when their credentials expire, and, if configured, when
/// their requests would no longer be admitted. Thread-safe.
final class Rights {
    private static final Logger LOG = LoggerFactory.getLogger(Rights.class);
    private static final Duration LOOK = Duration.ofMillis(500);

    private final Duration interval;
    private final Predicate<Request> admits;
    private final Set<Right> watched = ConcurrentHashMap.newKeySet();

    /// @param interval in which `admits` is called for each; zero for never
    /// @param admits whether an admitted request would be admitted now; may block
    Rights(BackgroundTasks tasks, Duration interval, Predicate<Request> admits) {
        this.interval = interval;
        this.admits = admits;
        tasks.repeat("expired-streams", LOOK, this::endExpired);
        if (!interval.isZero()) {
            tasks.repeat("stream-rights", interval, this::endRefused);
        }
    }

    /// The authorization of one connection; compares by identity.
    private static final class Right {
        private final Backlog backlog;
        private final Optional<Instant> expires;
        private final @Nullable Request request;

        /// @param request only kept if it will be needed
        Right(Backlog backlog, Optional<Instant> expires, @Nullable Request request) {
            this.backlog = backlog;
            this.expires = expires;
            this.request = request;
        }

        boolean hasExpired(Instant now) {
            return expires.filter(end -> !now.isBefore(end)).isPresent();
        }
    }

    /// Adds a connection.
    ///
    /// @return to be called when the connection is closed
    Runnable watch(Backlog backlog, Request request) {
        var expires = request.caller().expires();
        if (expires.isEmpty() && interval.isZero()) {
            return () -> {};
        }
        var right = new Right(backlog, expires, interval.isZero() ? null : request.blocking());
        watched.add(right);
        return () -> watched.remove(right);
    }

    private void endExpired() {
        var now = Instant.now();
        watched.stream().filter(right -> right.hasExpired(now)).forEach(this::end);
    }

    private void endRefused() {
        watched.stream().filter(right -> !isAdmitted(right)).forEach(this::end);
    }

    private void end(Right right) {
        watched.remove(right);
        right.backlog.end(Ending.PERMISSION_LOST);
    }

    /// If it cannot be decided now, it is checked again later.
    private boolean isAdmitted(Right right) {
        try {
            return right.request == null || admits.test(right.request);
        } catch (RuntimeException e) { // one request must not prevent the others from being checked
            LOG.warn("the authorization of a listener could not be checked", e);
            return true;
        }
    }
}
