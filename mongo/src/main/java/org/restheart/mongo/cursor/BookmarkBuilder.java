package org.restheart.mongo.cursor;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoException;
import com.mongodb.client.MongoClient;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.bson.BsonTimestamp;
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
}
