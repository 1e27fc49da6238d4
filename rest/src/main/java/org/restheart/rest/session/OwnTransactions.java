package org.restheart.rest.session;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoException;
import com.mongodb.ReadConcern;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Body;
import org.restheart.http.Handler;
import org.restheart.http.Lease;
import org.restheart.http.Preferences;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Query;
import org.restheart.http.Request;
import org.restheart.http.access.FairShares;
import org.restheart.http.attribute.Key;
import org.restheart.http.judged.JudgedRequest;
import org.restheart.http.parameter.DataParameter;
import org.restheart.mongo.write.Rehearsal;
import org.restheart.mongo.write.Transaction;
import org.restheart.rest.session.Sessions.SessionId;

/// Transactions that begin and end within one request of a client. What runs in one names it as requests of clients do,
/// by `sid` and `txn`, so that guards and handlers know of one kind of transaction only. Thread-safe.
public final class OwnTransactions {
    /// How long conflicts with others are waited for.
    private static final long PATIENCE_NANOS = Duration.ofSeconds(10).toNanos();

    /// MongoDB forgets a session after half an hour.
    private static final Duration IDLE = Duration.ofMinutes(10);

    private static final int CALLERS = 10_000;
    private static final int KEPT_PER_CALLER = 256;

    /// Conflicts after which an attempt waits for its turn, and how long it does.
    private static final int FREE_CONFLICTS = 2;

    private static final long TURN_NANOS = Duration.ofSeconds(1).toNanos();

    private final Sessions sessions;

    /// Attempts after conflicts are made one by one, so that they do not defeat each other again and again.
    private final FairShares turns = new FairShares(1);

    /// Sessions without a transaction in progress, by owner: each new one costs MongoDB memory for half an hour.
    private final Cache<String, Deque<IdleSession>> idle = Caffeine.newBuilder()
            .expireAfterAccess(IDLE)
            .maximumSize(CALLERS)
            .executor(Runnable::run)
            .build();

    public OwnTransactions(Sessions sessions) {
        this.sessions = sessions;
    }

    /// @param next the number of its next transaction
    private record IdleSession(SessionId id, long next) {}

    /// One attempt. What is done in it carries it: parts that cannot take part are refused, and their failures are
    /// noted.
    public static final class Attempt {
        public static final Key<Attempt> KEY = Key.named("own transaction");

        private static final Set<String> ADDED =
                Set.of(DataParameter.SESSION.wireName(), DataParameter.TRANSACTION.wireName());

        private final String parameters;
        private final Lease memory;
        private final List<Runnable> endings = new ArrayList<>();
        private boolean isTransient;
        private @Nullable RuntimeException unavailable;
        private boolean isCommitted;

        private Attempt(IdleSession session, Lease memory) {
            this.memory = memory;
            this.parameters = DataParameter.SESSION.wireName() + "=" + session.id.uuid() + "&"
                    + DataParameter.TRANSACTION.wireName() + "=" + session.next;
        }

        public Request partOf(Request request) {
            return request.with(in(request.query()))
                    .with(KEY, this)
                    .with(JudgedRequest.ADDED, ADDED)
                    .with(memory);
        }

        /// The request, for which what only this attempt needs is owned until it ends.
        ///
        /// @param request whose content is charged already
        Request outer(Request request) {
            return request.with(memory).with(Body.EMPTY);
        }

        /// Lets something happen when it is known whether what was done stays, such as the invalidation of what is
        /// cached.
        public void atEnd(Runnable ending) {
            endings.add(ending);
        }

        /// Whether what was done stays. Known at the end.
        public boolean isCommitted() {
            return isCommitted;
        }

        /// The same of a request inside another.
        JudgedRequest partOf(JudgedRequest request) {
            return request.with(in(request.query()))
                    .with(KEY, this)
                    .with(JudgedRequest.ADDED, ADDED)
                    .with(JudgedRequest.OF_CLIENT, true);
        }

        private Query in(Query query) {
            if (DataParameter.SESSION.isIn(query) || DataParameter.TRANSACTION.isIn(query)) {
                throw new ProblemException(
                        ProblemCode.BAD_REQUEST, "what is part of a transaction of its own names no session");
            }
            var raw = query.raw();
            return Query.parse(raw.isEmpty() ? parameters : raw + "&" + parameters, Integer.MAX_VALUE);
        }

        /// Whether a part has failed because of others, so that it may succeed the next time.
        boolean isTransient() {
            return isTransient;
        }

        /// The step, of which it is noted why it fails.
        public Handler noting(Handler step) {
            return request -> {
                try {
                    return step.resumed(request).mapFailure(this::noted);
                } catch (RuntimeException e) {
                    throw noted(e);
                }
            };
        }

