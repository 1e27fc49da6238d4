package org.restheart.mongo.concern;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.restheart.mongo.error.MongoCodes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The write concern that a deployment applies to writes that name none, as `getDefaultRWConcern` tells it:
/// `majority` unless there are arbiters or an administrator has set another. It has to be known to be sent with
/// a time limit, since MongoDB reads a concern that has a limit and nothing else as `w: 1`.
///
/// It is asked for again while it is used, so that a change is noticed within seconds; routers of sharded
/// clusters take half a minute. Unknown before the first answer, on standalone servers, and to users who may
/// not ask. Thread-safe.
public final class DefaultConcern {
    private static final Logger LOG = LoggerFactory.getLogger(DefaultConcern.class);
    private static final long FRESH_NANOS = Duration.ofSeconds(5).toNanos();
    private static final BsonDocument COMMAND = new BsonDocument("getDefaultRWConcern", new BsonInt32(1));

    private final AtomicBoolean asking = new AtomicBoolean();
    private final AtomicBoolean warned = new AtomicBoolean();
    private volatile Optional<BsonDocument> known = Optional.empty();
    private volatile long askedAt = System.nanoTime() - FRESH_NANOS;
    private volatile Optional<MongoClient> client = Optional.empty();

    /// Begins to ask.
    ///
    /// @param client whose settings may refer to this
    public void askedBy(MongoClient client) {
        this.client = Optional.of(client);
    }

    /// Never blocks.
    ///
    /// @return a copy of the concern with its `w`, if it is known
    Optional<BsonDocument> current() {
        if (System.nanoTime() - askedAt >= FRESH_NANOS && client.isPresent() && asking.compareAndSet(false, true)) {
            var asked = client.get();
            Thread.ofVirtual().name("default-concern").start(() -> ask(asked));
        }
        return known.map(BsonDocument::clone);
    }

    private void ask(MongoClient client) {
        try {
            var answer = client.getDatabase("admin").runCommand(COMMAND, BsonDocument.class);
            known = Optional.of(answer.getDocument("defaultWriteConcern", new BsonDocument()))
                    .filter(concern -> concern.containsKey("w"));
        } catch (MongoException e) {
            failed(e);
        } catch (IllegalStateException e) {
            LOG.debug("the client was closed meanwhile", e);
        } finally {
            askedAt = System.nanoTime();
            asking.set(false);
        }
    }

    /// What was known stays: MongoDB may be away for a moment.
    private void failed(MongoException e) {
        if (e.getCode() == MongoCodes.UNAUTHORIZED && !warned.getAndSet(true)) {
            LOG.warn(
                    "MongoDB's user may not ask for the default write concern, so that writes which no majority confirms"
                            + " wait without a limit; name w=majority in the connection string, or grant the action"
                            + " getDefaultRWConcern");
        } else {
            LOG.debug("the default write concern is not known", e);
        }
    }
}
