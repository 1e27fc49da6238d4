package org.restheart.mongo.cursor;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoException;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.bson.BsonTimestamp;
import org.bson.RawBsonDocument;
import org.restheart.mongo.background.BackgroundTasks;
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

    /// Starts a build if it is due and fewer than the bound are running. Returns at once.
    void startIfDue(QueryBookmarks<ApproximateBookmarks> target) {
        startIfDue(target, () -> approximate(target), complete -> {
            target.use(complete);
            meters.built.increment();
        });
    }

    /// As [#startIfDue]. The bookmarks are then kept exact for as long as they are used.
    void startExactIfDue(QueryBookmarks<ExactBookmarks> target) {
        startIfDue(target, () -> snapshot(target.query()), snapshot -> follower.follow(target, snapshot));
    }

    private <T> void startIfDue(QueryBookmarks<?> target, Supplier<Optional<T>> build, Consumer<T> use) {
        if (!target.startBuild()) {
            return;
        }
        if (!free.tryAcquire()) {
            target.postpone();
            return;
        }
        tasks.start("bookmarks", () -> {
            try {
                build(build).ifPresentOrElse(use, () -> {
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

    private <T> Optional<T> build(Supplier<Optional<T>> build) {
        try {
            return build.get();
        } finally {
            free.release();
        }
    }

    /// Empty if no index has the sort order.
    private Optional<ApproximateBookmarks> approximate(QueryBookmarks<ApproximateBookmarks> target) {
        var query = target.query();
        // Before the first read, so that no bookmark is older than its recorded time.
        long now = System.nanoTime();
        return SortIndex.find(client, query.namespace(), query.sort()).map(index -> {
            var fresh = new ApproximateBookmarks(index, now, maxBytes);
            target.useIncomplete(fresh);
            scan.run(query, fresh, Optional.empty());
            return fresh;
        });
    }

    /// Bookmarks of one moment.
    ///
    /// @param asOf the time of the snapshot
    /// @param until the bookmarks are not usable before all changes up to this time are applied
    record Snapshot(ExactBookmarks bookmarks, BsonTimestamp asOf, BsonTimestamp until) {}

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
            var bookmarks = new ApproximateBookmarks(index.get(), now, maxBytes);
            scan.run(query, bookmarks, Optional.of(session));
            var time = session.getSnapshotTimestamp();
            if (time == null || bookmarks.size() == 0) {
                return Optional.empty();
            }
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - now) + 1;
            return Optional.of(new Snapshot(
                    new ExactBookmarks(index.get(), bookmarks.all(), query.sort(), now),
                    time,
                    new BsonTimestamp((int) (time.getTime() + seconds), 0)));
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

        /// @param snapshot a snapshot session; absent to read the current state
        /// @throws com.mongodb.MongoException if MongoDB refuses or cannot be reached; the bookmarks so far are
        ///     kept
        void run(FindQuery query, ApproximateBookmarks bookmarks, Optional<ClientSession> snapshot) {
            var collection = query.settings()
                    .apply(client.getDatabase(query.namespace().getDatabaseName())
                            .getCollection(query.namespace().getCollectionName(), RawBsonDocument.class));
            var filter = query.filter().single();
            var index = bookmarks.index();
            long start = System.nanoTime();
            long position = 0;
            int documents = width;
            int longSteps = 0;
            RawBsonDocument key = null;
            while (tasks.isRunning() && System.nanoTime() - start < TOTAL_LIMIT.toNanos()) {
                long before = System.nanoTime();
                var step = snapshot.map(session -> collection.find(session, filter))
                        .orElseGet(() -> collection.find(filter))
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
                documents = (int) Math.max(documents, Math.min(bookmarks.spacing(), LONGEST));
            }
        }
    }
}
