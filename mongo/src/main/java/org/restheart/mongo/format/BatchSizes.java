package org.restheart.mongo.format;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoNamespace;
import java.time.Duration;
import java.util.function.IntConsumer;

/// How many documents of a collection are fetched at once: a batch is in memory until the client has taken it, and
/// MongoDB bounds it by 16 MiB only. Collections with large results are remembered. Thread-safe.
public final class BatchSizes {
    /// Bytes of a batch.
    private static final int WANTED = 4 << 20;

    private static final int MAX_COLLECTIONS = 10_000;
    private static final Duration REMEMBERED = Duration.ofHours(1);

    private final Cache<MongoNamespace, Integer> averages = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_COLLECTIONS)
            .expireAfterWrite(REMEMBERED)
            .build();

    /// @param most documents
    public int of(MongoNamespace collection, int most) {
        var average = averages.getIfPresent(collection);
        return average == null ? most : Math.clamp(WANTED / average, 1, most);
    }

    /// What [DocumentContent] is to tell the size of documents to.
    public IntConsumer observer(MongoNamespace collection) {
        return bytes -> averages.put(collection, Math.max(1, bytes));
    }
}
