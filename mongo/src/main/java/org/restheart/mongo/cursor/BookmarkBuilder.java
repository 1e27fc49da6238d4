package org.restheart.mongo.cursor;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.bson.RawBsonDocument;
import org.restheart.bson.RawDocuments;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.cursor.Bookmarks.Bookmark;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.find.FindQuery;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Sets bookmarks in the background, for a few queries at a time. Requests do not wait for it. Thread-safe.
final class BookmarkBuilder {
    private static final Logger LOG = LoggerFactory.getLogger(BookmarkBuilder.class);

    private final BackgroundTasks tasks;
    private final MongoClient client;
    private final IndexScan scan;
    private final ExactFollower follower;
    private final long maxBytes;
    private final Semaphore free;
    private final PagingMeters meters;

    BookmarkBuilder(BackgroundTasks tasks, MongoClient client, CursorPoolConfig config, PagingMeters meters) {
        this.tasks = tasks;
        this.client = client;
        this.scan = new IndexScan(tasks, client, config.sliceWidth());
        this.follower = new ExactFollower(tasks, client, meters);
        this.maxBytes = config.maxBytesPerQuery();
        this.free = new Semaphore(config.builds());
        this.meters = meters;
    }

    /// Starts a build if it is due and fewer than the bound are running. Returns at once. The bookmarks are then kept
    /// exact for as long as they are used.
    void startIfDue(QueryBookmarks target) {
        if (!target.startBuild()) {
            return;
        }
        if (!free.tryAcquire()) {
            target.postpone();
            return;
        }
        tasks.start("bookmarks", () -> {
            try {
                build(target.query()).ifPresentOrElse(snapshot -> follower.follow(target, snapshot), () -> {
                    meters.unfit.increment();
                    target.fail();
                });
            } catch (MongoException e) {
                target.fail();
                if (e.getCode() == MongoCodes.NOT_SUPPORTED_ON_VIEW) {
                    meters.unfit.increment();
                } else {
                    meters.buildFailed.increment();
                    LOG.warn(
                            "No bookmarks for deep pages of {}: {}",
                            target.query().namespace(),
                            e.getMessage());
                }
            } catch (IllegalStateException e) {
                target.fail();
                LOG.debug("The MongoDB client was closed while bookmarks were set or followed", e);
            }
        });
    }

    private Optional<Snapshot> build(FindQuery query) {
        try {
            return snapshot(query);
        } finally {
            free.release();
        }
    }

    /// Bookmarks of one moment.
    ///
    /// @param asOf the time of the snapshot
    /// @param until the bookmarks are not usable before all changes up to this time are applied
    record Snapshot(Bookmarks bookmarks, BsonTimestamp asOf, BsonTimestamp until) {}

