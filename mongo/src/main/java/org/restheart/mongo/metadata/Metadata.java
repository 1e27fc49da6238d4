package org.restheart.mongo.metadata;

import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Collation;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.RawDocuments;
import org.restheart.http.CacheMeter;
import org.restheart.http.MemoryBudget;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.background.ChangeCursor.Change;
import org.restheart.mongo.background.ChangeFollower;
import org.restheart.mongo.background.ChangeSource;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.find.Collations;

/// A cache of the metadata of databases and collections, including their absence. Thread-safe.
///
/// Properties are stored in each database's collection `_properties`: `_id` `_properties` for the database's
/// own, `_properties.<collection>` for a collection's.
public final class Metadata {
    private static final int MAX_ENTRIES = 10_000;

    /// How long entries are kept at most where no change stream reports changes: other gateways' changes are
    /// seen as soon as with one.
    private static final Duration UNFOLLOWED = Duration.ofSeconds(1);

    private final MongoClient client;
    private final Duration ttl;
    private final @Nullable SharedLoads<Namespace, ResourceMetadata> cache;

    private volatile Changes changes = (_, _) -> {};

    /// Notified of collections whose properties may have changed; must not block.
    @FunctionalInterface
    public interface Changes {
        void changed(String db, String collection);
    }

    /// @param collection null means the database itself
    private record Namespace(String db, @Nullable String collection) {
        boolean isPossible() {
            return ResourceNames.isPossible(db) && (collection == null || ResourceNames.isPossible(collection));
        }
    }

    /// @param ttl zero disables the cache, a negative one keeps entries until they are invalidated; while
    ///     changes are not followed, entries are kept for a second at most
    public Metadata(MongoClient client, Duration ttl) {
        this.client = client;
        this.ttl = ttl;
        this.cache = ttl.isZero()
                ? null
                : new SharedLoads<>(
                        "metadata", MAX_ENTRIES, ttl, Metadata::bytes, MemoryBudget.Part.METADATA.bytes() / 2);
    }

    private static long bytes(ResourceMetadata metadata) {
        return metadata.properties()
                .map(properties -> (long) StoredMetadata.EXPANSION
                        * RawDocuments.encode(properties).getByteLength())
                .orElse(0L);
    }

    /// @param mayWait called before a miss waits for MongoDB: it throws if the thread must not
    /// @param fresh ask MongoDB, whatever is cached
    public ResourceMetadata db(Runnable mayWait, String db, boolean fresh) {
        return find(mayWait, new Namespace(db, null), fresh);
    }

    /// @param mayWait called before a miss waits for MongoDB: it throws if the thread must not
    /// @param fresh ask MongoDB, whatever is cached
    public ResourceMetadata collection(Runnable mayWait, String db, String collection, boolean fresh) {
        return find(mayWait, new Namespace(db, collection), fresh);
    }

    /// The same on a thread that may block.
    public ResourceMetadata collection(String db, String collection) {
        var namespace = new Namespace(db, collection);
        if (!namespace.isPossible()) {
            return ResourceMetadata.MISSING;
        }
        if (cache == null) {
            return load(namespace);
        }
        var known = cache.get(namespace, this::load);
        if (!known.exists()) {
            cache.forget(namespace); // it may be created by another way before a client asks for it
        }
        return known;
    }

    private ResourceMetadata find(Runnable mayWait, Namespace namespace, boolean fresh) {
        if (!namespace.isPossible()) {
            return ResourceMetadata.MISSING;
        }
        if (cache == null) {
            mayWait.run();
            return load(namespace);
        }
        if (fresh) {
            mayWait.run();
            cache.forget(namespace);
        } else {
            var known = cache.find(namespace);
            if (known.isPresent()) {
                return known.get();
            }
            mayWait.run();
        }
        return cache.get(namespace, this::load);
    }

    /// With the connections for look-ups, since requests of several callers may wait for the result.
    private ResourceMetadata load(Namespace namespace) {
        var collection = namespace.collection();
        return CallerScope.lookUp(() -> ConnectionRetry.repeated(
                () -> collection == null ? readDb(namespace.db()) : readCollection(namespace.db(), collection)));
    }

    private ResourceMetadata readDb(String db) {
        var database = client.getDatabase(db);
        var exists = database.listCollectionNames().first() != null;
        return exists
                ? new ResourceMetadata(
                        true,
                        false,
                        Optional.empty(),
                        Set.of(),
                        StoredMetadata.properties(database, ResourceNames.PROPERTIES))
                : ResourceMetadata.MISSING;
    }

    private ResourceMetadata readCollection(String db, String name) {
        var database = client.getDatabase(db);
        return StoredMetadata.info(database, name)
                .map(info -> new ResourceMetadata(
                        true,
                        isPlain(info),
                        collation(info),
                        StoredMetadata.sources(database, info),
                        StoredMetadata.properties(database, propertiesId(name))))
                .orElse(ResourceMetadata.MISSING);
    }

    private static boolean isPlain(BsonDocument info) {
        return info.getString("type", new BsonString("collection")).getValue().equals("collection")
                && collation(info).isEmpty();
    }

    private static Optional<Collation> collation(BsonDocument info) {
        var options = info.getDocument("options", new BsonDocument());
        return options.isDocument("collation")
                ? Optional.of(Collations.described(options.getDocument("collation")))
                : Optional.empty();
    }

    /// The `_id` under which a collection's properties are stored.
    public static String propertiesId(String collection) {
        return ResourceNames.PROPERTIES + "." + collection;
    }

    /// Invalidates metadata that change in other ways than through this server, for as long as the tasks run.
    ///
    /// @param databases the mounted databases; empty for all
    public void followChanges(BackgroundTasks tasks, Set<String> databases) {
        if (cache != null) {
            followed(false);
            MetadataChanges.follow(tasks, client, databases, this);
        }
    }

