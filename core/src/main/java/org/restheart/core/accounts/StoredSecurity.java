package org.restheart.core.accounts;

import com.mongodb.MongoNamespace;
import com.mongodb.MongoWriteException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Sorts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.restheart.core.accounts.CollectionFollower.Listener;
import org.restheart.core.config.SecurityConfig;
import org.restheart.core.config.SecurityStores.ApiKeyConfig;
import org.restheart.core.config.SecurityStores.MongoAclConfig;
import org.restheart.core.config.SecurityStores.MongoRealmConfig;
import org.restheart.http.CacheMeter;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Request;
import org.restheart.http.access.DataTarget;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.security.InvalidatedCache;
import org.restheart.security.InvalidatedCache.CacheExpiry;
import org.restheart.security.acl.AclAuthorizer;
import org.restheart.security.acl.Permission;
import org.restheart.security.acl.StoredPermissions;
import org.restheart.security.apikey.ApiKey;
import org.restheart.security.jwt.Revocations;
import org.restheart.security.realm.PasswordHashes;
import org.restheart.security.realm.StoredRealm;

/// Accounts and permissions in MongoDB and their caches, which are invalidated by change streams of both
/// collections and by writes through this server.
final class StoredSecurity {
    private static final int MAX_TOKENS = 100_000;

    /// Without a change stream, a token found not to be revoked is not looked up again for this time.
    private static final Duration UNFOLLOWED = Duration.ofSeconds(1);

    final Optional<StoredRealm> realm;
    private final LookUp lookUp = new LookUp();
    final Optional<AclAuthorizer> authorizer;
    final Optional<MongoApiKeys> apiKeys;
    final Optional<MongoRefreshTokens> sessions;
    final Optional<MongoRevocations> revocations;
    final Optional<RootAccounts> rootAccounts;

    /// The accounts with the root role, one of which must remain. Empty if accounts that are not in MongoDB
    /// have it too, or if there is no root role.
    final Optional<RootAccounts> requiredRootAccounts;

    private final UsersAtStart usersAtStart;
    private final CredentialChanges changes;
    private final Map<String, Map<String, List<Listener>>> listeners = new HashMap<>();
    private final List<CacheMeter> caches = new ArrayList<>();

    /// @param tasks ended before the client is closed
    /// @param changes receives those of accounts, keys and revoked tokens
    StoredSecurity(
            BackgroundTasks tasks,
            MongoClient client,
            SecurityConfig config,
            PasswordHashes hashes,
            CredentialChanges changes) {
        this.changes = changes;
        this.realm = config.mongoRealm().map(users -> realm(client, users, hashes));
        var permissions = config.mongoAcl().map(acl -> permissions(client, acl));
        this.authorizer = permissions.map(stored -> new AclAuthorizer(stored, config.rootRole()));
        this.apiKeys = config.apiKeys().map(keys -> apiKeys(client, keys));
        this.sessions = config.sessions().map(tokens -> new MongoRefreshTokens(client, tokens.stored(), lookUp));
        this.revocations = config.revocations().map(namespace -> revocations(client, namespace));
        this.rootAccounts = config.mongoRealm()
                .flatMap(users -> config.rootRole().map(role -> new RootAccounts(client, users.users(), role)));
        this.requiredRootAccounts = rootAccounts.filter(_ -> !config.definesRootAccount());
        this.usersAtStart = new UsersAtStart(
                tasks,
                client,
                config,
                requiredRootAccounts,
                permission -> permissions.ifPresent(all -> all.inspect(permission)));
        usersAtStart.start();
        listeners.forEach((database, ofCollection) -> CollectionFollower.start(tasks, client, database, ofCollection));
    }

    private StoredRealm realm(MongoClient client, MongoRealmConfig config, PasswordHashes hashes) {
        var users = config.users();
        var cache = listed(new InvalidatedCache<String, StoredRealm.Entry>(
                "accounts", config.keeping(), MemoryBudget.Part.ACCOUNTS.bytes(), StoredRealm.Entry::bytes));
        // A change identifies the account only if its name is its id.
        boolean byId = users.nameProperty().equals("_id");
        var names = new AccountNames(client, users, lookUp);
        listen(users.database(), users.collection(), new Invalidation(cache, byId));
        listen(users.database(), users.collection(), changes.ofAccounts(byId)); // when it is invalidated
        listen(users.database(), users.collection(), names);
        return new StoredRealm(users, new MongoAccounts(client, users, names, lookUp), hashes, cache);
    }

    private StoredPermissions permissions(MongoClient client, MongoAclConfig config) {
        var cache = this.<List<Permission>>cache("permissions", config.keeping());
        listen(config.database(), config.collection(), new Invalidation(cache, false));
        var permissions = client.getDatabase(config.database()).getCollection(config.collection(), BsonDocument.class);
        return new StoredPermissions(
                role -> lookUp.of(() -> permissions
                        .find(new BsonDocument("roles", new BsonString(role)))
                        .sort(Sorts.descending("_id"))
                        .into(new ArrayList<>())),
                cache);
    }

