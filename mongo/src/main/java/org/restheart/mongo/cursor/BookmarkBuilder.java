package org.restheart.mongo.cursor;

import com.mongodb.ClientSessionOptions;
import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.ReadConcernLevel;
import com.mongodb.ReadPreference;
import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.connection.ServerType;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.RawDocuments;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.background.ChangeCursor.ResumeToken;
import org.restheart.mongo.cursor.Bookmarks.Bookmark;
import org.restheart.mongo.cursor.PagingMeters.Event;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.metadata.StoredMetadata;
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
        this.free = new Semaphore(CursorPoolConfig.BUILDS);
        this.meters = meters;
    }

    /// Starts a build if it is due and fewer than the bound are running. Returns at once. The bookmarks are
    /// then kept exact for as long as they are used.
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
                    meters.count(Event.UNFIT);
                    target.fail();
                });
            } catch (MongoException e) {
                target.fail();
                if (e.getCode() == MongoCodes.NOT_SUPPORTED_ON_VIEW) {
                    meters.count(Event.UNFIT);
                } else {
                    meters.count(Event.BUILD_FAILED);
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

    /// Empty if no index has the sort order, there are too few documents for a bookmark, or changes cannot
    /// be followed.
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

    /// The bookmarks of a scan. When there are too many, those that are closest together are removed, so that
    /// the others are spread over the whole result. Confined to one thread.
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

    /// Sets bookmarks from the first document of a query's result to the last: each step reads one key of
    /// the index and no document, unless the filter needs more than the index has. Waits for MongoDB.
    /// Thread-safe.
    ///
    /// @param width documents of a step
    private record IndexScan(BackgroundTasks tasks, MongoClient client, int width) {
        /// The time limit of one step.
        private static final Duration STEP_LIMIT = Duration.ofSeconds(10);

        /// When a step takes longer, the next ones are shorter, since a page may have to read as many
        /// documents.
        private static final Duration LONG_STEP = Duration.ofMillis(20);

        /// The longest pause between steps. The pause is as long as the step, so that at most half of the
        /// time is spent on them.
        private static final Duration MAX_PAUSE = Duration.ofMillis(5);

        /// The time limit of all steps: the bookmarks that are set by then are used.
        private static final Duration TOTAL_LIMIT = Duration.ofMinutes(2);

        /// So many consecutive long steps are not caused by a busy machine.
        private static final int IN_A_ROW = 4;

        /// The least length of a step as a fraction of the width, so that the end is reached.
        private static final int SHORTEST_PART = 8;

        private static final int LONGEST = 1 << 20;

        /// @throws com.mongodb.MongoException if MongoDB refuses or cannot be reached; the bookmarks so far
        ///     are kept
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

    /// Keeps bookmarks exact with a change stream that begins at their snapshot. Thread-safe.
    record ExactFollower(BackgroundTasks tasks, MongoClient client, PagingMeters meters) {
        private static final List<BsonDocument> INSERTS_AND_DELETES = List.of(
                BsonDocument.parse("{$match: {operationType: {$nin: ['update', 'replace']}}}"),
                BsonDocument.parse("{$project: {fullDocument: 0}}"));
        private static final List<BsonDocument> ALL =
                List.of(BsonDocument.parse("{$project: {fullDocument: 0, updateDescription: 0}}"));

        private static final Set<ServerType> MEMBERS = EnumSet.of(
                ServerType.REPLICA_SET_PRIMARY,
                ServerType.REPLICA_SET_SECONDARY,
                ServerType.REPLICA_SET_ARBITER,
                ServerType.REPLICA_SET_OTHER,
                ServerType.REPLICA_SET_GHOST,
                ServerType.UNKNOWN);

        /// Whether a change stream reports all changes of the collection, and replies have the time that a
        /// page is compared with. Blocks for MongoDB.
        boolean canFollow(MongoNamespace namespace) {
            return repliesHaveTimes() && !isCapped(namespace);
        }

        /// Whether replies contain the time of the last write, and changes can be followed: true for a
        /// replica set. A router reports only the times of the shards that it has queried.
        private boolean repliesHaveTimes() {
            var members = client.getClusterDescription().getServerDescriptions();
            var concern = client.getReadConcern().getLevel();
            return members.stream().anyMatch(member -> member.getType() == ServerType.REPLICA_SET_PRIMARY)
                    && members.stream().allMatch(member -> MEMBERS.contains(member.getType()))
                    && client.getReadPreference().equals(ReadPreference.primary())
                    && (concern == null || concern == ReadConcernLevel.LOCAL);
        }

        /// Whether the collection is capped: change streams do not report the removal of its oldest
        /// documents. Blocks for MongoDB.
        private boolean isCapped(MongoNamespace namespace) {
            return StoredMetadata.info(client.getDatabase(namespace.getDatabaseName()), namespace.getCollectionName())
                    .map(found -> found.getDocument("options", new BsonDocument())
                            .getBoolean("capped", BsonBoolean.FALSE)
                            .getValue())
                    .orElse(false);
        }

        /// Publishes the bookmarks once the changes during their build are applied, and returns when they
        /// are no longer used or valid.
        void follow(QueryBookmarks target, BookmarkBuilder.Snapshot snapshot) {
            var query = target.query();
            var bookmarks = snapshot.bookmarks();
            boolean used = false;
            try (var feed = feed(query, snapshot.asOf())) {
                while (tasks.isRunning() && (!used || target.needs(bookmarks))) {
                    var change = feed.next(bookmarks.isAwaited());
                    if (change.isPresent() && !count(query, bookmarks, change.get())) {
                        meters.count(Event.INVALIDATED);
                        if (!used) {
                            target.invalidated(bookmarks);
                        }
                        return;
                    }
                    feed.passed().ifPresent(bookmarks::advanceTo);
                    if (!used && (change.isEmpty() || isPast(snapshot.until(), change.get()))) {
                        target.use(bookmarks);
                        meters.count(Event.BUILT);
                        used = true;
                    }
                }
            } finally {
                target.drop(bookmarks);
                bookmarks.end();
            }
        }

        private static boolean isPast(BsonTimestamp time, ChangeStreamDocument<?> change) {
            var when = change.getClusterTime();
            return when != null && when.compareTo(time) > 0;
        }

        private ChangeFeed feed(FindQuery query, BsonTimestamp after) {
            var collection = client.getDatabase(query.namespace().getDatabaseName())
                    .getCollection(query.namespace().getCollectionName());
            return new ChangeFeed(collection, canCount(query) ? INSERTS_AND_DELETES : ALL, after);
        }

        /// Whether the id of a document determines its position among the bookmarks.
        private static boolean canCount(FindQuery query) {
            return query.filter().isEmpty() && query.sort().size() == 1;
        }

        /// @return whether the bookmarks are still valid
        private static boolean count(FindQuery query, Bookmarks bookmarks, ChangeStreamDocument<?> change) {
            var document = change.getDocumentKey();
            var type = change.getOperationType();
            if (!canCount(query) || document == null || type == null) {
                return false;
            }
            var id = document.get("_id");
            return id != null
                    && switch (type) {
                        case INSERT -> bookmarks.count(id, 1);
                        case DELETE -> bookmarks.count(id, -1);
                        default -> false; // the collection is dropped or renamed, or the type is unknown
                    };
        }

        /// The changes of one collection and the time up to which they are known. MongoDB replies when there
        /// is a change or the timeout ends, and reports its position only then: a short timeout reports it
        /// sooner, with more commands. Blocks for MongoDB. Confined to one thread.
        private static final class ChangeFeed implements AutoCloseable {
            /// Milliseconds, while no request waits.
            private static final long IDLE_TIMEOUT = 100;

            /// Milliseconds, while a request waits for the position.
            private static final long SHORT_TIMEOUT = 4;

            /// Several changes may have the same time, as those of a transaction. The least batch size.
            private static final int AT_ONE_TIME = 1_000;

            private final MongoCollection<?> collection;
            private final List<BsonDocument> pipeline;
            private final BsonTimestamp after;

            private boolean urgent;
            private MongoChangeStreamCursor<ChangeStreamDocument<RawBsonDocument>> changes;
            private @Nullable ChangeStreamDocument<RawBsonDocument> last;
            private int atOneTime;

            /// @param after a time up to which all changes are known. The stream begins at it, not one later: MongoDB
            ///     reports at once that it has passed its start, even if that is in the future
            ChangeFeed(MongoCollection<?> collection, List<BsonDocument> pipeline, BsonTimestamp after) {
                this.collection = collection;
                this.pipeline = pipeline;
                this.after = after;
                this.changes = open(null);
            }

            private MongoChangeStreamCursor<ChangeStreamDocument<RawBsonDocument>> open(@Nullable BsonDocument seen) {
                ChangeStreamIterable<RawBsonDocument> stream = collection
                        .watch(pipeline, RawBsonDocument.class)
                        .maxAwaitTime(urgent ? SHORT_TIMEOUT : IDLE_TIMEOUT, TimeUnit.MILLISECONDS);
                return (seen == null ? stream.startAtOperationTime(after) : stream.resumeAfter(seen)).cursor();
            }

            /// The next change; empty after a timeout.
            ///
            /// @param isAwaited whether a request waits for the position
            Optional<ChangeStreamDocument<RawBsonDocument>> next(boolean isAwaited) {
                if (isAwaited != urgent && changes.available() == 0) {
                    urgent = isAwaited;
                    var seen = changes.getResumeToken();
                    changes.close();
                    changes = open(seen);
                }
                var before = last;
                do {
                    last = changes.tryNext();
                } while (last != null && isKnown(last));
                if (last != null) {
                    boolean same = before != null
                            && before.getClusterTime() != null
                            && before.getClusterTime().equals(last.getClusterTime());
                    atOneTime = same ? atOneTime + 1 : 1;
                }
                return Optional.ofNullable(last);
            }

            private boolean isKnown(ChangeStreamDocument<?> change) {
                var when = change.getClusterTime();
                return when != null && when.compareTo(after) <= 0;
            }

            /// The time up to which all changes have been returned; empty if there may be more with the time
            /// of the last one.
            Optional<BsonTimestamp> passed() {
                boolean sure = last == null || (changes.available() == 0 && atOneTime < AT_ONE_TIME);
                return sure ? ResumeToken.time(changes.getResumeToken()) : Optional.empty();
            }

            @Override
            public void close() {
                changes.close();
            }
        }
    }
}
