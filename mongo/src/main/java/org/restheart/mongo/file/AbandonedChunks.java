package org.restheart.mongo.file;

import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.bson.BsonValue;
import org.restheart.http.ProblemException;
import org.restheart.mongo.background.BackgroundTasks;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Removes what uploads have left whose gateway was terminated. Each gateway searches a bucket at the first
/// upload to it, and then once a day, or an hour after a search that has failed, after an upload. Thread-safe.
final class AbandonedChunks {
    private static final long PERIOD_NANOS = Duration.ofDays(1).toNanos();

    /// After a search that has failed.
    private static final long RETRY_NANOS = Duration.ofHours(1).toNanos();

    /// Of the buckets beyond, all are forgotten, and searched again.
    private static final int MOST_BUCKETS = 10_000;

    private static final Logger LOG = LoggerFactory.getLogger(AbandonedChunks.class);

    private final BackgroundTasks tasks;
    private final LongSupplier nanoTime;
    private final Map<MongoNamespace, Long> searched = new ConcurrentHashMap<>();

    AbandonedChunks(BackgroundTasks tasks) {
        this(tasks, System::nanoTime);
    }

    /// @param nanoTime as [System#nanoTime]
    AbandonedChunks(BackgroundTasks tasks, LongSupplier nanoTime) {
        this.tasks = tasks;
        this.nanoTime = nanoTime;
    }

    /// Starts a search in the background, if it is time for one.
    void search(Chunks chunks) {
        var bucket = chunks.files().getNamespace();
        long now = nanoTime.getAsLong();
        if (searched.size() > MOST_BUCKETS) {
            searched.clear();
        }
        var last = searched.putIfAbsent(bucket, now);
        if (last == null || (now - last > PERIOD_NANOS && searched.replace(bucket, last, now))) {
            tasks.start("abandoned-chunks", () -> remove(chunks));
        }
    }

    private void remove(Chunks chunks) {
        var bucket = chunks.files().getNamespace();
        int removed = 0;
        try (var found = chunks.withoutFile().cursor()) {
            while (tasks.isRunning() && found.hasNext()) {
                if (remove(chunks, found.next())) {
                    removed++;
                }
            }
        } catch (MongoException e) {
            searched.put(bucket, nanoTime.getAsLong() - PERIOD_NANOS + RETRY_NANOS);
            if (tasks.isRunning()) {
                LOG.warn("The search for abandoned chunks in {} has failed", bucket, e);
            }
        }
        if (removed > 0) {
            LOG.info("Removed the chunks of {} uploads to {} that were never finished", removed, bucket);
        }
    }

    /// Removes the chunks of one upload, or moves them if they are those of a file already; false if none were removed.
    private static boolean remove(Chunks chunks, BsonValue upload) {
        try {
            return !new ContentMoves(chunks, Duration.ZERO).finishFrom(upload) && chunks.reclaim(upload);
        } catch (ProblemException e) {
            LOG.debug("another request moves the chunks", e);
            return false;
        }
    }
}
