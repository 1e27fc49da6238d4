package org.restheart.core.accounts;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.FindOneAndUpdateOptions;
import com.mongodb.client.model.ReturnDocument;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.concern.LostConnections;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.resource.ResourceNames;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// A lock that all gateways over the same accounts share: a document that has an owner until a time, which is
/// MongoDB's, so that gateways' clocks do not matter and a gateway that has stopped does not hold it for ever.
/// Thread-safe; blocks.
final class ManagerLock {
    private static final Logger LOG = LoggerFactory.getLogger(ManagerLock.class);

    /// Longer than writes of a few accounts take.
    private static final Duration LEASE = Duration.ofMinutes(1);

    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final BsonDocument ID = new BsonDocument("_id", new BsonString("managers"));

    private final MongoCollection<BsonDocument> locks;

    /// @param db of the accounts
    ManagerLock(MongoClient client, String db) {
        this.locks = client.getDatabase(db)
                .getCollection(ResourceNames.MANAGER_LOCK, BsonDocument.class)
                .withWriteConcern(BoundedConcern.MAJORITY);
    }

    /// @param longest how long to wait for it
    /// @return to be run once, which gives the lock back; empty if others have it
    Optional<Runnable> take(Duration longest) {
        var owner = new BsonObjectId(new ObjectId());
        long deadline = System.nanoTime() + longest.toNanos();
        while (!isTaken(owner)) {
            if (System.nanoTime() > deadline || !pause()) {
                return Optional.empty();
            }
        }
        return Optional.of(() -> release(owner));
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
            var lock = LostConnections.repeated(() -> locks.findOneAndUpdate(ID, update(owner), options));
            return owner.equals(Objects.requireNonNull(lock).get("owner"));
        } catch (MongoCommandException e) {
            if (e.getErrorCode() == MongoCodes.DUPLICATE_KEY) {
                return false;
            }
            throw e;
        }
    }

    /// Gives the lock to the owner if nobody has it.
    private static List<BsonDocument> update(BsonObjectId owner) {
        var now = new BsonString("$$NOW");
        var free = call("$lte", call("$ifNull", new BsonString("$until"), now), now);
        var until = call("$add", now, new BsonInt64(LEASE.toMillis()));
        return List.of(new BsonDocument(
                "$set",
                new BsonDocument("owner", call("$cond", free, owner, new BsonString("$owner")))
                        .append("until", call("$cond", free, until, new BsonString("$until")))));
    }

    private static BsonDocument call(String operator, BsonValue... arguments) {
        return new BsonDocument(operator, new BsonArray(List.of(arguments)));
    }

    private void release(BsonObjectId owner) {
        try {
            locks.deleteOne(ID.clone().append("owner", owner));
        } catch (MongoException e) {
            LOG.warn(
                    "accounts with the root role cannot be changed for a minute: their lock could not be given back",
                    e);
        }
    }
}
