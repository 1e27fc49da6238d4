package org.restheart.mongo.cursor;

import com.mongodb.client.MongoClient;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonTimestamp;
import org.restheart.mongo.background.BackgroundTasks;

/// Keeps bookmarks exact with a change stream that begins at their snapshot. Thread-safe.
final class ExactFollower {
    private static final List<BsonDocument> INSERTS_AND_DELETES = List.of(
            BsonDocument.parse("{$match: {operationType: {$nin: ['update', 'replace']}}}"),
            BsonDocument.parse("{$project: {fullDocument: 0}}"));
    private static final List<BsonDocument> ALL =
            List.of(BsonDocument.parse("{$project: {fullDocument: 0, updateDescription: 0}}"));

    private final BackgroundTasks tasks;
    private final MongoClient client;
    private final PagingMeters meters;

    ExactFollower(BackgroundTasks tasks, MongoClient client, PagingMeters meters) {
        this.tasks = tasks;
        this.client = client;
        this.meters = meters;
    }

    /// Publishes the bookmarks once the changes during their build are applied, and returns when they are no longer
    /// used or valid.
    ///
    /// @throws com.mongodb.MongoException if the change stream fails
    void follow(BookmarkedQuery key, QueryBookmarks<ExactBookmarks> query, BookmarkBuilder.Snapshot snapshot) {
        var bookmarks = snapshot.bookmarks();
        boolean used = false;
        try (var feed = feed(key, snapshot.asOf())) {
            while (tasks.isRunning() && (!used || query.needs(bookmarks))) {
                var change = feed.next(bookmarks.isAwaited());
                if (change.isPresent() && !count(key, bookmarks, change.get())) {
                    meters.undone();
                    if (!used) {
                        query.undone(bookmarks);
                    }
                    return;
                }
                feed.passed().ifPresent(bookmarks::know);
                if (!used && (change.isEmpty() || isPast(snapshot.until(), change.get()))) {
                    query.useAndRest(bookmarks);
                    meters.built();
                    used = true;
                }
            }
        } finally {
            query.drop(bookmarks);
            bookmarks.end();
        }
    }

    private static boolean isPast(BsonTimestamp time, ChangeStreamDocument<?> change) {
        var when = change.getClusterTime();
        return when != null && when.compareTo(time) > 0;
    }

    private ChangeFeed feed(BookmarkedQuery key, BsonTimestamp after) {
        var collection = client.getDatabase(key.namespace().getDatabaseName())
                .getCollection(key.namespace().getCollectionName());
        return new ChangeFeed(collection, canCount(key) ? INSERTS_AND_DELETES : ALL, after);
    }

    /// Whether the id of a document determines its position among the bookmarks.
    private static boolean canCount(BookmarkedQuery key) {
        return key.filter().isEmpty() && key.sort().size() == 1;
    }

    /// @return whether the bookmarks are still valid
    private static boolean count(BookmarkedQuery key, ExactBookmarks bookmarks, ChangeStreamDocument<?> change) {
        var document = change.getDocumentKey();
        var type = change.getOperationType();
        if (!canCount(key) || document == null || type == null) {
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
}
