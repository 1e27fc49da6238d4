package org.restheart.core.accounts;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.connection.ClusterDescription;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.SecurityConfig;
import org.restheart.core.config.SecurityStores.MongoAclConfig;
import org.restheart.core.config.SecurityStores.MongoRealmConfig;
import org.restheart.core.config.SecurityStores.MongoRealmConfig.FirstUser;
import org.restheart.core.server.StartException;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.error.UnsatisfiedPreferenceException;
import org.restheart.mongo.error.WrongDeploymentException;
import org.restheart.security.realm.DefaultAccount;
import org.restheart.security.realm.UsersCollection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Prepares the stored accounts and permissions at the start: creates their collections and the first account, and logs
/// what is wrong with permissions. Retries until MongoDB is reachable; ends the start if it is another deployment, also
/// where accounts and permissions are in files.
final class UsersAtStart {
    private static final Logger LOG = LoggerFactory.getLogger(UsersAtStart.class);
    private static final int NAMESPACE_EXISTS = 48;

    /// Further permissions are checked when they are used.
    private static final int MAX_CHECKED = 1_000;

    private static final Duration START_WAITS = Duration.ofSeconds(5);

    /// The same if nothing is stored in MongoDB by which callers are known or allowed something: it answers in
    /// milliseconds, or the start does not need it.
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

    /// @param permissionCheck logs what is wrong with a stored permission
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

    /// Returns when the collections and the first account exist, when the first attempt has failed, or after
    /// [#START_WAITS] or [#BRIEFLY]. Attempts continue in the background until one succeeds.
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
        collection(acl.database(), acl.collection()).find().limit(MAX_CHECKED).forEach(permissionCheck);
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
        var account =
                users.named(first.document(), id instanceof BsonString name ? name.getValue() : DefaultAccount.NAME);
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
                firstAccount.complete("The first account is " + name + ", with the password " + password.orElseThrow()
                        + ". It is shown this once.");
            }
        }
    }

    /// Says, for the console alone, which random password the first account has got. Never complete if it has none.
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
