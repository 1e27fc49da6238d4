package org.restheart.mongo.background;

import static com.mongodb.client.model.Projections.include;

import com.mongodb.MongoException;
import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.restheart.mongo.background.ChangeCursor.Change;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Follows the collections of one name that are in use, such as stores of schemas, so that changes of other
/// gateways are applied within a second. Wherever no change stream is open, the tags of documents are read again and
/// again. Thread-safe.
public final class CollectionChanges {
    private static final Logger LOG = LoggerFactory.getLogger(CollectionChanges.class);

    /// Most databases; each occupies a connection.
    private static final int MAX_DATABASES = 8;

    /// How often tags are read where there is no change stream.
    private static final Duration POLL = Duration.ofMillis(500);

    private final BackgroundTasks tasks;
    private final MongoClient client;
    private final String collection;
    private final String what;
    private final Consumer<String> changed;
    private final Map<String, Followed> followed = new ConcurrentHashMap<>();

    /// @param tasks during which collections are followed
    /// @param collection the name that it has in each database
    /// @param what its documents are called, in the log and in the names of threads
    /// @param changed receives the database of documents that may have changed; must not block
    public CollectionChanges(
            BackgroundTasks tasks, MongoClient client, String collection, String what, Consumer<String> changed) {
        this.tasks = tasks;
        this.client = client;
        this.collection = collection;
        this.what = what;
        this.changed = changed;
        tasks.repeat(
                "poll-" + what,
                POLL,
                () -> followed.values().stream().anyMatch(one -> !one.isOpen),
                () -> followed.values().forEach(Followed::poll));
    }

    /// Begins to follow the collection of a database, unless it is already followed, or too many are.
    public void follow(String db) {
        if (!followed.containsKey(db) && followed.size() < MAX_DATABASES) {
            followed.computeIfAbsent(db, this::start);
        }
    }

    private Followed start(String db) {
        var one = new Followed(db);
        tasks.start(what + "-" + db, new ChangeFollower(tasks, client, one, one)::followForEver);
        return one;
    }

    private final class Followed implements ChangeSource, ChangeFollower.Receiver {
        private final String db;
        private volatile boolean isOpen;

        /// The tags as they were polled last.
        private List<BsonDocument> known = List.of();

        Followed(String db) {
            this.db = db;
        }

        @Override
        public String name() {
            return "the " + what + " of " + db;
        }

        @Override
        public List<BsonDocument> pipeline() {
            return List.of(BsonDocument.parse("{$project: {_id: 1}}"));
        }

        @Override
        public ChangeStreamIterable<RawBsonDocument> watch(List<BsonDocument> stages) {
            return client.getDatabase(db).getCollection(collection).watch(stages, RawBsonDocument.class);
        }

        @Override
        public void opened() {
            isOpen = true;
            changed.accept(db); // before it was open
        }

        @Override
        public void received(Change change) {
            changed.accept(db);
        }

        @Override
        public void interrupted() {
            isOpen = false;
        }

        /// Each write through a gateway gives a document another tag. Writes by other tools that do not are seen when
        /// what is cached expires.
        void poll() {
            if (isOpen) {
                return;
            }
            try {
                var tags = client.getDatabase(db)
                        .getCollection(collection, BsonDocument.class)
                        .find()
                        .projection(include("_etag"))
                        .into(new ArrayList<>());
                if (!tags.equals(known)) {
                    known = tags;
                    changed.accept(db);
                }
            } catch (MongoException e) {
                LOG.debug("The {} of {} cannot be polled", what, db, e);
            }
        }
    }
}
