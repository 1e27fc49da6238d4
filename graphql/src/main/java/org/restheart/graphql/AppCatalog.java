package org.restheart.graphql;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
import org.bson.BsonObjectId;
import org.bson.BsonRegularExpression;
import org.bson.RawBsonDocument;
import org.bson.types.ObjectId;
import org.restheart.data.Access;
import org.restheart.graphql.app.AppUris;
import org.restheart.graphql.app.Apps;
import org.restheart.graphql.app.InvalidApp;
import org.restheart.http.CacheMeter;
import org.restheart.http.ProblemException;
import org.restheart.mongo.background.CollectionChanges;
import org.restheart.mongo.write.EntityTags;
import org.restheart.rest.reading.DocumentRead;
import org.restheart.rest.reading.DocumentReads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The apps of stored definitions. Apps in use are cached and compared with their definitions on a separate
/// thread, periodically and when these may have changed. Thread-safe.
final class AppCatalog implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AppCatalog.class);

    /// The most paths whose apps are cached.
    private static final int MAX_PATHS = 1_000;

    /// The most definitions that one query returns.
    private static final int MAX = 1_000;

    /// Paths whose definitions one query asks for. MongoDB refuses patterns of more than 32 KiB, so that
    /// the query has less than 16 MiB. Few definitions claim one path, unless they were stored by other
    /// ways than this server's.
    private static final int PATHS_PER_QUERY = 100;

    private static final BsonObjectId NO_TAG = new BsonObjectId(new ObjectId(new byte[12]));
    private static final Comparator<RawBsonDocument> BY_AGE =
            Comparator.comparing(AppCatalog::age).thenComparing(AppUris::nameOf);

    private final DocumentReads reads;
    private final GraphqlConfig config;
    /// The sets of apps with one path of which the log has been told.
    private final Set<List<String>> collisions = ConcurrentHashMap.newKeySet();
    private final Cache<Location, ServedApp> kept = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_PATHS)
            .evictionListener((_, _, _) -> evicted())
            .build();
    private final CacheMeter meter = new CacheMeter("graphql-apps", kept::estimatedSize);

    /// By this server.
    private final AtomicLong writes = new AtomicLong();

    /// Times that definitions may have been changed elsewhere.
    private final AtomicLong foreignWrites = new AtomicLong();

    private final Thread revalidation;
    private final CollectionChanges changes;

    /// Holds a permit when definitions may have changed.
    private final Semaphore changed = new Semaphore(0);

    /// @param uri one of the definition's paths, in the spelling of [AppUris]
    record Location(String database, String uri) {}

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
        long before = allWrites();
        var candidates = candidates(location.database(), Set.of(location.uri()));
        var stored = served(location.uri(), candidates.getOrDefault(location.uri(), List.of()));
        if (stored.isEmpty()) {
            return Optional.empty();
        }
        var app = compile(stored.get(), location.database(), false);
        if (config.cached() && before == allWrites()) {
            kept.put(location, app);
            if (before != allWrites()) { // written in the meantime
                kept.asMap().remove(location, app);
            }
            follow(location.database());
        }
        return Optional.of(app).filter(found -> found.app().uris().isEnabled());
    }

    CacheMeter meter() {
        return meter;
    }

    /// @param strict whether to refuse unknown keys, which have no effect in definitions that are stored
    ///     already
    ServedApp compile(RawBsonDocument definition, String database, boolean strict) throws InvalidApp {
        return ServedApp.of(definition, apps(database), config, strict);
    }

    private Apps apps(String database) {
        return new Apps(config.limits(database), Execution::fetcher, reads);
    }

    /// What a definition says without effect, which is logged too. May wait for metadata of
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
        foreignWrites.incrementAndGet(); // what is being compiled may be outdated
        changed.release();
    }

    private long allWrites() {
        return writes.get() + foreignWrites.get();
    }

    private void compileAll() {
        var database = config.definitions().getDatabaseName();
        try {
            long before = writes.get();
            var byUri = new LinkedHashMap<String, List<RawBsonDocument>>();
            for (var definition : all(database)) {
                AppUris.of(definition)
                        .own()
                        .ifPresent(uri -> byUri.computeIfAbsent(uri, _ -> new ArrayList<>())
                                .add(definition));
            }
            byUri.forEach((uri, owners) -> {
                try {
                    var app = compile(served(uri, owners).orElseThrow(), database, false);
                    warnings(app, database);
                    var location = new Location(database, uri);
                    kept.put(location, app);
                    follow(database);
                    if (before != writes.get()) { // what was written elsewhere is compared next, on this thread
                        kept.asMap().remove(location, app);
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
            var candidates =
                    candidates(database, locations.stream().map(Location::uri).toList());
            apps.forEach((location, app) -> {
                if (!isServed(app, location.uri(), candidates.getOrDefault(location.uri(), List.of()))) {
                    kept.asMap().remove(location, app);
                }
            });
        });
    }

    private boolean isServed(ServedApp app, String uri, List<RawBsonDocument> candidates) {
        return served(uri, candidates).equals(Optional.of(app.stored()));
    }

    @Override
    public void close() {
        revalidation.interrupt();
    }

    record Served(AppCatalog.Location location, ServedApp app) {}

    /// The first ones of a database, in the order of their ids.
    List<RawBsonDocument> all(String database) {
        return find(database, new BsonDocument());
    }

    /// Definitions that are written through this server do not claim the path of another. Of those that
    /// were stored in other ways, or by two servers at the same moment, all servers serve the oldest one
    /// that is enabled. Who may write definitions cannot choose an entity tag, so that no later
    /// definition takes the path of an earlier one, which keeps its tag: while there are two, neither
    /// can be changed.
    Optional<RawBsonDocument> served(String uri, List<RawBsonDocument> candidates) {
        var owners = candidates.stream()
                .filter(definition -> AppUris.of(definition).own().equals(Optional.of(uri)))
                .toList();
        if (owners.isEmpty()) {
            return candidates.stream().findFirst(); // by its id, which is unique
        }
        var enabled = owners.stream()
                .filter(definition -> AppUris.of(definition).isEnabled())
                .sorted(BY_AGE)
                .toList();
        if (enabled.size() > 1) {
            warn(uri, enabled);
        }
        return (enabled.isEmpty() ? owners : enabled).stream().findFirst();
    }

    private void warn(String uri, List<RawBsonDocument> enabled) {
        var names = enabled.stream().limit(10).map(AppUris::nameOf).toList();
        if (collisions.size() > MAX) {
            collisions.clear();
        }
        if (collisions.add(names)) {
            LOG.warn("These GraphQL apps have the same path /{}, at which the first is served: {}", uri, names);
        }
    }

    /// Definitions without an entity tag of a server were stored by other programs and count as the
    /// oldest.
    private static BsonObjectId age(RawBsonDocument definition) {
        return definition.get(EntityTags.FIELD) instanceof BsonObjectId tag ? tag : NO_TAG;
    }

    /// The definitions that are to be served at each of these paths, disabled ones too; nothing for a
    /// path without any.
    Map<String, List<RawBsonDocument>> candidates(String database, Collection<String> uris) {
        var found = new HashMap<String, List<RawBsonDocument>>();
        var asked = uris.stream()
                .filter(uri -> uri.indexOf('\0') < 0) // which no pattern can contain, and no path has
                .distinct()
                .toList();
        for (int from = 0; from < asked.size(); from += PATHS_PER_QUERY) {
            var some = Set.copyOf(asked.subList(from, Math.min(asked.size(), from + PATHS_PER_QUERY)));
            for (var definition : find(database, claiming(some))) {
                for (var uri : AppUris.of(definition).all()) {
                    if (some.contains(uri)) {
                        found.computeIfAbsent(uri, _ -> new ArrayList<>()).add(definition);
                    }
                }
            }
        }
        return found;
    }

    /// The patterns do not depend on the collation of the collection, which may not distinguish cases.
    private static BsonDocument claiming(Set<String> uris) {
        var declared = new BsonArray();
        var named = new BsonArray();
        for (var uri : uris) {
            declared.add(new BsonRegularExpression("^/*" + Pattern.quote(uri) + "/*\\z"));
            named.add(new BsonRegularExpression("^" + Pattern.quote(uri) + "\\z"));
        }
        return new BsonDocument(
                "$or",
                new BsonArray(List.of(
                        new BsonDocument("descriptor.uri", new BsonDocument("$in", declared)),
                        new BsonDocument("_id", new BsonDocument("$in", named)))));
    }

    private List<RawBsonDocument> find(String database, BsonDocument filter) {
        var namespace = new MongoNamespace(database, config.definitions().getCollectionName());
        var query = new DocumentRead.Find(
                namespace, filter, new BsonDocument("_id", new BsonInt32(1)), 0, MAX, Duration.ZERO, new Access.Root());
        try {
            return reads.read(query).toCompletableFuture().join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }
}
