package org.restheart.mongo.schema;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.changestream.OperationType;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows the schema stores that are in use, so that what another gateway changes is known here at once. Where
/// MongoDB has no change streams, or does not allow them, schemas are only forgotten when they have been remembered
/// long enough. Thread-safe.
final class SchemaChanges implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SchemaChanges.class);

    /// Each takes a connection.
    private static final int MAX_STORES = 8;

    private static final long PAUSE_SECONDS = 5;

    private final MongoClient client;
    private final Runnable changed;
    private final Map<String, Thread> followers = new ConcurrentHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    /// @param changed does not wait
    SchemaChanges(MongoClient client, Runnable changed) {
        this.client = client;
        this.changed = changed;
    }

    /// Begins to follow the store of a database, unless that is done already.
    void follow(String db) {
        if (!followers.containsKey(db) && followers.size() < MAX_STORES) {
            followers.computeIfAbsent(
                    db, name -> Thread.ofVirtual().name("schemas-" + name).start(() -> run(name)));
        }
    }

    private void run(String db) {
        try {
            do {
                try {
                    read(db);
                } catch (MongoException e) {
                    if (isForGood(e)) {
                        LOG.info("Schemas of {} that change elsewhere are seen late: {}", db, e.getMessage());
                        return;
                    }
                    LOG.debug("The schema store of {} cannot be followed", db, e);
                }
                changed.run();
            } while (!closed.await(PAUSE_SECONDS, TimeUnit.SECONDS));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// A server on its own, or a user that may not.
    private static boolean isForGood(MongoException e) {
        return e.getCode() == 40573 || e.getCode() == 13;
    }

    /// Until the store is dropped or the stream breaks.
    private void read(String db) {
        var store = client.getDatabase(db).getCollection(StoredSchemas.COLLECTION, BsonDocument.class);
        try (var stream = store.watch().cursor()) {
            changed.run(); // what has changed before the stream was there
            while (closed.getCount() > 0) {
                var event = stream.tryNext();
                if (event != null) {
                    changed.run();
                    if (event.getOperationType() == OperationType.INVALIDATE) {
                        return;
                    }
                }
            }
        }
    }

    @Override
    public void close() {
        closed.countDown();
        followers.values().forEach(Thread::interrupt);
    }
}
