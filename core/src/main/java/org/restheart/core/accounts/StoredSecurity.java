package org.restheart.core.accounts;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.MongoNamespace;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoServerException;
import com.mongodb.MongoWriteException;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Sorts;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.connection.ClusterDescription;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.bson.BsonArray;
import org.bson.BsonBoolean;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.RawDocuments;
import org.restheart.core.accounts.CollectionFollower.Listener;
import org.restheart.core.config.SecurityConfig;
import org.restheart.core.config.SecurityStores.ApiKeyConfig;
import org.restheart.core.config.SecurityStores.MongoAclConfig;
import org.restheart.core.config.SecurityStores.MongoRealmConfig;
import org.restheart.core.config.SecurityStores.MongoRealmConfig.FirstUser;
import org.restheart.core.server.StartException;
import org.restheart.http.CacheMeter;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.Request;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.DataTarget;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.error.ShareTakenException;
import org.restheart.mongo.error.UnsatisfiedPreferenceException;
import org.restheart.mongo.error.WrongDeploymentException;
import org.restheart.security.InvalidatedCache;
import org.restheart.security.InvalidatedCache.CacheExpiry;
import org.restheart.security.acl.AclAuthorizer;
import org.restheart.security.acl.AclAuthorizer.StoredPermissions;
import org.restheart.security.acl.Permission;
import org.restheart.security.apikey.ApiKey;
import org.restheart.security.jwt.Revocations;
import org.restheart.security.realm.DefaultAccount;
import org.restheart.security.realm.PasswordHashes;
import org.restheart.security.realm.StoredRealm;
import org.restheart.security.realm.StoredRealm.Accounts;
import org.restheart.security.realm.UsersCollection;
import org.restheart.text.ShortText;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

    final UsersAtStart usersAtStart;
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
        boolean byId = users.isNamedById();
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

    /// Prepares the stored accounts and permissions at the start: creates their collections and the first
    /// account, and logs what is wrong with permissions. Retries until MongoDB is reachable; ends the
    /// start if it is another deployment, also where accounts and permissions are in files.
    static final class UsersAtStart {
        private static final Logger LOG = LoggerFactory.getLogger(UsersAtStart.class);
        private static final int NAMESPACE_EXISTS = 48;

        /// Further permissions are checked when they are used.
        private static final int MAX_CHECKED = 1_000;

        private static final Duration START_WAITS = Duration.ofSeconds(5);

        /// The same if nothing is stored in MongoDB by which callers are known or allowed something: it
        /// answers in milliseconds, or the start does not need it.
        private static final Duration BRIEFLY = Duration.ofSeconds(1);

        private static final Duration PAUSE = Duration.ofSeconds(5);

        private final MongoClient client;
        private final SecurityConfig config;
        private final Optional<RootAccounts> requiredRootAccounts;
        private final Consumer<BsonDocument> permissionCheck;
        private final CompletableFuture<String> firstAccount = new CompletableFuture<>();
        private final CountDownLatch tried = new CountDownLatch(1);
        private volatile @Nullable WrongDeploymentException wrong;
        private final BackgroundTasks tasks;
        private volatile boolean defaultPassword;
        private volatile boolean starting = true;

        UsersAtStart(
                BackgroundTasks tasks,
                MongoClient client,
                SecurityConfig config,
                Optional<RootAccounts> requiredRootAccounts,
                Consumer<BsonDocument> permissionCheck) {
            this.tasks = tasks;
            this.client = client;
            this.config = config;
            this.requiredRootAccounts = requiredRootAccounts;
            this.permissionCheck = permissionCheck;
        }

        /// Returns when the collections and the first account exist, when the first attempt has failed,
        /// or after [#START_WAITS] or [#BRIEFLY]. Attempts continue in the background until one
        /// succeeds.
        ///
        /// @throws StartException if the connection string names another deployment
        void start() {
            tasks.start("users-at-start", this::run);
            try {
                var waits = isStored() ? START_WAITS : BRIEFLY;
                if (!tried.await(waits.toMillis(), TimeUnit.MILLISECONDS) && isStored()) {
                    LOG.error(unreachable(client.getClusterDescription(), true));
                    tried.countDown();
                }
                starting = false;
                var refusal = wrong;
                if (refusal != null) {
                    throw new StartException(String.valueOf(refusal.getMessage()), refusal);
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }

        /// Whether an account had the default password when that was last looked up; false before.
        boolean foundDefaultPassword() {
            return defaultPassword;
        }

        private boolean isStored() {
            return config.mongoRealm().isPresent() || config.mongoAcl().isPresent();
        }

        private void run() {
            while (tasks.isRunning()) {
                try {
                    if (!isStored()) {
                        client.getDatabase("admin")
                                .runCommand(new BsonDocument("ping", new BsonInt32(1)), ReadPreference.nearest());
                    }
                    config.mongoAcl().ifPresent(this::create);
                    config.mongoAcl().ifPresent(this::inspect);
                    config.mongoRealm().ifPresent(this::create);
                    warnIfNobodyCanManage();
                    if (tried.getCount() == 0) {
                        LOG.info("MongoDB answers now");
                    }
                    tried.countDown();
                    return;
                } catch (WrongDeploymentException e) {
                    wrong = e; // before it is asked who reports it
                    if (!starting) {
                        LOG.error("{}", e.getMessage());
                    }
                    tried.countDown();
                    return;
                } catch (MongoException e) {
                    if (tried.getCount() > 0) {
                        LOG.error(reason(e, client.getClusterDescription(), isStored()));
                        tried.countDown();
                    }
                    LOG.debug("the collections of accounts and permissions cannot be created yet: {}", e.toString());
                }
                tasks.pause(PAUSE);
            }
        }

        /// The log message for a first attempt that failed.
        ///
        /// @param stored whether callers are known, or allowed something, by what is stored there
        static String reason(MongoException failure, ClusterDescription cluster, boolean stored) {
            return failure instanceof MongoCommandException answer
                    ? "The collections of accounts and permissions cannot be used: " + MongoFailures.reason(answer)
                            + ". It is tried again and again"
                    : failure instanceof UnsatisfiedPreferenceException
                            ? "The collections of accounts and permissions cannot be read: " + failure.getMessage()
                                    + ". It is tried again and again"
                            : failure instanceof MongoSecurityException
                                    ? MongoFailures.REFUSED + ": "
                                            + (stored
                                                    ? "nobody can sign in until it does"
                                                    : "until it does, requests for data get an error")
                                    : unreachable(cluster, stored);
        }

        private static String unreachable(ClusterDescription cluster, boolean stored) {
            return MongoFailures.unreachable(cluster) + " It is tried again and again; until it answers, "
                    + (stored ? "nobody can sign in, and requests for data get 503" : "requests for data get 503");
        }

        private void create(MongoAclConfig acl) {
            create(acl.database(), acl.collection());
            var permissions = collection(acl.database(), acl.collection());
            if (acl.rootRole().isEmpty() && !config.definesPermissions() && permissions.estimatedDocumentCount() == 0) {
                LOG.warn(
                        "No account may do anything: {}.{} has no permission, and no role may do everything"
                                + " (/mongoAclAuthorizer/root-role). A configuration file replaces the built-in one, in which"
                                + " the role admin may; overrides (-o, RHO) change single keys of it",
                        acl.database(),
                        acl.collection());
            }
        }

        private void inspect(MongoAclConfig acl) {
            collection(acl.database(), acl.collection())
                    .find()
                    .limit(MAX_CHECKED)
                    .forEach(permissionCheck);
        }

        private void create(MongoRealmConfig realm) {
            var users = realm.users();
            create(users.database(), users.collection());
            var collection = collection(users.database(), users.collection());
            var first = realm.firstUser();
            if (first.isPresent() && collection.estimatedDocumentCount() == 0) {
                createFirst(realm, collection, first.get());
            }
            new AccountNames(client, users, new LookUp()).ensure();
            warnOfDefaultPassword(users);
        }

        /// Several gateways may start at once: the second one finds the existing account.
        private void createFirst(MongoRealmConfig realm, MongoCollection<BsonDocument> collection, FirstUser first) {
            var users = realm.users();
            var password = first.random() ? Optional.of(MongoRealmConfig.randomPassword()) : first.password();
            var id = first.document().get("_id");
            var account = users.named(
                    first.document(), id instanceof BsonString name ? name.getValue() : DefaultAccount.NAME);
            password.ifPresent(chosen -> account.put(users.passwordProperty(), new BsonString(realm.stored(chosen))));
            var outcome = collection.updateOne(
                    id == null ? account : new BsonDocument("_id", id),
                    new BsonDocument("$setOnInsert", withoutId(account)),
                    new UpdateOptions().upsert(true));
            if (outcome.getUpsertedId() != null) {
                LOG.info(
                        "Created the first account in {}.{}{}",
                        users.database(),
                        users.collection(),
                        first.random() ? "; its password is on the console" : "");
                if (first.random()) {
                    var name = users.nameOf(account).orElse("");
                    firstAccount.complete("The first account is " + name + ", with the password "
                            + password.orElseThrow() + ". It is shown this once.");
                }
            }
        }

        /// Says, for the console alone, which random password the first account has got. Never complete
        /// if it has none.
        CompletableFuture<String> firstAccount() {
            return firstAccount;
        }

        private void warnIfNobodyCanManage() {
            requiredRootAccounts
                    .filter(known -> !known.exist(List.of(new BsonDocument())))
                    .ifPresent(known -> LOG.warn(
                            "No account can manage this server: none has the role {} and a password."
                                    + " Start once with --reset-admin to make one",
                            known.rootRole()));
        }

        private static BsonDocument withoutId(BsonDocument document) {
            var rest = document.clone();
            rest.remove("_id");
            return rest;
        }

        private void warnOfDefaultPassword(UsersCollection users) {
            var known = collection(users.database(), users.collection())
                    .find(Filters.eq(users.passwordProperty(), new BsonString(DefaultAccount.HASH)))
                    .first();
            defaultPassword = known != null;
            if (known != null) {
                LOG.warn(
                        "The account {} still has its default password, which is accepted from this machine only. Change"
                                + " it",
                        users.nameOf(known).orElse(""));
            }
        }

        private void create(String database, String collection) {
            var db = client.getDatabase(database);
            var names = db.listCollectionNames().into(new HashSet<>());
            if (names.isEmpty()) {
                describe(database, "_properties");
            }
            if (!names.contains(collection)) {
                try {
                    db.createCollection(collection);
                } catch (MongoCommandException e) {
                    if (e.getErrorCode() != NAMESPACE_EXISTS) {
                        throw e;
                    }
                }
                describe(database, "_properties." + collection);
            }
        }

        /// Stores the properties that the data API keeps of every database and collection.
        private void describe(String database, String id) {
            collection(database, "_properties")
                    .updateOne(
                            Filters.eq("_id", id),
                            new BsonDocument("$setOnInsert", new BsonDocument("_etag", new BsonObjectId())),
                            new UpdateOptions().upsert(true));
        }

        private MongoCollection<BsonDocument> collection(String database, String name) {
            return client.getDatabase(database).getCollection(name, BsonDocument.class);
        }
    }

    /// Accounts in a collection. Thread-safe.
    static final class MongoAccounts implements Accounts {
        private static final Logger LOG = LoggerFactory.getLogger(MongoAccounts.class);

        /// Of an account in BSON: while they are used, accounts are in memory, with ten times as many
        /// bytes, and some accounts may change their own properties.
        private static final int LARGEST = 256 << 10;

        /// Between two warnings.
        private static final Duration PAUSE = Duration.ofMinutes(1);

        private final MongoCollection<RawBsonDocument> collection;
        private final AccountNames names;
        private final LookUp lookUp;
        private final UsersCollection users;
        private final AtomicLong warned = new AtomicLong(System.nanoTime() - PAUSE.toNanos());

        MongoAccounts(MongoClient client, UsersCollection users, AccountNames names, LookUp lookUp) {
            this.names = names;
            this.lookUp = lookUp;
            this.collection =
                    client.getDatabase(users.database()).getCollection(users.collection(), RawBsonDocument.class);
            this.users = users;
        }

        /// The name is always compared as a string: an account whose id is of another type cannot log
        /// in, nor can one with a list of names, with the same name as another, or that is too large.
        @Override
        public Optional<BsonDocument> find(String name) {
            if (!names.areUnique()) {
                return Optional.empty();
            }
            var found = lookUp.of(() -> collection.find(named(name)).limit(2).into(new ArrayList<>()));
            if (found.size() != 1) {
                return Optional.empty();
            }
            var only = found.getFirst();
            if (only.getByteLength() > LARGEST) {
                warn(name, only.getByteLength());
                return Optional.empty();
            }
            var account = RawDocuments.toTree(only);
            return isNamed(account, name) ? Optional.of(account) : Optional.empty();
        }

        /// Now and then: anybody can send the name.
        private void warn(String name, int bytes) {
            long now = System.nanoTime();
            long last = warned.get();
            if (now - last > PAUSE.toNanos() && warned.compareAndSet(last, now)) {
                LOG.warn(
                        "the account {} cannot log in: it has {} bytes, and may have {}",
                        ShortText.of(name, 100),
                        bytes,
                        LARGEST);
            }
        }

        @Override
        public void identify(String name, String property) {
            var account = find(name);
            if (account.isEmpty()) {
                return;
            }
            var without = new BsonDocument("_id", account.get().get("_id"))
                    .append(property, new BsonDocument("$exists", BsonBoolean.FALSE));
            lookUp.of(() -> collection.updateOne(
                    without,
                    new BsonDocument(
                            "$set",
                            new BsonDocument(property, new BsonObjectId()).append("_etag", new BsonObjectId()))));
        }

        /// Accounts with the name in a list of names are excluded, so that they do not make the account
        /// with exactly this name ambiguous.
        private BsonDocument named(String name) {
            var property = users.nameProperty();
            var named = new BsonDocument(property, new BsonString(name));
            return property.equals("_id")
                    ? named
                    : named.append(
                            "$expr",
                            new BsonDocument(
                                    "$eq",
                                    new BsonArray(List.of(
                                            new BsonString("$" + property),
                                            new BsonDocument("$literal", new BsonString(name))))));
        }

        /// With a collation the query also finds other spellings.
        private boolean isNamed(BsonDocument account, String name) {
            return users.nameOf(account).filter(name::equals).isPresent();
        }
    }

    /// Runs the queries for accounts and permissions with the connections that are reserved for look-ups. A
    /// failed query is a problem with status 503; the first failure and the recovery are logged, not every request.
    /// Thread-safe.
    static final class LookUp {
        private static final Logger LOG = LoggerFactory.getLogger(LookUp.class);

        private final AtomicBoolean failing = new AtomicBoolean();

        /// @param query is repeated after lost connections
        /// @throws org.restheart.http.ProblemException 503 if the query fails
        <T> T of(Supplier<T> query) {
            return once(() -> ConnectionRetry.repeated(query));
        }

        /// The same for what tells whether it has changed something: only the driver repeats it, which
        /// knows that.
        <T> T once(Supplier<T> query) {
            try {
                var result = CallerScope.lookUp(query);
                if (failing.get() && failing.compareAndSet(true, false)) {
                    LOG.info("accounts and permissions can be looked up again");
                }
                return result;
            } catch (MongoInterruptedException _) { // the client has left, or the server stops: MongoDB can be asked
                throw unavailable("");
            } catch (ShareTakenException _) { // others are not concerned
                throw Problem.overloaded("too many accounts and permissions are being looked up for this caller")
                        .raise();
            } catch (MongoException e) {
                if (failing.compareAndSet(false, true)) {
                    LOG.warn(
                            "accounts and permissions cannot be looked up: {}",
                            e instanceof MongoCommandException answer ? MongoFailures.reason(answer) : e.toString());
                } else {
                    LOG.debug("accounts and permissions still cannot be looked up", e);
                }
                throw unavailable(
                        switch (e) {
                            case MongoServerException _ -> "";
                            case UnsatisfiedPreferenceException unsatisfied -> unsatisfied.getMessage() + ": ";
                            default -> "MongoDB unreachable: ";
                        });
            }
        }

        private static ProblemException unavailable(String why) {
            return Problem.of(
                            ProblemCode.DATABASE_UNAVAILABLE,
                            why + "accounts and permissions cannot be looked up at the moment")
                    .with("Retry-After", "5")
                    .raise();
        }
    }
}
