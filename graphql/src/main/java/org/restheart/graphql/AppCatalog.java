package org.restheart.graphql;

import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
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

    /// More definitions than claim a path, unless they were stored by other ways than this server's.
    private static final int MAX_CLAIMANTS = 100;

    private final DocumentReads reads;
    private final GraphqlConfig config;
    private final Map<Place, ServedApp> kept = new ConcurrentHashMap<>();
    private final CacheMeter meter = new CacheMeter("graphql-apps", kept::size);
    private final AtomicLong writes = new AtomicLong();
    private final Thread revalidation;
    private final CollectionChanges changes;

    /// Holds a permit when definitions may have changed.
    private final Semaphore changed = new Semaphore(0);

    /// Where an app is served.
    ///
    /// @param uri one of the definition's paths, in the spelling of [AppUris]
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
    /// @throws InvalidApp if its definition is invalid, or if more than one has the path
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
    /// @throws InvalidApp if its definition is invalid, or if more than one has the path
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
        return ServedApp.of(
                definition, new Apps(config.limits(database), Execution::fetcher, reads::refusal), config, strict);
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

    private Optional<RawBsonDocument> stored(String database, String uri) throws InvalidApp {
        return served(uri, claimants(database, uri));
    }

    /// Definitions that are written through this server never claim the path of another. Of those that were stored in
    /// other ways, neither the order nor what they contain decides which is served, since who may write one could
    /// choose that: none is.
    private static Optional<RawBsonDocument> served(String uri, List<RawBsonDocument> claimants) throws InvalidApp {
        var owners = claimants.stream()
                .filter(definition -> AppUris.of(definition).own().equals(Optional.of(uri)))
                .toList();
        if (owners.isEmpty()) {
            return claimants.stream().findFirst(); // by its id, which is unique
        }
        var enabled = owners.stream()
                .filter(definition -> AppUris.of(definition).isEnabled())
                .toList();
        if (enabled.size() > 1) {
            LOG.warn(
                    "None of these GraphQL apps is served at its own path, since all have the same: {}",
                    enabled.stream().limit(10).map(AppUris::nameOf).toList());
            throw new InvalidApp("URI collision: more than one GraphQL app has the path /" + uri);
        }
        return (enabled.isEmpty() ? owners : enabled).stream().findFirst();
    }

    /// The definitions that are to be served at a path, disabled ones too. The patterns do not depend on the
    /// collation of the collection, which may not distinguish cases.
    List<RawBsonDocument> claimants(String database, String uri) {
        if (uri.indexOf('\0') >= 0) { // which no pattern can contain, and no path has
            return List.of();
        }
        var declared =
                new BsonDocument("descriptor.uri", new BsonRegularExpression("^/*" + Pattern.quote(uri) + "/*\\z"));
        var named = new BsonDocument("_id", new BsonRegularExpression("^" + Pattern.quote(uri) + "\\z"));
        var filter = new BsonDocument("$or", new BsonArray(List.of(declared, named)));
        return definitions(database, filter, MAX_CLAIMANTS).stream()
                .filter(definition -> AppUris.of(definition).all().contains(uri))
                .toList();
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
            var byUri = new LinkedHashMap<String, List<RawBsonDocument>>();
            for (var definition : definitions(database, new BsonDocument(), MAX_APPS)) {
                AppUris.of(definition)
                        .own()
                        .ifPresent(uri -> byUri.computeIfAbsent(uri, _ -> new ArrayList<>())
                                .add(definition));
            }
            byUri.forEach((uri, owners) -> {
                try {
                    var app = compile(served(uri, owners).orElseThrow(), database, false);
                    kept.put(new Place(database, uri), app);
                    follow(database);
                    if (before != writes.get()) {
                        kept.clear();
                    }
                } catch (InvalidApp e) {
                    LOG.warn("GraphQL app {} cannot be served: {}", AppUris.nameOf(owners.getFirst()), e.getMessage());
                }
            });
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
                if (app != null && !isServed(app, place)) {
                    kept.remove(place, app);
                }
            }
        });
    }

    private boolean isServed(ServedApp app, Place place) {
        try {
            return stored(place.database(), place.uri()).equals(Optional.of(app.stored()));
        } catch (InvalidApp _) {
            return false;
        }
    }

    @Override
    public void close() {
        changes.close();
        revalidation.interrupt();
    }
}
