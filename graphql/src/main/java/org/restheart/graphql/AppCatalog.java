package org.restheart.graphql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.graphql.app.AppUris;
import org.restheart.graphql.app.Apps;
import org.restheart.graphql.app.InvalidApp;
import org.restheart.http.CacheMeter;
import org.restheart.http.ProblemException;
import org.restheart.mongo.background.CollectionChanges;
import org.restheart.mongo.reading.DocumentReads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The apps of stored definitions. Apps in use are cached and compared with their definitions on a separate thread,
/// periodically and when these may have changed. Thread-safe.
final class AppCatalog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppCatalog.class);

    /// The most paths whose apps are cached.
    private static final int MAX_PATHS = 1_000;

    private final DocumentReads reads;
    private final GraphqlConfig config;
    private final StoredDefinitions definitions;
    private final Cache<Location, ServedApp> kept = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_PATHS)
            .evictionListener((_, _, _) -> evicted())
            .build();
    private final CacheMeter meter = new CacheMeter("graphql-apps", kept::estimatedSize);

    private final AtomicLong writes = new AtomicLong();
    private final Thread revalidation;
    private final CollectionChanges changes;

    /// Holds a permit when definitions may have changed.
    private final Semaphore changed = new Semaphore(0);

    /// Where an app is served.
    ///
    /// @param uri one of the definition's paths, in the spelling of [AppUris]
    record Location(String database, String uri) {}

    /// @param following follows the definitions of apps in use
    AppCatalog(Function<Consumer<String>, CollectionChanges> following, DocumentReads reads, GraphqlConfig config) {
        this.reads = reads;
        this.config = config;
        this.definitions = new StoredDefinitions(reads, config.definitions().getCollectionName());
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

    /// The app that is served at a path. May wait.
    ///
    /// @throws InvalidApp if its definition is invalid
    Optional<ServedApp> find(Location location) throws InvalidApp {
        var known = kept.getIfPresent(location);
        if (known != null) {
            meter.hit();
            return Optional.of(known).filter(app -> app.app().uris().isEnabled());
        }
        meter.miss();
        long before = writes.get();
        var candidates = definitions.candidates(location.database(), Set.of(location.uri()));
        var stored = definitions.served(location.uri(), candidates.getOrDefault(location.uri(), List.of()));
        if (stored.isEmpty()) {
            return Optional.empty();
        }
        var app = compile(stored.get(), location.database(), false);
        if (config.cached() && before == writes.get()) {
            kept.put(location, app);
            if (before != writes.get()) { // written in the meantime
                kept.asMap().remove(location, app);
            }
            follow(location.database());
        }
        return Optional.of(app).filter(found -> found.app().uris().isEnabled());
    }

    StoredDefinitions definitions() {
        return definitions;
    }

    /// What the cache of apps does.
    CacheMeter meter() {
        return meter;
    }

    /// Compiles a definition.
    ///
    /// @param strict whether to refuse unknown keys, which have no effect in definitions that are stored already
    ServedApp compile(RawBsonDocument definition, String database, boolean strict) throws InvalidApp {
        return ServedApp.of(definition, apps(database), config, strict);
    }

    private Apps apps(String database) {
        return new Apps(config.limits(database), Execution::fetcher, reads);
    }

    /// What a definition says without effect, or what will fail, which is logged too. May wait for metadata of
    /// collections; so it is not asked for when an app is served.
    List<String> warnings(ServedApp app, String database) {
        var warnings = apps(database).warnings(app.definition(), app.app());
        warnings.forEach(
                warning -> LOG.warn("GraphQL app {}: {}", app.app().uris().all(), warning));
        return warnings;
    }

    private void evicted() {
        meter.evicted();
    }

    /// Called when definitions may have changed through this server.
    void written() {
        writes.incrementAndGet();
        kept.invalidateAll();
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

    private void compileAll() {
        var database = config.definitions().getDatabaseName();
        try {
            long before = writes.get();
            var byUri = new LinkedHashMap<String, List<RawBsonDocument>>();
            for (var definition : definitions.all(database)) {
                AppUris.of(definition)
                        .own()
                        .ifPresent(uri -> byUri.computeIfAbsent(uri, _ -> new ArrayList<>())
                                .add(definition));
            }
            byUri.forEach((uri, owners) -> {
                try {
                    var app = compile(definitions.served(uri, owners).orElseThrow(), database, false);
                    warnings(app, database);
                    kept.put(new Location(database, uri), app);
                    follow(database);
                    if (before != writes.get()) {
                        kept.invalidateAll();
                    }
                } catch (InvalidApp e) {
                    LOG.warn("GraphQL app {} cannot be served: {}", AppUris.nameOf(owners.getFirst()), e.getMessage());
                }
            });
        } catch (ProblemException
                | MongoException e) { // MongoDB is not reachable yet: apps are compiled on their first request
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
        var byDatabase = new HashMap<String, List<Location>>();
        kept.asMap()
                .keySet()
                .forEach(location -> byDatabase
                        .computeIfAbsent(location.database(), _ -> new ArrayList<>())
                        .add(location));
        byDatabase.forEach((database, locations) -> {
            var apps = Map.copyOf(kept.getAllPresent(locations));
            var candidates = definitions.candidates(
                    database, locations.stream().map(Location::uri).toList());
            apps.forEach((location, app) -> {
                if (!isServed(app, location.uri(), candidates.getOrDefault(location.uri(), List.of()))) {
                    kept.asMap().remove(location, app);
                }
            });
        });
    }

    private boolean isServed(ServedApp app, String uri, List<RawBsonDocument> candidates) {
        return definitions.served(uri, candidates).equals(Optional.of(app.stored()));
    }

    @Override
    public void close() {
        changes.close();
        revalidation.interrupt();
    }

    record Served(AppCatalog.Location location, ServedApp app) {}
}