    public Optional<CacheMeter> meter() {
        return Optional.ofNullable(cache).map(SharedLoads::meter);
    }

    public boolean caches() {
        return cache != null;
    }

    /// Invalidates a database, after its properties were changed.
    public void forgetDb(String db) {
        if (cache != null) {
            cache.forget(new Namespace(db, null));
        }
    }

    /// Invalidates a database and all its collections, after it was dropped.
    public void forgetDbAndCollections(String db) {
        if (cache != null) {
            cache.forgetIf(namespace -> namespace.db().equals(db));
        }
    }

    /// Declares whether all changes are reported from now on.
    void followed(boolean all) {
        if (cache != null) {
            cache.keepFor(all || ttl.compareTo(UNFOLLOWED) < 0 ? ttl : UNFOLLOWED);
        }
    }

    void forgetAll() {
        if (cache != null) {
            cache.forgetIf(_ -> true);
        }
    }

    /// Sets the observer of changes through this server.
    public void onChange(Changes changes) {
        this.changes = changes;
    }

    /// Invalidates a collection and its database, after it was created, changed or dropped.
    public void forgetCollection(String db, String collection) {
        if (cache != null) {
            cache.forget(new Namespace(db, collection));
            cache.forget(new Namespace(db, null));
        }
        changes.changed(db, collection);
    }

    /// Invalidates cached metadata that others have changed: properties of databases and collections, and
    /// what was dropped or renamed. Where there are no change streams, or the user of MongoDB may not read
    /// them, entries expire soon.
    static final class MetadataChanges implements ChangeSource, ChangeFollower.Receiver {
        /// Each is followed by a cursor of its own; more are followed together.
        private static final int MAX_DATABASES = 4;

        private static final String COLLECTION_PREFIX = Metadata.propertiesId("");

        private static final List<BsonDocument> PIPELINE = List.of(
                BsonDocument.parse("{$match: {$or: [{'ns.coll': '" + ResourceNames.PROPERTIES
                        + "'}, {operationType: {$in: ['drop', 'rename', 'dropDatabase']}}]}}"),
                BsonDocument.parse("{$project: {operationType: 1, ns: 1, to: 1, documentKey: 1}}"));

        private final MongoClient client;
        private final @Nullable String db;
        private final Metadata metadata;

        /// The followers, for the same metadata, that do not receive changes at present. Guarded by itself.
        private final Set<MetadataChanges> unfollowed;

        private MetadataChanges(
                MongoClient client, @Nullable String db, Metadata metadata, Set<MetadataChanges> unfollowed) {
            this.client = client;
            this.db = db;
            this.metadata = metadata;
            this.unfollowed = unfollowed;
        }

        /// @param databases empty for all
        static void follow(BackgroundTasks tasks, MongoClient client, Set<String> databases, Metadata metadata) {
            var unfollowed = new HashSet<MetadataChanges>();
            if (databases.isEmpty() || databases.size() > MAX_DATABASES) {
                unfollowed.add(new MetadataChanges(client, null, metadata, unfollowed));
            } else {
                databases.forEach(db -> unfollowed.add(new MetadataChanges(client, db, metadata, unfollowed)));
            }
            List.copyOf(unfollowed).forEach(changes -> start(tasks, client, changes));
        }

        private static void start(BackgroundTasks tasks, MongoClient client, MetadataChanges changes) {
            tasks.start("follow-metadata", new ChangeFollower(tasks, client, changes, changes)::followForEver);
        }

        @Override
        public String name() {
            return "the properties of " + (db == null ? "all databases" : db);
        }

        @Override
        public ChangeStreamIterable<RawBsonDocument> watch(List<BsonDocument> stages) {
            return db == null
                    ? client.watch(stages, RawBsonDocument.class)
                    : client.getDatabase(db).watch(stages, RawBsonDocument.class);
        }

        @Override
        public List<BsonDocument> pipeline() {
            return PIPELINE;
        }

        @Override
        public void opened() {
            synchronized (unfollowed) {
                unfollowed.remove(this);
                metadata.followed(unfollowed.isEmpty());
            }
            metadata.forgetAll();
        }

        @Override
        public void ended() {
            synchronized (unfollowed) {
                unfollowed.add(this);
                metadata.followed(false);
            }
        }

        @Override
        public void received(Change change) {
            var event = change.document();
            if (event.getString("operationType", new BsonString("")).getValue().equals("invalidate")) {
                metadata.forgetAll();
                return;
            }
            forget(event.getDocument("ns", new BsonDocument()), event.get("documentKey"));
            forget(event.getDocument("to", new BsonDocument()), null);
        }

        private void forget(BsonDocument namespace, @Nullable Object key) {
            var database = text(namespace, "db");
            var collection = text(namespace, "coll");
            if (database.isEmpty()) {
                return;
            }
            if (collection.isEmpty() || (collection.equals(ResourceNames.PROPERTIES) && key == null)) {
                metadata.forgetDbAndCollections(database);
            } else if (!collection.equals(ResourceNames.PROPERTIES)) {
                metadata.forgetCollection(database, collection);
            } else if (key instanceof BsonDocument document && document.get("_id") instanceof BsonString id) {
                if (id.getValue().startsWith(COLLECTION_PREFIX)) {
                    metadata.forgetCollection(database, id.getValue().substring(COLLECTION_PREFIX.length()));
                } else {
                    metadata.forgetDb(database);
                }
            }
        }

        private static String text(BsonDocument document, String key) {
            return document.getString(key, new BsonString("")).getValue();
        }
    }
}
