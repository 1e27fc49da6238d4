package org.restheart.mongo.format;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.function.IntConsumer;

/// Chooses how many documents of a collection are fetched in one batch. A batch is in memory until the client has
/// received it, so its size in bytes is bounded by the average size of earlier large results. Thread-safe.
public final class BatchSizes {
    /// The approximate size of a batch, in bytes. MongoDB's own bound is 16 MiB.
    private static final int TARGET_BYTES = 4 << 20;

    private static final int MAX_COLLECTIONS = 10_000;
    private static final Duration KEPT = Duration.ofHours(1);

    private final Cache<MongoNamespace, Integer> averages = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_COLLECTIONS)
            .expireAfterWrite(KEPT)
            .build();

    /// The number of documents per batch.
    ///
    /// @param most the largest number
    public int of(MongoNamespace collection, int most) {
        var average = averages.getIfPresent(collection);
        return average == null ? most : Math.clamp(TARGET_BYTES / average, 1, most);
    }

    /// Receives the average size of a large result's documents, in bytes, from [DocumentContent].
    public IntConsumer observer(MongoNamespace collection) {
        return bytes -> averages.put(collection, Math.max(1, bytes));
    }
}