        private RuntimeException noted(RuntimeException failure) {
            for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
                isTransient |= cause instanceof Rehearsal.Again
                        || (cause instanceof MongoException known
                                && known.hasErrorLabel(MongoException.TRANSIENT_TRANSACTION_ERROR_LABEL));
                if (cause instanceof RuntimeException known && Transaction.isUnavailable(known)) {
                    unavailable = known;
                }
            }
            return failure;
        }
    }

    /// @param commits whether what was done is to stay
    public record Outcome<T>(T value, boolean commits) {}

    /// Does something in a transaction, and again after conflicts with others. Blocks.
    ///
    /// @param work may run several times, and nothing that it does stays but what is written in the transaction
    /// @throws ProblemException 501 without a replica set, 409 after conflicts for ten seconds, 429 or 503 if too
    ///     many transactions are in progress
    public <T> T run(Request request, Function<Attempt, Outcome<T>> work) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        RuntimeException unavailable = null; // after which MongoDB may tell of conflicts with an attempt that is gone
        int conflicts = 0;
        while (true) {
            var session = take(request);
            var memory = request.lease().another(List.of(Sessions.charged()));
            var attempt = new Attempt(session, memory);
            var turn = turn(conflicts);
            try (memory) {
                return once(request, session, attempt, work);
            } catch (RuntimeException e) {
                var failure = attempt.noted(e);
                if (!attempt.isTransient) {
                    throw failure;
                }
                unavailable = attempt.unavailable != null ? attempt.unavailable : unavailable;
                if (System.nanoTime() > end) {
                    throw late(failure, unavailable);
                }
                if (failure instanceof Rehearsal.Again) { // which waits for nobody
                    continue;
                }
            } finally {
                turn.ifPresent(turns::release);
            }
            Transaction.pause(conflicts++);
        }
    }

    /// @return who has it; empty if it is not needed, or takes too long
    private Optional<String> turn(int conflicts) {
        if (conflicts < FREE_CONFLICTS) {
            return Optional.empty();
        }
        try {
            return turns.take(List.of(Sessions.charged()), TURN_NANOS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt(); // the attempt ends by it
            return Optional.empty();
        }
    }

    private static RuntimeException late(RuntimeException failure, @Nullable RuntimeException unavailable) {
        if (failure instanceof Rehearsal.Again) {
            return Preferences.refusal(
                    "tx=rollback takes too long with so many documents that fail; rehearse some of them");
        }
        return unavailable != null
                ? unavailable
                : new ProblemException(
                        ProblemCode.CONFLICT, "other requests change the same documents all the time; try again");
    }

    private <T> T once(Request request, IdleSession session, Attempt attempt, Function<Attempt, Outcome<T>> work) {
        var server = sessions.admitted(request, session.id.uuid());
        begin(server, session.next);
        try {
            var outcome = work.apply(attempt);
            if (!request.lease().tryJoin(attempt.memory)) { // the response is of it
                throw Lease.full();
            }
            if (outcome.commits) {
                sessions.transactions().commit(server, session.next);
                attempt.isCommitted = true;
            }
            return outcome.value;
        } finally {
            if (!attempt.isCommitted) {
                abort(server, session.next);
            }
            sessions.open().ended(server, session.next);
            giveBack(request, session);
            attempt.endings.forEach(Runnable::run);
        }
    }

    private IdleSession take(Request request) {
        var kept = idle.getIfPresent(Sessions.owner(request));
        var session = kept == null ? null : kept.pollFirst();
        return Objects.requireNonNullElseGet(
                session, () -> new IdleSession(SessionId.create(Sessions.owner(request), false), 1));
    }

    private void giveBack(Request request, IdleSession session) {
        var kept = idle.get(Sessions.owner(request), _ -> new ConcurrentLinkedDeque<>());
        if (kept.size() < KEPT_PER_CALLER) {
            kept.addFirst(new IdleSession(session.id, session.next + 1));
        }
    }

    /// The snapshot is the same for all reads and writes.
    private void begin(BsonDocument server, long number) {
        sessions.open().begin(Sessions.charged(), server, number);
        boolean isBegun = false;
        try {
            sessions.transactions().begin(server, number, ReadConcern.SNAPSHOT);
            isBegun = true;
        } catch (ProblemException e) {
            throw e.problem().code() == ProblemCode.METHOD_NOT_ALLOWED
                    ? Problem.of(ProblemCode.NOT_IMPLEMENTED, e.problem().message())
                            .raise()
                    : e;
        } finally {
            sessions.open().begun(server, number, isBegun);
        }
    }

    private void abort(BsonDocument server, long number) {
        try {
            sessions.transactions().abort(server, number);
        } catch (MongoException | ProblemException _) {
            // MongoDB has ended it already, or does so in a minute
        }
    }
}
