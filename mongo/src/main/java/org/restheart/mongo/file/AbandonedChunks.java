package org.restheart.mongo.file;

import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.restheart.http.ProblemException;
import org.restheart.mongo.background.BackgroundTasks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Removes what uploads have left whose gateway was terminated. Each gateway searches a bucket at the first
/// upload to it, and then once a day, after an upload. Thread-safe.
final class AbandonedChunks {
    private static final long PERIOD_NANOS = Duration.ofDays(1).toNanos();

    /// Of the buckets beyond, all are forgotten, and searched again.
    private static final int MOST_BUCKETS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(AbandonedChunks.class);

    private final BackgroundTasks tasks;
    private final Map<MongoNamespace, Long> searched = new ConcurrentHashMap<>();

    AbandonedChunks(BackgroundTasks tasks) {
        this.tasks = tasks;
    }

    /// Starts a search in the background, if it is time for one.
    void search(Chunks chunks) {
        var bucket = chunks.files().getNamespace();
        long now = System.nanoTime();
        if (searched.size() > MOST_BUCKETS) {
            searched.clear();
        }
        var last = searched.putIfAbsent(bucket, now);
        if (last == null || (now - last > PERIOD_NANOS && searched.replace(bucket, last, now))) {
            tasks.start("abandoned-chunks", () -> remove(chunks));
        }
    }

    private void remove(Chunks chunks) {
        var moves = new ContentMoves(chunks);
        int removed = 0;
        try {
            for (var id : chunks.withoutFile()) {
                if (tasks.isRunning() && !moves.finishFrom(id) && chunks.reclaim(id)) {
                    removed++;
                }
            }
        } catch (MongoException | ProblemException e) {
            if (tasks.isRunning()) {
                LOG.warn(
                        "The search for abandoned chunks in {} has failed",
                        chunks.files().getNamespace(),
                        e);
            }
        }
        if (removed > 0) {
            LOG.info(
                    "Removed the chunks of {} uploads to {} that were never finished",
                    removed,
                    chunks.files().getNamespace());
        }
    }
}
