package org.restheart.mongo.background;

import static com.mongodb.client.model.Projections.include;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.changestream.OperationType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.restheart.mongo.error.MongoCodes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows the collections of one name that are in use, such as stores of schemas, so that changes of other
/// gateways are applied within a second. Where change streams are not available or not allowed, the tags of
/// documents are read again and again. Thread-safe.
public final class CollectionChanges implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CollectionChanges.class);

    /// Most databases; each occupies a connection.
    private static final int MAX_DATABASES = 8;

    private static final long PAUSE_SECONDS = 5;

    /// How often tags are read where there is no change stream.
    private static final long POLL_MILLIS = 500;

    private final MongoClient client;
    private final String collection;
    private final String what;
    private final Consumer<String> changed;
    private final Map<String, Thread> followers = new ConcurrentHashMap<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    /// @param collection the name that it has in each database
    /// @param what its documents are called, in the log and in the names of threads
    /// @param changed receives the database of documents that may have changed; must not block
    public CollectionChanges(MongoClient client, String collection, String what, Consumer<String> changed) {
        this.client = client;
        this.collection = collection;
        this.what = what;
        this.changed = changed;
    }

    /// Begins to follow the collection of a database, unless it is already followed, or too many are.
    public void follow(String db) {
        if (!followers.containsKey(db) && followers.size() < MAX_DATABASES) {
            followers.computeIfAbsent(
                    db, name -> Thread.ofVirtual().name(what + "-" + name).start(() -> run(name)));
        }
    }

    private MongoCollection<BsonDocument> in(String db) {
        return client.getDatabase(db).getCollection(collection, BsonDocument.class);
    }

    private void run(String db) {
        try {
            do {
                try {
                    read(db);
                } catch (MongoException e) {
                    if (isForGood(e)) {
                        LOG.info("The {} of {} are polled for changes: {}", what, db, e.getMessage());
                        poll(db);
                        return;
                    }
                    LOG.debug("The {} of {} cannot be followed", what, db, e);
                } catch (RuntimeException e) { // such as an event that cannot be decoded: nobody else would follow
                    LOG.warn("The {} of {} cannot be followed", what, db, e);
                }
                changed.accept(db);
            } while (!closed.await(PAUSE_SECONDS, TimeUnit.SECONDS));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Whether the failure is permanent: a standalone server, or a user without the privilege.
    private static boolean isForGood(MongoException e) {
        return e.getCode() == MongoCodes.NO_CHANGE_STREAMS || e.getCode() == MongoCodes.UNAUTHORIZED;
    }

    /// Reads events until the collection is dropped or the stream fails.
    private void read(String db) {
        try (var stream = in(db).watch().cursor()) {
            changed.accept(db); // changes before the stream was open
            while (closed.getCount() > 0) {
                var event = stream.tryNext();
                if (event != null) {
                    changed.accept(db);
                    if (event.getOperationType() == OperationType.INVALIDATE) {
                        return;
                    }
                }
            }
        }
    }

    /// Each write through a gateway gives a document another tag. Writes by other tools that do not are seen when
    /// what is cached expires.
    private void poll(String db) throws InterruptedException {
        var store = in(db);
        List<BsonDocument> known = List.of();
        do {
            try {
                var tags = store.find().projection(include("_etag")).into(new ArrayList<>());
                if (!tags.equals(known)) {
                    known = tags;
                    changed.accept(db);
                }
            } catch (MongoException e) {
                LOG.debug("The {} of {} cannot be polled", what, db, e);
            }
        } while (!closed.await(POLL_MILLIS, TimeUnit.MILLISECONDS));
    }

    @Override
    public void close() {
        closed.countDown();
        followers.values().forEach(Thread::interrupt);
    }
}
