package org.restheart.core.accounts;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.MongoOperationTimeoutException;
import com.mongodb.MongoTimeoutException;
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
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.resource.ResourceNames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A lock that all gateways over the same accounts share: a document that has an owner until a time, which is
/// MongoDB's, so that gateways' clocks do not matter and a gateway that has stopped does not hold it for ever. While it
/// is held, the time is put off. Without the right to write the document every gateway has a lock of its own only.
/// Thread-safe; blocks.
final class RootAccountsLock {
    private static final Logger LOG = LoggerFactory.getLogger(RootAccountsLock.class);

    private static final Duration LEASE = Duration.ofMinutes(1);

    /// It is put off so often within a lease.
    private static final int RENEWALS = 3;

    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final BsonDocument ID = new BsonDocument("_id", new BsonString("managers"));

    private final MongoCollection<BsonDocument> locks;
    private final Duration lease;
    private final AtomicBoolean forbidden = new AtomicBoolean();

    /// @param db of the accounts
    RootAccountsLock(MongoClient client, String db) {
        this(client, db, LEASE);
    }

    RootAccountsLock(MongoClient client, String db, Duration lease) {
        this.lease = lease;
        this.locks = client.getDatabase(db)
                .getCollection(ResourceNames.MANAGER_LOCK, BsonDocument.class)
                .withWriteConcern(BoundedConcern.MAJORITY);
    }

    /// @param longest how long to wait for it
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
