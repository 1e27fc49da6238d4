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

/// Follows the schema stores in use, so that changes of other gateways are applied at once. Where change streams are
/// not available or not allowed, cached schemas only expire. Thread-safe.
final class SchemaChanges implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SchemaChanges.class);

    /// Most stores; each occupies a connection.
    private static final int MAX_STORES = 8;

    private static final long PAUSE_SECONDS = 5;

    private final MongoClient client;
    private final Runnable changed;
    private final Map<String, Thread> followers = new ConcurrentHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    /// @param changed must not block
    SchemaChanges(MongoClient client, Runnable changed) {
        this.client = client;
        this.changed = changed;
    }

    /// Begins to follow the store of a database, unless it is already followed.
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
                        LOG.info("Changes of schemas of {} by other gateways take effect late: {}", db, e.getMessage());
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

    /// Whether the failure is permanent: a standalone server, or a user without the privilege.
    private static boolean isForGood(MongoException e) {
        return e.getCode() == 40573 || e.getCode() == 13;
    }

    /// Reads events until the store is dropped or the stream fails.
    private void read(String db) {
        var store = client.getDatabase(db).getCollection(StoredSchemas.COLLECTION, BsonDocument.class);
        try (var stream = store.watch().cursor()) {
            changed.run(); // changes before the stream was open
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
