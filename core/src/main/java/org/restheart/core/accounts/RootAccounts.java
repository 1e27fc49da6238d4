package org.restheart.core.accounts;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ReadPreference;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonNull;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.mongo.metadata.ResourceNames;
import org.restheart.security.realm.UsersCollection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The accounts in MongoDB that may do everything: those with the root role and a password.
final class RootAccounts {
    private static final int BATCH = 100;
    private static final Duration TIME_LIMIT = Duration.ofSeconds(5);

    /// Another member may still have one that another gateway has just removed.
    private static final Optional<ReadPreference> LATEST = Optional.of(ReadPreference.primary());

    private final DriverFinder documents;
    private final RootAccountsLock lock;
    private final MongoNamespace namespace;
    private final UsersCollection users;
    private final String rootRole;

    RootAccounts(MongoClient client, UsersCollection users, String rootRole) {
        this.documents = new DriverFinder(client);
        this.lock = new RootAccountsLock(client, users.database());
        this.namespace = new MongoNamespace(users.database(), users.collection());
        this.users = users;
        this.rootRole = rootRole;
    }

    UsersCollection users() {
        return users;
    }

    String rootRole() {
        return rootRole;
    }

    /// Held by who may take the role from one of them.
    RootAccountsLock lock() {
        return lock;
    }

    boolean is(BsonDocument account) {
        var password = account.get(users.passwordProperty());
        return password instanceof BsonString text
                && !text.getValue().isEmpty()
                && users.nameOf(account).isPresent()
                && hasRole(account);
    }

    private boolean hasRole(BsonDocument account) {
        return users.roles()
                .read(account)
                .filter(roles -> roles.contains(rootRole))
                .isPresent();
    }

    /// A filter for accounts without the root role; empty if the path of the roles cannot be used in a filter.
    Optional<BsonDocument> others() {
        return users.roles()
                .dotted()
                .map(path -> new BsonDocument(path, new BsonDocument("$ne", new BsonString(rootRole))));
    }

    /// Whether one of them matches all filters. Blocks for MongoDB.
    boolean exist(List<BsonDocument> filters) {
        return existAmong(new BsonDocument("$and", new BsonArray(filters)), this::is);
    }

    /// As [#exist], also of accounts with the root role that have no password.
    boolean existWithoutPassword(List<BsonDocument> filters) {
        return existAmong(new BsonDocument("$and", new BsonArray(filters)), this::hasRole);
    }

    /// Whether one of them does not match all filters. Blocks for MongoDB.
    boolean existBeside(List<BsonDocument> filters) {
        return existAmong(
                new BsonDocument("$nor", new BsonArray(List.of(new BsonDocument("$and", new BsonArray(filters))))),
                this::is);
    }

    /// The filter, which may be a client's, is evaluated on accounts that may have the role only, within a time
    /// limit, and over the caller's connections.
    private boolean existAmong(BsonDocument filter, Predicate<BsonDocument> wanted) {
        var query = new FindQuery(
                namespace,
                new StagedFilter(candidates(), filter),
                Projection.ALL,
                new BsonDocument(),
                Optional.empty(),
                0,
                0,
                new ReadSettings(Optional.empty(), LATEST, TIME_LIMIT));
        try (var found = documents.find(query, BATCH)) {
            while (found.hasNext()) {
                if (wanted.test(found.next())) {
                    return true;
                }
            }
        }
        return false;
    }

    /// A filter for accounts that may have the role. If the path of the roles cannot be used in a filter, it
    /// matches all accounts with any roles.
    private BsonDocument candidates() {
        return users.roles()
                .dotted()
                .map(path -> new BsonDocument(path, new BsonString(rootRole)))
                .orElseGet(() -> new BsonDocument(users.roles().root(), new BsonDocument("$ne", BsonNull.VALUE)));
    }

    /// A lock that all gateways over the same accounts share: a document that has an owner until a time,
    /// which is MongoDB's, so that gateways' clocks do not matter and a gateway that has stopped does not
    /// hold it for ever. While it is held, the time is put off. Without the right to write the document
    /// every gateway has a lock of its own only. Thread-safe; blocks.
    static final class RootAccountsLock {
        private static final Logger LOG = LoggerFactory.getLogger(RootAccountsLock.class);

        private static final Duration LEASE = Duration.ofMinutes(1);

        /// It is put off so often within a lease.
        private static final int RENEWALS = 3;

