package org.restheart.rest.changestream;

import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Frame;
import org.restheart.http.push.PushBudget;
import org.restheart.http.push.Subscription;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.background.ChangeCursor.Change;
import org.restheart.mongo.background.ChangeCursor.ResumeToken;
import org.restheart.mongo.background.ChangeSource.Start;
import org.restheart.mongo.background.ResumedEvents;
import org.restheart.mongo.find.LargeReplies;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.metadata.StoredMetadata;
import org.restheart.rest.changestream.Reauthorization.AuthorizationBasis;
import org.restheart.rest.changestream.SharedStream.StreamKey;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// All change streams of a deployment: listeners with equal keys share one MongoDB change stream. Thread-safe.
public final class ChangeStreams implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChangeStreams.class);
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final BackgroundTasks tasks;
    private final MongoClient client;
    private final ChangeStreamConfig config;
    private final StreamMeters meters;
    private final Consumer<Frame> onSent;
    private final CursorLimit cursors;
    private final CatchUp catchUp;
    private final FairShares listeners;
    private final Redefinitions redefinitions;
    private final AuthorizationWatch authorizations;
    private final PushBudget budget;
    private final ConcurrentHashMap<StreamKey, SharedStream> streams = new ConcurrentHashMap<>();

    /// @param client whose pool has `config.maxCursors()` connections in addition to those of requests
    public ChangeStreams(
            BackgroundTasks tasks,
            MongoClient client,
            ChangeStreamConfig config,
            MeterRegistry registry,
            Reauthorization reauthorization) {
        this.tasks = tasks;
        this.client = client;
        this.config = config;
        this.meters = new StreamMeters(registry);
        this.onSent = meters::sent;
        this.budget = new PushBudget(config.maxWaitingTogether(), meters::dropped);
        this.cursors = new CursorLimit(config.maxCursors(), config.maxCursorsPerAccount(), meters);
        this.catchUp = new CatchUp(tasks, client, cursors, meters);
        this.listeners = new FairShares(config.maxListeners());
        this.redefinitions = new Redefinitions(config.recheck());
        this.authorizations =
                new AuthorizationWatch(tasks, config.recheckRights(), reauthorization, InstantSource.system());
    }

    public PushBudget budget() {
        return budget;
    }

    /// A collection's properties may have changed.
    public void changed(String db, String collection) {
        redefinitions.changed(db, collection);
    }

    /// Closes responses that are no longer authorized, also those of other services.
    public AuthorizationWatch authorizations() {
        return authorizations;
    }

    /// Credentials may have changed: listeners whose authorization rests on them are closed if they are not
    /// good any more.
    ///
    /// @param basis empty if it may be any
    public void credentialsChanged(Optional<AuthorizationBasis> basis) {
        authorizations.changed(basis);
    }

    /// For tokens of listeners to whom something is hidden. Waits for MongoDB.
    TokenSeal seal(MongoNamespace namespace) {
        return TokenSeal.of(client, namespace);
    }

    /// After everything that MongoDB has acknowledged. Waits for MongoDB.
    Start now() {
        return Start.now(client);
    }

    /// Adds a listener; returns when every write acknowledged from now on will be delivered to it.
    ///
    /// @throws org.restheart.http.ProblemException 400, 405, 410, 429 or 503
    Subscription subscribe(
            StreamKey key, Listener listener, Request request, Optional<Start> from, Optional<Frame> first) {
        if (from.isEmpty() && streams.containsKey(key) && now() instanceof Start.At(var time)) {
            listener.beginAt(time); // the stream may be behind
        }
        var owner = CallerScope.current();
        if (!listeners.tryTake(owner)) {
            throw Problem.of(
                            ProblemCode.OVERLOADED,
                            "too many listeners to change streams: of the " + config.maxListeners()
                                    + " that there may be, one account or address has no more than are free")
                    .with("Retry-After", "5")
                    .raise();
        }
        first.ifPresent(listener.backlog()::offer);
        var stream = join(key, listener, owner, from.isPresent());
        boolean admitted = false;
        try {
            stream.awaitOpen();
            from.ifPresent(start -> catchUp.start(owner, stream, listener, start));
            admitted = true;
        } finally {
            if (!admitted) {
                stream.leave(listener, owner);
                listener.discard();
                listeners.release(owner);
            }
        }
        meters.joined(listener.transport());
        var gone = new AtomicBoolean();
        var forget = authorizations.watch(listener.backlog(), request);
        Runnable onGone = () -> {
            if (gone.compareAndSet(false, true)) {
                forget.run();
                stream.leave(listener, owner);
                listener.discard();
                listeners.release(owner);
                meters.left(listener.transport());
            }
        };
        return new Subscription(
                listener.transport(),
                listener.backlog(),
                config.keepAlive(),
                onSent,
                onGone,
                Optional.empty(),
                () -> stream.position(listener));
    }

    /// @param owner on whose behalf a cursor is opened, if there is none yet
    private SharedStream join(StreamKey key, Listener listener, String owner, boolean holding) {
        while (true) {
            var stream = streams.get(key);
            if (stream == null) {
                var fresh = new SharedStream(
                        key, tasks, client, meters, () -> cursors.acquire(owner), old -> streams.remove(key, old));
                fresh.join(listener, owner, holding);
                if (streams.putIfAbsent(key, fresh) == null) {
                    fresh.start();
                    return fresh;
                }
            } else if (stream.join(listener, owner, holding)) {
                return stream;
            } else {
                streams.remove(key, stream);
            }
        }
    }

    /// Ends all streams and waits until their cursors are closed in MongoDB. Called once, before the client is
    /// closed.
    @Override
    public void close() {
        streams.values().forEach(stream -> stream.end(Ending.SHUTDOWN));
        try {
            if (!cursors.awaitClosed(TIMEOUT)) {
                LOG.info("MongoDB keeps some cursors for a while: they could not be closed in time");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Closes the connections of listeners whose stream was redefined: at once for a change by this gateway,
    /// after the check interval for others. Thread-safe.
    private final class Redefinitions {
        /// @param interval how often definitions are read, while there are streams
        Redefinitions(Duration interval) {
            tasks.repeat("redefinitions", interval, () -> !streams.isEmpty(), this::checkAll);
        }

        /// Never blocks.
        void changed(String db, String collection) {
            var namespace = new MongoNamespace(db, collection);
            if (streams.values().stream()
                    .anyMatch(stream -> stream.key().namespace().equals(namespace))) {
                tasks.start("redefinition", () -> check(namespace));
            }
        }

        private void checkAll() {
            streams.values().stream()
                    .map(stream -> stream.key().namespace())
                    .collect(Collectors.toSet())
                    .forEach(this::check);
        }

        private void check(MongoNamespace namespace) {
            try {
                var database = client.getDatabase(namespace.getDatabaseName());
                var collection = namespace.getCollectionName();
                var properties = StoredMetadata.properties(database, Metadata.propertiesId(collection));
                if (properties.isEmpty()
                        && StoredMetadata.info(database, collection).isEmpty()) {
                    return; // the change stream ends itself, after earlier events
                }
                var known = properties.orElseGet(BsonDocument::new);
                streams.values().stream()
                        .filter(stream -> stream.key().namespace().equals(namespace))
                        .forEach(stream -> stream.keepDefinedBy(known));
            } catch (MongoException
                    | ProblemException // when they are too large
                    | IllegalStateException e) { // when the client has been closed
                LOG.debug("definitions of {} could not be read: {}", namespace, e.toString());
            }
        }
    }

    /// Bounds the number of open cursors, in all and of each owner: each occupies a connection to MongoDB. An
    /// owner has no more than are free, so that some owners cannot have all. Thread-safe.
    static final class CursorLimit {
        private final int max;
        private final int maxPerOwner;
        private final ConcurrentHashMap<String, Integer> owned = new ConcurrentHashMap<>();
        private final FairShares shares;
        private final Semaphore free;
        private final StreamMeters meters;

        CursorLimit(int max, int maxPerOwner, StreamMeters meters) {
            this.max = max;
            this.maxPerOwner = maxPerOwner;
            this.shares = new FairShares(max);
            this.free = new Semaphore(max);
            this.meters = meters;
        }

        /// Refuses further cursors and waits until the open ones are closed.
        boolean awaitClosed(Duration atMost) throws InterruptedException {
            return free.tryAcquire(max, atMost.toNanos(), TimeUnit.NANOSECONDS);
        }

        /// @param owner the account or the address on whose behalf the cursor is opened
        /// @throws org.restheart.http.ProblemException 429 if the owner has its share, 503 if there are too
        ///     many in all
        Place acquire(String owner) {
            if (owned.merge(owner, 1, Integer::sum) > maxPerOwner) {
                disown(owner);
                throw refused(
                        ProblemCode.TOO_MANY_REQUESTS,
                        "this account or address has " + maxPerOwner + " change streams already");
            }
            if (!free.tryAcquire()) {
                disown(owner);
                throw refused(ProblemCode.OVERLOADED, "there are " + max + " change streams already");
            }
            if (!shares.tryTake(owner)) {
                free.release();
                disown(owner);
                throw refused(
                        ProblemCode.TOO_MANY_REQUESTS,
                        "this account or address has as many of the " + max + " change streams as are free");
            }
            meters.opened();
            return new Place(owner);
        }

        private void disown(String owner) {
            owned.computeIfPresent(owner, (_, open) -> open == 1 ? null : open - 1);
        }

        private static ProblemException refused(ProblemCode code, String message) {
            return Problem.of(code, message).with("Retry-After", "5").raise();
        }

        /// One cursor's permit, released once. Confined to one thread, or guarded by a lock of its user.
        final class Place implements AutoCloseable {
            private String owner;

            private Place(String owner) {
                this.owner = owner;
            }

            String owner() {
                return owner;
            }

            /// From now on the cursor counts for another owner, even if that one has its share already.
            void passTo(String next) {
                shares.pass(owner, next, 1);
                owned.merge(next, 1, Integer::sum);
                disown(owner);
                owner = next;
            }

            @Override
            public void close() {
                meters.closed();
                shares.release(owner);
                free.release();
                disown(owner);
            }
        }
    }

    /// Brings listeners from their last positions to that of a shared stream, each with a separate cursor,
    /// as fast as their clients take what they missed. Events of the shared stream are queued in the
    /// meantime, as many as fit; there is no gap, and events of both cursors are sent once. Thread-safe.
    ///
    /// MongoDB searches its whole log from the position on, for a single event as well, and goes on when
    /// the client has disconnected. Few listeners at a time, in fair shares of their callers, therefore
    /// let it search; the others wait.
    static final class CatchUp {
        private static final Logger LOG = LoggerFactory.getLogger(CatchUp.class);

        /// Searches at a time, each of which may occupy a processor of MongoDB.
        private static final int SEARCHES = 16;

        private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

        /// How long events are kept that a client does not take, unless the reply with them was large.
        private static final Duration SHORT_WAIT = Duration.ofMillis(100);

        /// How far a shared stream may be behind MongoDB, in seconds, when a listener goes on with it: the
        /// rest it may deliver faster than a client takes it, however fast that has taken what it missed.
        private static final int NEARLY = 2;

        private final BackgroundTasks tasks;
        private final MongoClient client;
        private final CursorLimit cursors;
        private final StreamMeters meters;
        private final FairShares searches = new FairShares(SEARCHES);

        CatchUp(BackgroundTasks tasks, MongoClient client, CursorLimit cursors, StreamMeters meters) {
            this.tasks = tasks;
            this.client = client;
            this.cursors = cursors;
            this.meters = meters;
        }

        /// Returns when the listener's cursor is open; events are then sent in the background.
        ///
        /// @param owner for whom the cursor counts
        /// @param from after the last event of the client, or the time of the first event that it requests
        /// @throws org.restheart.http.ProblemException 400 for an invalid token, 410 if the events after
        ///     it are lost, 429 or 503 if there are too many cursors, or too many are being opened
        void start(String owner, SharedStream stream, Listener listener, Start from) {
            var place = cursors.acquire(owner);
            boolean started = false;
            try {
                var events = open(owner, stream, from);
                tasks.start("catch-up", () -> {
                    try (place;
                            events) {
                        var _ = LargeReplies.owned(() -> {
                            run(owner, events, stream, listener);
                            return true;
                        });
                    }
                });
                started = true;
            } catch (MongoException e) {
                throw SharedStream.refusal(e, true);
            } finally {
                if (!started) {
                    place.close();
                }
            }
        }

        private ResumedEvents open(String owner, SharedStream stream, Start from) {
            boolean taken = false;
            try {
                taken = searches.take(owner, LONGEST_WAIT.toNanos());
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
            if (!taken) {
                throw Problem.of(
                                ProblemCode.OVERLOADED,
                                "too many listeners of this account or address search for what they have missed")
                        .with("Retry-After", "5")
                        .raise();
            }
            try {
                return LargeReplies.owned(() -> {
                    var events = ResumedEvents.open(stream.key().in(client), from);
                    if (LargeReplies.isHeld()) { // nobody would own it until the first event is delivered
                        events.letGo();
                    }
                    return events;
                });
            } finally {
                searches.release(owner);
            }
        }

        private void run(String owner, ResumedEvents events, SharedStream stream, Listener listener) {
            try {
                var target = stream.position();
                var now = new Now();
                while (stream.has(listener)) {
                    var reached = step(owner, events, stream, listener);
                    target = target == null ? stream.position() : target;
                    if (reached != null
                            && target != null
                            && ResumeToken.reaches(reached, target)
                            && now.isReached(stream.position())) {
                        events.letGo();
                        LargeReplies.settled();
                        if (!listener.awaitTaken(meters)) {
                            stream.stopDelivery(listener);
                            return;
                        }
                        var ahead = stream.release(listener, reached);
                        if (ahead.isEmpty()) {
                            return;
                        }
                        target = ahead.get();
                    }
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                stream.stopDelivery(listener);
                listener.backlog().end(Ending.SHUTDOWN);
            } catch (RuntimeException e) { // otherwise the listener would wait without end
                if (e instanceof MongoException) {
                    LOG.info("a listener could not catch up: {}", e.toString());
                } else {
                    LOG.error("a listener could not catch up", e);
                }
                stream.stopDelivery(listener);
                listener.backlog().end(Ending.FAILED);
            }
        }

        /// The time in MongoDB, which is asked for again when the answer is old. Confined to one thread.
        private final class Now {
            private Start time = Start.now(client);
            private long asked = System.nanoTime();

            /// Whether a position is near it, as far as its time can be told.
            boolean isReached(@Nullable BsonDocument position) {
                if (System.nanoTime() - asked > TimeUnit.SECONDS.toNanos(NEARLY)) {
                    time = Start.now(client);
                    asked = System.nanoTime();
                }
                return !(time instanceof Start.At(var now))
                        || ResumeToken.time(position)
                                .map(reached -> reached.getTime() >= now.getTime() - NEARLY)
                                .orElse(true);
            }
        }

        /// Delivers one event, if there is one. Waits for a client that takes them slowly, but keeps no
        /// events meanwhile: there may be many such clients.
        ///
        /// @return the position up to which all events are delivered
        private @Nullable BsonDocument step(String owner, ResumedEvents events, SharedStream stream, Listener listener)
                throws InterruptedException {
            if (!delivers(owner, events, stream, listener)) {
                events.back(LargeReplies.isHeld());
                LargeReplies.settled();
                if (!listener.awaitTaken(meters)) {
                    stream.stopDelivery(listener);
                }
            }
            return events.token();
        }

        /// @return false if the client has to take others before
        private boolean delivers(String owner, ResumedEvents events, SharedStream stream, Listener listener)
                throws InterruptedException {
            var change = next(owner, events, stream, listener);
            if (change == null) {
                return true;
            }
            var wait = LargeReplies.isHeld() ? Duration.ZERO : SHORT_WAIT;
            var isSent = listener.catchUp(new Event(change), wait, meters);
            if (!isSent.orElse(true)) {
                stream.stopDelivery(listener);
            }
            return isSent.isPresent();
        }

        private @Nullable Change next(String owner, ResumedEvents events, SharedStream stream, Listener listener)
                throws InterruptedException {
            if (events.isFetched()) {
                return events.next();
            }
            LargeReplies.settled();
            var _ = searches.take(owner, Long.MAX_VALUE);
            try {
                return stream.has(listener) ? events.next() : null; // it may have left while it waited
            } finally {
                searches.release(owner);
            }
        }
    }
}
