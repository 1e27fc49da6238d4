package org.restheart.mongo.schema;

import static com.mongodb.client.model.Projections.include;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.changestream.OperationType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows the schema stores in use, so that changes of other gateways are applied at once. Where change streams are
/// not available or not allowed, the tags of schemas are read again and again. Thread-safe.
final class SchemaChanges implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SchemaChanges.class);

    /// Most stores; each occupies a connection.
    private static final int MAX_STORES = 8;

    private static final long PAUSE_SECONDS = 5;

    /// How often tags are read where there is no change stream.
    private static final long POLL_MILLIS = 500;

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
                        LOG.info("The schemas of {} are polled for changes: {}", db, e.getMessage());
                        poll(db);
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

    /// Each write through a gateway gives a schema another tag. Writes by other tools that do not are seen when the
    /// schema expires.
    private void poll(String db) throws InterruptedException {
        var store = client.getDatabase(db).getCollection(StoredSchemas.COLLECTION, BsonDocument.class);
        List<BsonDocument> known = List.of();
        do {
            try {
                var tags = store.find().projection(include("_etag")).into(new ArrayList<>());
                if (!tags.equals(known)) {
                    known = tags;
                    changed.run();
                }
            } catch (MongoException e) {
                LOG.debug("The schemas of {} cannot be polled", db, e);
            }
        } while (!closed.await(POLL_MILLIS, TimeUnit.MILLISECONDS));
    }

    @Override
    public void close() {
        closed.countDown();
        followers.values().forEach(Thread::interrupt);
    }
}
