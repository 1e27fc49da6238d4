package org.restheart.core.accounts;

import com.mongodb.MongoException;
import com.mongodb.MongoInterruptedException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows collections of one database through a change stream and tells what has changed, on a virtual
/// thread of its own. Where the deployment has no change streams, or while one is interrupted, the listeners
/// know that they are told nothing. See "Change Streams" in the MongoDB manual.
final class CollectionFollower implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CollectionFollower.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);
    /// CommandNotSupported, and the code for a server that is no member of a replica set.
    private static final List<Integer> NO_CHANGE_STREAMS = List.of(115, 40573);

    private final MongoClient client;
    private final String database;
    private final Map<String, Listener> listeners;
    private final Thread thread;
    private volatile boolean closed;

    /// Is told of one collection; never waits.
    interface Listener {
        /// From now on every change is told.
        void followed();

        /// From now on changes may go untold.
        void lost();

        /// @param id of the document; null if any of them may have changed
        void changed(@Nullable BsonDocument id);
    }

    /// @param listeners by the collection's name
    private CollectionFollower(MongoClient client, String database, Map<String, Listener> listeners) {
        this.client = client;
        this.database = database;
        this.listeners = Map.copyOf(listeners);
        this.thread = Thread.ofVirtual().name("follow-" + database).unstarted(this::follow);
    }

    static CollectionFollower start(MongoClient client, String database, Map<String, Listener> listeners) {
        var follower = new CollectionFollower(client, database, listeners);
        follower.thread.start();
        return follower;
    }

    private void follow() {
        var pause = FIRST_PAUSE;
        while (!closed) {
            try {
                followOnce();
                pause = FIRST_PAUSE;
            } catch (MongoInterruptedException _) {
                return;
            } catch (NoSuchElementException _) {
                LOG.debug("the change stream on {} has ended with its database", database);
            } catch (MongoException e) {
                if (NO_CHANGE_STREAMS.contains(e.getCode())) {
                    LOG.info("This deployment has no change streams: accounts and permissions are kept for the"
                            + " configured times");
                    return;
                }
                LOG.debug("the change stream on {} was interrupted: {}", database, e.toString());
            } finally {
                listeners.values().forEach(Listener::lost);
            }
            try {
                Thread.sleep(pause);
            } catch (InterruptedException _) {
                return; // closing
            }
            var doubled = pause.multipliedBy(2);
            pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
        }
    }

    private void followOnce() {
        try (var cursor = client.getDatabase(database)
                .watch(pipeline(), BsonDocument.class)
                .cursor()) {
            listeners.values().forEach(Listener::followed);
            while (!closed) {
                tell(cursor.next());
            }
        }
    }

    /// Only these collections, and of each change only what it concerns; the end of the database ends the
    /// stream.
    private List<BsonDocument> pipeline() {
        var names =
                new BsonArray(listeners.keySet().stream().map(BsonString::new).toList());
        return List.of(
                new BsonDocument(
                        "$match",
                        new BsonDocument(
                                "$or",
                                new BsonArray(List.of(
                                        new BsonDocument("ns.coll", new BsonDocument("$in", names)),
                                        new BsonDocument("to.coll", new BsonDocument("$in", names)))))),
                new BsonDocument(
                        "$project",
                        new BsonDocument("operationType", new BsonInt32(1))
                                .append("ns", new BsonInt32(1))
                                .append("to", new BsonInt32(1))
                                .append("documentKey", new BsonInt32(1))));
    }

    private void tell(ChangeStreamDocument<BsonDocument> change) {
        var namespace = change.getNamespace();
        var listener = namespace == null ? null : listeners.get(namespace.getCollectionName());
        if (listener == null) {
            listeners.values().forEach(each -> each.changed(null)); // renamed or dropped as a whole
        } else {
            listener.changed(change.getDocumentKey());
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
