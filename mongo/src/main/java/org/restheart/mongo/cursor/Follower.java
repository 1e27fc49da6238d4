package org.restheart.mongo.cursor;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sets bookmarks as of one point in time of the deployment, and keeps them true by the change stream from there on.
/// All in the background: no request waits for it. Thread-safe.
final class Follower {
    private static final Logger LOG = LoggerFactory.getLogger(Follower.class);

    /// A view has neither indexes nor changes.
    private static final int NO_VIEWS = 166;

    private static final List<BsonDocument> COUNTED = List.of(
            BsonDocument.parse("{$match: {operationType: {$nin: ['update', 'replace']}}}"),
            BsonDocument.parse("{$project: {fullDocument: 0}}"));
    private static final List<BsonDocument> ALL =
            List.of(BsonDocument.parse("{$project: {fullDocument: 0, updateDescription: 0}}"));

    private final MongoClient client;
    private final SortIndexes indexes;
    private final Hops hops;
    private final long maxBytes;
    private final Semaphore free;
    private final PoolMeters meters;

    /// @param asOf the last moment that the bookmarks know of
    /// @param until the bookmarks are not of use before what happened up to here is counted
    private record Start(LiveBookmarks bookmarks, BsonTimestamp asOf, BsonTimestamp until) {}

    Follower(MongoClient client, CursorPoolConfig config, PoolMeters meters) {
        this.client = client;
        this.indexes = new SortIndexes(client);
        this.hops = new Hops(client, config.sliceWidth());
        this.maxBytes = config.maxBytesPerQuery();
        this.free = new Semaphore(config.builds());
        this.meters = meters;
    }

    /// Starts if it is time to and fewer than the bound are under way. Returns at once.
    void startIfDue(Shape shape, ExactTraversal traversal) {
        if (!traversal.startBuild()) {
            return;
        }
        if (!free.tryAcquire()) {
            traversal.notNow();
            return;
        }
        Thread.ofVirtual().name("exact-bookmarks").start(() -> run(shape, traversal));
    }

    private void run(Shape shape, ExactTraversal traversal) {
        try {
            var start = start(shape);
            if (start.isPresent()) {
                follow(shape, traversal, start.get());
            } else {
                meters.unfit();
                traversal.failed();
            }
        } catch (MongoException e) {
            traversal.failed();
            if (e.getCode() == NO_VIEWS) {
                meters.unfit();
                return;
            }
            meters.failed();
            LOG.warn("No exact bookmarks for deep pages of {}: {}", shape.namespace(), e.getMessage());
        } catch (IllegalStateException e) {
            traversal.failed();
            LOG.debug("The MongoDB client was closed while bookmarks were kept", e);
        }
    }

    /// Empty if no index has the order, or there are too few documents to set a bookmark.
    private Optional<Start> start(Shape shape) {
        if (!Deployment.tellsTheTime(client) || Deployment.isCapped(client, shape.namespace())) {
            free.release();
            return Optional.empty();
        }
        long now = System.nanoTime();
        var snapshot = ClientSessionOptions.builder().snapshot(true).build();
        try (var session = client.startSession(snapshot)) {
            var index = indexes.find(shape.namespace(), shape.sort());
            if (index.isEmpty()) {
                return Optional.empty();
            }
            var bookmarks = new Bookmarks(index.get(), now, maxBytes);
            hops.go(shape, bookmarks, Optional.of(session));
            var time = session.getSnapshotTimestamp();
            if (time == null || bookmarks.size() == 0) {
                return Optional.empty();
            }
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - now) + 1;
            return Optional.of(new Start(
                    new LiveBookmarks(index.get(), bookmarks.all(), shape.sort(), now),
                    time,
                    new BsonTimestamp((int) (time.getTime() + seconds), 0)));
        } finally {
            free.release();
        }
    }

    private void follow(Shape shape, ExactTraversal traversal, Start start) {
        var live = start.bookmarks();
        boolean used = false;
        try (var feed = feed(shape, start.asOf())) {
            while (!used || traversal.needs(live)) {
                var change = feed.next(live.isAwaited());
                if (change.isPresent() && !count(shape, live, change.get())) {
                    meters.undone();
                    if (!used) {
                        traversal.undone(live);
                    }
                    return;
                }
                feed.passed().ifPresent(live::know);
                if (!used && (change.isEmpty() || isPast(start.until(), change.get()))) {
                    traversal.use(live);
                    meters.built();
                    used = true;
                }
            }
        } finally {
            traversal.drop(live);
            live.end();
        }
    }

    private static boolean isPast(BsonTimestamp time, ChangeStreamDocument<?> change) {
        var when = change.getClusterTime();
        return when != null && when.compareTo(time) > 0;
    }

    private Feed feed(Shape shape, BsonTimestamp after) {
        var collection = client.getDatabase(shape.namespace().getDatabaseName())
                .getCollection(shape.namespace().getCollectionName());
        return new Feed(collection, canCount(shape) ? COUNTED : ALL, after);
    }

    /// Whether the id of a document alone says before which bookmarks it counts.
    private static boolean canCount(Shape shape) {
        return shape.filter().isEmpty() && shape.sort().size() == 1;
    }

    /// @return whether the bookmarks are still true
    private static boolean count(Shape shape, LiveBookmarks live, ChangeStreamDocument<?> change) {
        var key = change.getDocumentKey();
        var type = change.getOperationType();
        if (!canCount(shape) || key == null || type == null) {
            return false;
        }
        var id = key.get("_id");
        return id != null
                && switch (type) {
                    case INSERT -> live.count(id, 1);
                    case DELETE -> live.count(id, -1);
                    default -> false; // the collection is dropped or renamed, or nobody knows
                };
    }
}