    private MongoApiKeys apiKeys(MongoClient client, ApiKeyConfig config) {
        var cache = this.<ApiKey>cache("api-keys", config.keeping());
        var cacheByHandle = this.<ApiKey>cache("api-keys-by-handle", config.keeping());
        listen(config.stored(), new Invalidation(cache, true));
        listen(config.stored(), new Invalidation(cacheByHandle, false));
        listen(config.stored(), changes.ofKeys()); // when they are invalidated
        var keys = client.getDatabase(config.stored().getDatabaseName())
                .getCollection(config.stored().getCollectionName(), BsonDocument.class);
        return new MongoApiKeys(keys, cache, cacheByHandle, lookUp, changes::keyChanged);
    }

    private MongoRevocations revocations(MongoClient client, MongoNamespace namespace) {
        var cache = this.<Boolean>cache(
                "revoked-tokens", new CacheExpiry(MAX_TOKENS, UNFOLLOWED, CacheExpiry.Expiry.AFTER_WRITE));
        listen(namespace, new Invalidation(cache, true));
        listen(namespace, changes.ofRevocations());
        return new MongoRevocations(client, namespace, cache, lookUp);
    }

    private <V> InvalidatedCache<String, V> cache(String name, CacheExpiry keeping) {
        return listed(new InvalidatedCache<>(name, keeping));
    }

    private <V> InvalidatedCache<String, V> listed(InvalidatedCache<String, V> cache) {
        caches.add(cache.meter());
        return cache;
    }

    List<CacheMeter> caches() {
        return List.copyOf(caches);
    }

    private void listen(MongoNamespace namespace, Listener listener) {
        listen(namespace.getDatabaseName(), namespace.getCollectionName(), listener);
    }

    /// Accounts and permissions may share a collection.
    private void listen(String database, String collection, Listener listener) {
        listeners
                .computeIfAbsent(database, _ -> new HashMap<>())
                .computeIfAbsent(collection, _ -> new ArrayList<>())
                .add(listener);
    }

    /// Whether an account in MongoDB had the default password at the start.
    boolean foundDefaultPassword() {
        return usersAtStart.foundDefaultPassword();
    }

    /// As [UsersAtStart#firstAccount].
    CompletableFuture<String> firstAccount() {
        return usersAtStart.firstAccount();
    }

    /// Invalidates what a write through this server may have changed.
    void written(DataTarget target) {
        var database = target.db().map(listeners::get).orElse(null);
        if (database != null) {
            database.forEach((collection, ofCollection) -> {
                if (target.collection().isEmpty() || target.collection().get().equals(collection)) {
                    ofCollection.forEach(Listener::written);
                }
            });
        }
    }

    /// Invalidates a cache by the events of its collection.
    ///
    /// @param byId whether the `_id` of a document is the key of its value; else every change invalidates all
    private record Invalidation(InvalidatedCache<String, ?> cache, boolean byId) implements Listener {
        @Override
        public void followed() {
            cache.follow();
        }

        @Override
        public void lost() {
            cache.lose();
        }

        @Override
        public void changed(@Nullable BsonDocument key) {
            if (byId && key != null && key.get("_id") instanceof BsonString id) {
                cache.invalidate(id.getValue());
            } else {
                cache.invalidateAll();
            }
        }
    }

    /// The ids of revoked tokens in a collection, from which MongoDB removes those that are over.
    /// Thread-safe.
    static final class MongoRevocations implements Revocations.Store {

        private final MongoCollection<BsonDocument> collection;
        private final InvalidatedCache<String, Boolean> kept;
        private final LookUp lookUp;
        private final AtomicBoolean indexed = new AtomicBoolean();

        /// @param kept whether a token is revoked, by its id; invalidated on changes
        MongoRevocations(
                MongoClient client, MongoNamespace namespace, InvalidatedCache<String, Boolean> kept, LookUp lookUp) {
            this.collection = client.getDatabase(namespace.getDatabaseName())
                    .getCollection(namespace.getCollectionName(), BsonDocument.class);
            this.kept = kept;
            this.lookUp = lookUp;
        }

        @Override
        public boolean add(String id, Optional<Instant> until) {
            try {
                return lookUp.once(() -> insert(id, until));
            } finally {
                kept.invalidate(id);
            }
        }

        private boolean insert(String id, Optional<Instant> until) {
            if (!indexed.get()) {
                collection.createIndex(
                        new BsonDocument("until", new BsonInt32(1)),
                        new IndexOptions().expireAfter(0L, TimeUnit.SECONDS));
                indexed.set(true);
            }
            var revoked = new BsonDocument("_id", new BsonString(id)); // without `until`, MongoDB keeps it
            until.ifPresent(end -> revoked.append("until", new BsonDateTime(end.toEpochMilli())));
            try {
                collection.insertOne(revoked);
                return true;
            } catch (MongoWriteException e) {
                if (e.getError().getCode() == MongoCodes.DUPLICATE_KEY) {
                    return false;
                }
                throw e;
            }
        }

        @Override
        public boolean contains(Request request, String id) {
            var known = kept.get(id);
            if (known.isPresent()) {
                return known.get();
            }
            request.requireThread();
            var byId = new BsonDocument("_id", new BsonString(id));
            return Boolean.TRUE.equals(kept.load(
                    id, _ -> lookUp.of(() -> collection.find(byId).first() != null)));
        }
    }
}
