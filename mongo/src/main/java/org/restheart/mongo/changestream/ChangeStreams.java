package org.restheart.mongo.changestream;

import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.http.judged.JudgedRequest.StreamPosition;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Frame;
import org.restheart.http.push.PushBudget;
import org.restheart.http.push.Subscription;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.background.Start;
import org.restheart.mongo.changestream.Reauthorization.AuthorizationBasis;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.mongo.metadata.StoredMetadata;
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
        this.listeners = new FairShares(config.maxListeners(), 0);
        this.redefinitions = new Redefinitions(tasks, client, config.recheck(), this::open);
        this.authorizations =
                new AuthorizationWatch(tasks, config.recheckRights(), reauthorization, InstantSource.system());
    }

    /// The memory for messages that wait for listeners.
    public PushBudget budget() {
        return budget;
    }

    private Collection<SharedStream> open() {
        return streams.values();
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
    /// @param request of the listener
    /// @param from the position at which the stream begins
    /// @param first sent before all events
    /// @throws org.restheart.http.ProblemException 400, 405, 410, 429 or 503
    Subscription subscribe(
            StreamKey key, Listener listener, Request request, Optional<Start> from, Optional<Frame> first) {
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
        request.attribute(StreamPosition.ASKED).ifPresent(asked -> asked.accept(() -> stream.position(listener)));
        meters.joined(listener.transport());
        var gone = new AtomicBoolean();
        var forget = authorizations.watch(listener.backlog(), request);
        return new Subscription(listener.transport(), listener.backlog(), config.keepAlive(), onSent, () -> {
            if (gone.compareAndSet(false, true)) {
                forget.run();
                stream.leave(listener, owner);
                listener.discard();
                listeners.release(owner);
                meters.left(listener.transport());
            }
        });
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

    /// Closes the connections of listeners whose stream was redefined: at once for a change by this gateway, after the
    /// check interval for others. Thread-safe.
    private static final class Redefinitions {
        private static final Logger LOG = LoggerFactory.getLogger(Redefinitions.class);

        private final BackgroundTasks tasks;
        private final MongoClient client;
        private final Supplier<Collection<SharedStream>> streams;

        /// @param interval how often definitions are read, while there are streams
        Redefinitions(
                BackgroundTasks tasks,
                MongoClient client,
                Duration interval,
                Supplier<Collection<SharedStream>> streams) {
            this.tasks = tasks;
            this.client = client;
            this.streams = streams;
            tasks.repeat("redefinitions", interval, () -> !streams.get().isEmpty(), this::checkAll);
        }

        /// Never blocks.
        void changed(String db, String collection) {
            var namespace = new MongoNamespace(db, collection);
            if (streams.get().stream()
                    .anyMatch(stream -> stream.key().namespace().equals(namespace))) {
                tasks.start("redefinition", () -> check(namespace));
            }
        }

        private void checkAll() {
            streams.get().stream()
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
                streams.get().stream()
                        .filter(stream -> stream.key().namespace().equals(namespace))
                        .forEach(stream -> stream.keepDefinedBy(known));
            } catch (MongoException | IllegalStateException e) { // the latter when the client has been closed
                LOG.debug("definitions of {} could not be read: {}", namespace, e.toString());
            }
        }
    }
}
