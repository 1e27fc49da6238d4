package org.restheart.graphql;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonRegularExpression;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.restheart.graphql.app.AppUris;
import org.restheart.graphql.app.Apps;
import org.restheart.graphql.app.InvalidApp;
import org.restheart.http.CacheMeter;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.mongo.background.CollectionChanges;
import org.restheart.mongo.reading.DocumentReads;
import org.restheart.mongo.reading.ReadQuery;
import org.restheart.mongo.reading.ReadRights;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The apps of stored definitions. Apps in use are cached and compared with their definitions on a separate thread,
/// periodically and when these may have changed. Thread-safe.
final class AppCatalog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppCatalog.class);

    /// As many as one query returns.
    private static final int MAX_APPS = 1_000;

    private final DocumentReads reads;
    private final GraphqlConfig config;
    private final Map<Place, ServedApp> kept = new ConcurrentHashMap<>();
    private final CacheMeter meter = new CacheMeter("graphql-apps", kept::size);
    private final AtomicLong writes = new AtomicLong();
    private final Thread revalidation;
    private final CollectionChanges changes;

    /// Holds a permit when definitions may have changed.
    private final Semaphore changed = new Semaphore(0);

    /// @param uri as [AppUris#normal] has it
    record Place(String database, String uri) {}

    /// @param following follows the definitions of apps in use
    AppCatalog(Function<Consumer<String>, CollectionChanges> following, DocumentReads reads, GraphqlConfig config) {
        this.reads = reads;
        this.config = config;
        this.changes = following.apply(_ -> changedElsewhere());
        this.revalidation = Thread.ofVirtual().name("graphql-apps").unstarted(() -> {
            if (config.compilesAtStart()) {
                compileAll();
            }
            if (config.revalidates()) {
                revalidateForEver();
            }
        });
        if (config.cached()) {
            revalidation.start();
        }
    }

    /// The app that is served at a path, if it is cached. Never waits.
    Optional<ServedApp> known(Place place) {
        return Optional.ofNullable(kept.get(place)).filter(app -> app.app().enabled());
    }

    /// The app that is served at a path.
    ///
    /// @param request that may have to wait for it
    /// @throws InvalidApp if its definition is invalid
    Optional<ServedApp> find(Place place, Request request) throws InvalidApp {
        var known = known(place);
        if (known.isPresent()) {
            meter.hit();
            return known;
        }
        request.requireThread();
        return find(place);
    }

    /// The app that is served at a path. May wait.
    ///
    /// @throws InvalidApp if its definition is invalid
    Optional<ServedApp> find(Place place) throws InvalidApp {
        var known = kept.get(place);
        if (known != null) {
            meter.hit();
            return Optional.of(known).filter(app -> app.app().enabled());
        }
        meter.miss();
        long before = writes.get();
        var stored = stored(place.database(), place.uri());
        if (stored.isEmpty()) {
            return Optional.empty();
        }
        var app = compile(stored.get(), place.database(), false);
        if (config.cached() && before == writes.get() && kept.size() < MAX_APPS) {
            kept.put(place, app);
            if (before != writes.get()) { // written in the meantime
                kept.remove(place, app);
            }
            follow(place.database());
        }
        return Optional.of(app).filter(found -> found.app().enabled());
    }

    /// What the cache of apps does.
    CacheMeter meter() {
        return meter;
    }

    /// Compiles a definition.
    ///
    /// @param strict whether to refuse unknown keys, which have no effect in definitions that are stored already
    ServedApp compile(RawBsonDocument definition, String database, boolean strict) throws InvalidApp {
        return ServedApp.of(definition, new Apps(config.limits(database), Execution::fetcher), config, strict);
    }

    /// Called when definitions may have changed through this server.
    void written() {
        writes.incrementAndGet();
        kept.clear();
    }

    private void follow(String database) {
        if (config.revalidates()) {
            changes.follow(database);
        }
    }

    private void changedElsewhere() {
        writes.incrementAndGet(); // what is being compiled may be outdated
        changed.release();
    }

    private Optional<RawBsonDocument> stored(String database, String uri) {
        var found = definitions(database, claiming(uri), 10);
        return found.stream()
                .filter(definition -> declares(definition, uri))
                .findFirst()
                .or(() -> found.stream().findFirst());
    }

    private static boolean declares(BsonDocument definition, String uri) {
        return definition.get("descriptor") instanceof BsonDocument descriptor
                && descriptor.get("uri") instanceof BsonString declared
                && AppUris.normal(declared.getValue()).equals(uri);
    }

    /// The filter for definitions that are served at a path.
    private static BsonDocument claiming(String uri) {
        var spellings = new BsonArray(List.of(new BsonString(uri)));
        if (uri.indexOf('\0') < 0) { // which no pattern can contain
            spellings.add(new BsonRegularExpression("^/*" + Pattern.quote(uri) + "/*\\z"));
        }
        var spelt = new BsonDocument("$in", spellings);
        return new BsonDocument(
                "$or",
                new BsonArray(List.of(new BsonDocument("descriptor.uri", spelt), new BsonDocument("_id", spelt))));
    }

    /// Definitions whose primary path is this one.
    List<RawBsonDocument> rivals(String database, String uri) {
        return definitions(database, claiming(uri), 10);
    }

    private List<RawBsonDocument> definitions(String database, BsonDocument filter, int limit) {
        var namespace = new MongoNamespace(database, config.definitions().getCollectionName());
        var query = new ReadQuery(
                namespace, filter, new BsonDocument("_id", new BsonInt32(1)), 0, limit, Duration.ZERO, ReadRights.ALL);
        try {
            return reads.find(query).toCompletableFuture().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private void compileAll() {
        var database = config.definitions().getDatabaseName();
        try {
            long before = writes.get();
            for (var definition : definitions(database, new BsonDocument(), MAX_APPS)) {
                try {
                    var app = compile(definition, database, false);
                    app.app().uris().own().ifPresent(uri -> {
                        kept.put(new Place(database, uri), app);
                        follow(database);
                        if (before != writes.get()) {
                            kept.clear();
                        }
                    });
                } catch (InvalidApp e) {
                    LOG.warn("GraphQL app {} cannot be served: {}", AppUris.nameOf(definition), e.getMessage());
                }
            }
        } catch (ProblemException e) { // MongoDB is not reachable yet: apps are compiled on their first request
            LOG.debug("app definitions could not be read", e);
        }
    }

    private void revalidateForEver() {
        while (true) {
            try {
                var _ = changed.tryAcquire(config.revalidation().toNanos(), TimeUnit.NANOSECONDS);
                changed.drainPermits();
                revalidate();
            } catch (InterruptedException _) {
                return; // closing
            } catch (RuntimeException e) {
                LOG.debug("app definitions could not be compared", e);
            }
        }
    }

    /// Evicts apps whose definitions were deleted or changed: they are compiled again on their next request.
    private void revalidate() {
        var byDatabase = new HashMap<String, List<Place>>();
        kept.keySet()
                .forEach(place -> byDatabase
                        .computeIfAbsent(place.database(), _ -> new ArrayList<>())
                        .add(place));
        byDatabase.forEach((database, places) -> {
            for (var place : places) {
                var app = kept.get(place);
                var now = stored(database, place.uri());
                if (app != null && (now.isEmpty() || !now.get().equals(app.stored()))) {
                    kept.remove(place, app);
                }
            }
        });
    }

    @Override
    public void close() {
        changes.close();
        revalidation.interrupt();
    }
}