    /// Empty if no index has the sort order, there are too few documents for a bookmark, or changes cannot be followed.
    private Optional<Snapshot> snapshot(FindQuery query) {
        if (!follower.canFollow(query.namespace())) {
            return Optional.empty();
        }
        long now = System.nanoTime();
        var options = ClientSessionOptions.builder().snapshot(true).build();
        try (var session = client.startSession(options)) {
            var index = SortIndex.find(client, query.namespace(), query.sort());
            if (index.isEmpty()) {
                return Optional.empty();
            }
            var scanned = new Scanned(maxBytes);
            scan.run(query, index.get(), scanned, session);
            var time = session.getSnapshotTimestamp();
            if (time == null || scanned.all().isEmpty()) {
                return Optional.empty();
            }
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - now) + 1;
            return Optional.of(new Snapshot(
                    new Bookmarks(index.get(), scanned.all(), query.sort(), now),
                    time,
                    new BsonTimestamp((int) (time.getTime() + seconds), 0)));
        }
    }

    /// The bookmarks of a scan. When there are too many, those that are closest together are removed, so that the
    /// others
    /// are spread over the whole result. Confined to one thread.
    static final class Scanned {
        private final long maxBytes;
        private final TreeMap<Long, Bookmark> byPosition = new TreeMap<>();
        private long bytes;

        /// The distance that is kept when there are too many.
        private long spacing = 1;

        /// @param maxBytes of all keys in memory
        Scanned(long maxBytes) {
            this.maxBytes = maxBytes;
        }

        /// @param position after that of the last one
        /// @param key copied
        void set(long position, BsonDocument key) {
            var bookmark = new Bookmark(position, RawDocuments.compact(RawDocuments.encode(key)));
            byPosition.put(position, bookmark);
            bytes += bookmark.bytes();
            while (bytes > maxBytes && byPosition.size() > 1) {
                spacing *= 2;
                long next = 0;
                for (var all = byPosition.values().iterator(); all.hasNext(); ) {
                    var each = all.next();
                    if (each.position() < next) {
                        bytes -= each.bytes();
                        all.remove();
                    } else {
                        next = each.position() + spacing;
                    }
                }
            }
        }

        List<Bookmark> all() {
            return List.copyOf(byPosition.values());
        }
    }

    /// Sets bookmarks from the first document of a query's result to the last: each step reads one key of the index and
    /// no document, unless the filter needs more than the index has. Waits for MongoDB. Thread-safe.
    ///
    /// @param width documents of a step
    private record IndexScan(BackgroundTasks tasks, MongoClient client, int width) {
        /// The time limit of one step.
        private static final Duration STEP_LIMIT = Duration.ofSeconds(10);

        /// When a step takes longer, the next ones are shorter, since a page may have to read as many documents.
        private static final Duration LONG_STEP = Duration.ofMillis(20);

        /// The longest pause between steps. The pause is as long as the step, so that at most half of the time is spent
        /// on them.
        private static final Duration MAX_PAUSE = Duration.ofMillis(5);

        /// The time limit of all steps: the bookmarks that are set by then are used.
        private static final Duration TOTAL_LIMIT = Duration.ofMinutes(2);

        /// So many consecutive long steps are not caused by a busy machine.
        private static final int IN_A_ROW = 4;

        /// The least length of a step as a fraction of the width, so that the end is reached.
        private static final int SHORTEST_PART = 8;

        private static final int LONGEST = 1 << 20;

        /// @param snapshot a snapshot session
        /// @throws com.mongodb.MongoException if MongoDB refuses or cannot be reached; the bookmarks so far are
        ///     kept
        void run(FindQuery query, SortIndex index, Scanned bookmarks, ClientSession snapshot) {
            var collection = query.settings()
                    .apply(client.getDatabase(query.namespace().getDatabaseName())
                            .getCollection(query.namespace().getCollectionName(), RawBsonDocument.class));
            var filter = query.filter().single();
            long start = System.nanoTime();
            long position = 0;
            int documents = width;
            int longSteps = 0;
            RawBsonDocument key = null;
            while (tasks.isRunning() && System.nanoTime() - start < TOTAL_LIMIT.toNanos()) {
                long before = System.nanoTime();
                var step = collection
                        .find(snapshot, filter)
                        .sort(query.sort())
                        .hint(index.pattern())
                        .returnKey(true)
                        .skip(index.reverse() ? documents - 1 : documents)
                        .limit(1)
                        .maxTime(STEP_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
                if (key != null) {
                    step = index.reverse() ? step.max(key) : step.min(key);
                }
                key = step.first();
                if (key == null) {
                    return;
                }
                position += documents;
                bookmarks.set(position, key);
                long took = System.nanoTime() - before;
                LockSupport.parkNanos(Math.min(took, MAX_PAUSE.toNanos()));
                longSteps = took > LONG_STEP.toNanos() ? longSteps + 1 : 0;
                if (longSteps == IN_A_ROW) {
                    longSteps = 0;
                    documents = Math.max(Math.ceilDiv(width, SHORTEST_PART), documents / 2);
                }
                documents = (int) Math.max(documents, Math.min(bookmarks.spacing, LONGEST));
            }
        }
    }
}
