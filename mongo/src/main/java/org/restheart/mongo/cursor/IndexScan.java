package org.restheart.mongo.cursor;

import com.mongodb.client.ClientSession;
import com.mongodb.client.MongoClient;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.bson.RawBsonDocument;
import org.restheart.mongo.background.BackgroundTasks;
import org.restheart.mongo.find.FindQuery;

/// Sets bookmarks from the first document of a query's result to the last: each step reads one key of the index and no
/// document, unless the filter needs more than the index has. Waits for MongoDB. Thread-safe.
final class IndexScan {
    /// The time limit of one step.
    private static final Duration STEP_LIMIT = Duration.ofSeconds(10);

    /// When a step takes longer, the next ones are shorter, since a page may have to read as many documents.
    private static final Duration LONG_STEP = Duration.ofMillis(20);

    /// The longest pause between steps. The pause is as long as the step, so that at most half of the time is spent
    /// on them.
    private static final Duration LONGEST_REST = Duration.ofMillis(5);

    /// The time limit of all steps: the bookmarks that are set by then are used.
    private static final Duration TOTAL_LIMIT = Duration.ofMinutes(2);

    /// So many consecutive long steps are not caused by a busy machine.
    private static final int IN_A_ROW = 4;

    /// The least length of a step as a fraction of the width, so that the end is reached.
    private static final int SHORTEST_PART = 8;

    private static final int LONGEST = 1 << 20;

    private final BackgroundTasks tasks;
    private final MongoClient client;
    private final int width;

    /// @param width documents of a step
    IndexScan(BackgroundTasks tasks, MongoClient client, int width) {
        this.tasks = tasks;
        this.client = client;
        this.width = width;
    }

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
            LockSupport.parkNanos(Math.min(took, LONGEST_REST.toNanos()));
            longSteps = took > LONG_STEP.toNanos() ? longSteps + 1 : 0;
            if (longSteps == IN_A_ROW) {
                longSteps = 0;
                documents = Math.max(Math.ceilDiv(width, SHORTEST_PART), documents / 2);
            }
            documents = (int) Math.max(documents, Math.min(bookmarks.spacing(), LONGEST));
        }
    }
}
