package org.restheart.mongo.resultcache;

import java.time.Duration;
import org.restheart.http.MemoryBudget;

/// The `mongo.get-collection-cache-…` keys of the configuration.
///
/// @param enabled whether the `cache` parameter has an effect
/// @param size ranges of results at most
/// @param ttl of a range, from before it was read; use does not extend it
/// @param docs documents in a range at most
/// @param bytes of all ranges together
public record ResultCacheConfig(boolean enabled, int size, Duration ttl, int docs, long bytes) {
    private static final long LARGEST_RANGE = 8 << 20;

    public static final ResultCacheConfig DEFAULT =
            new ResultCacheConfig(true, 100, Duration.ofSeconds(10), 1_000, MemoryBudget.Part.RESULTS.bytes());

    public ResultCacheConfig {
        if (size < 1 || docs < 1 || bytes < 1 || ttl.isNegative()) {
            throw new IllegalArgumentException("mongo.get-collection-cache: all bounds must be at least 1");
        }
    }

    /// A larger range is truncated; a larger page is not cached.
    long bytesPerRange() {
        return Math.min(bytes / 8, LARGEST_RANGE);
    }
}
