package org.restheart.mongo.cursor;

import com.mongodb.MongoNamespace;
import com.mongodb.ReadConcernLevel;
import com.mongodb.ReadPreference;
import com.mongodb.client.ChangeStreamIterable;
import com.mongodb.client.MongoChangeStreamCursor;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import com.mongodb.connection.ServerType;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.background.ChangeCursor.ResumeToken;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.metadata.StoredMetadata;

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

    /// Whether a change stream reports all changes of the collection, and replies have the time that a page is
    /// compared with. Blocks for MongoDB.
    boolean canFollow(MongoNamespace namespace) {
        return repliesHaveTimes() && !isCapped(namespace);
    }

    /// Whether replies contain the time of the last write, and changes can be followed: true for a replica set. A
    /// router reports only the times of the shards that it has queried.
    private boolean repliesHaveTimes() {
        var members = client.getClusterDescription().getServerDescriptions();
        var concern = client.getReadConcern().getLevel();
        return members.stream().anyMatch(member -> member.getType() == ServerType.REPLICA_SET_PRIMARY)
                && members.stream().allMatch(member -> MEMBERS.contains(member.getType()))
                && client.getReadPreference().equals(ReadPreference.primary())
                && (concern == null || concern == ReadConcernLevel.LOCAL);
    }

    /// Whether the collection is capped: change streams do not report the removal of its oldest documents. Blocks
    /// for MongoDB.
    private boolean isCapped(MongoNamespace namespace) {
        return StoredMetadata.info(client.getDatabase(namespace.getDatabaseName()), namespace.getCollectionName())
                .map(found -> found.getDocument("options", new BsonDocument())
                        .getBoolean("capped", BsonBoolean.FALSE)
                        .getValue())
                .orElse(false);
    }

    /// Publishes the bookmarks once the changes during their build are applied, and returns when they are no longer
    /// used or valid.
    void follow(QueryBookmarks target, BookmarkBuilder.Snapshot snapshot) {
        var query = target.query();
        var bookmarks = snapshot.bookmarks();
        boolean used = false;
        try (var feed = feed(query, snapshot.asOf())) {
            while (tasks.isRunning() && (!used || target.needs(bookmarks))) {
                var change = feed.next(bookmarks.isAwaited());
                if (change.isPresent() && !count(query, bookmarks, change.get())) {
                    meters.invalidated.increment();
                    if (!used) {
                        target.invalidated(bookmarks);
                    }
                    return;
                }
                feed.passed().ifPresent(bookmarks::advanceTo);
                if (!used && (change.isEmpty() || isPast(snapshot.until(), change.get()))) {
                    target.use(bookmarks);
                    meters.built.increment();
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

    /// The changes of one collection and the time up to which they are known. MongoDB replies when there is a change or
    /// the timeout ends, and reports its position only then: a short timeout reports it sooner, with more commands.
    /// Blocks for MongoDB. Confined to one thread.
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

        /// The time up to which all changes have been returned; empty if there may be more with the time of the last
        /// one.
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