        private static final Duration PAUSE = Duration.ofMillis(50);
        private static final BsonDocument ID = new BsonDocument("_id", new BsonString("managers"));

        private final MongoCollection<BsonDocument> locks;
        private final Duration lease;
        private final AtomicBoolean forbidden = new AtomicBoolean();

        RootAccountsLock(MongoClient client, String db) {
            this(client, db, LEASE);
        }

        RootAccountsLock(MongoClient client, String db, Duration lease) {
            this.lease = lease;
            this.locks = client.getDatabase(db)
                    .getCollection(ResourceNames.MANAGER_LOCK, BsonDocument.class)
                    .withWriteConcern(BoundedConcern.MAJORITY);
        }

        /// @return to be run once, which gives the lock back; empty if others have it
        Optional<Runnable> take(Duration longest) {
            var owner = new BsonObjectId(new ObjectId());
            long deadline = System.nanoTime() + longest.toNanos();
            try {
                while (!isTaken(owner)) {
                    if (System.nanoTime() > deadline || !pause()) {
                        return Optional.empty();
                    }
                }
            } catch (MongoCommandException e) {
                if (e.getErrorCode() != MongoCodes.UNAUTHORIZED) {
                    throw e;
                }
                if (!forbidden.getAndSet(true)) {
                    LOG.warn(
                            "the user of MongoDB may not write {}: two gateways could remove the last two accounts with the"
                                    + " root role at the same time",
                            locks.getNamespace());
                }
                return Optional.of(() -> {});
            }
            var released = new CountDownLatch(1);
            Thread.ofVirtual().name("root-accounts-lock").start(() -> renew(owner, released));
            return Optional.of(() -> {
                released.countDown();
                release(owner);
            });
        }

        private static boolean pause() {
            try {
                Thread.sleep(PAUSE);
                return true;
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
                return false;
            }
        }

        /// Of two concurrent inserts one fails. May be repeated after a lost connection.
        private boolean isTaken(BsonObjectId owner) {
            var options = new FindOneAndUpdateOptions().upsert(true).returnDocument(ReturnDocument.AFTER);
            try {
                var lock = ConnectionRetry.repeated(() -> locks.findOneAndUpdate(ID, update(owner), options));
                return owner.equals(Objects.requireNonNull(lock).get("owner"));
            } catch (MongoCommandException e) {
                if (e.getErrorCode() == MongoCodes.DUPLICATE_KEY) {
                    return false;
                }
                if (e.getErrorCode() != MongoCodes.UNAUTHORIZED) {
                    release(owner);
                }
                throw e;
            } catch (MongoTimeoutException e) {
                if (e instanceof MongoOperationTimeoutException) { // else nothing was sent
                    release(owner);
                }
                throw e;
            } catch (MongoException e) { // of which it may have been taken, for example if no majority has confirmed it
                release(owner);
                throw e;
            }
        }

        /// For as long as it is held: writes of many accounts may take longer than a lease.
        private void renew(BsonObjectId owner, CountDownLatch released) {
            try {
                while (!released.await(lease.toMillis() / RENEWALS, TimeUnit.MILLISECONDS)) {
                    try {
                        locks.updateOne(
                                ID.clone().append("owner", owner),
                                List.of(new BsonDocument("$set", new BsonDocument("until", until()))));
                    } catch (MongoException | IllegalStateException e) { // also after the client was closed
                        LOG.debug("the lock of accounts with the root role could not be put off", e);
                    }
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }

        /// Gives the lock to the owner if nobody has it.
        private List<BsonDocument> update(BsonObjectId owner) {
            var now = new BsonString("$$NOW");
            var free = call("$lte", call("$ifNull", new BsonString("$until"), now), now);
            return List.of(new BsonDocument(
                    "$set",
                    new BsonDocument("owner", call("$cond", free, owner, new BsonString("$owner")))
                            .append("until", call("$cond", free, until(), new BsonString("$until")))));
        }

        private BsonDocument until() {
            return call("$add", new BsonString("$$NOW"), new BsonInt64(lease.toMillis()));
        }

        private static BsonDocument call(String operator, BsonValue... arguments) {
            return new BsonDocument(operator, new BsonArray(List.of(arguments)));
        }

        private void release(BsonObjectId owner) {
            try {
                locks.withWriteConcern(WriteConcern.W1).deleteOne(ID.clone().append("owner", owner));
            } catch (MongoException e) {
                LOG.warn(
                        "accounts with the root role cannot be changed for a minute: their lock could not be given back",
                        e);
            }
        }
    }
}
