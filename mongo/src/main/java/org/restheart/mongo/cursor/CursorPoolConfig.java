package org.restheart.mongo.cursor;

import java.time.Duration;
import org.restheart.mongo.find.Positioning;

/// The `mongo.cursor-pool` section of the configuration.
///
/// @param mode for requests that do not say
/// @param sliceWidth documents between two bookmarks that are set ahead of requests; pages before the first are left
///     to MongoDB
/// @param maxQueries queries with bookmarks at once; the least recently used are forgotten
/// @param maxExactQueries the same for exact ones, each of which has a change stream open
/// @param maxBytes of all bookmarks together; each query may use its share
/// @param maxAge no answer depends on a bookmark that was set longer ago
/// @param builds queries whose bookmarks are set at the same time; others wait for a later request
public record CursorPoolConfig(
        Positioning mode,
        int sliceWidth,
        int maxQueries,
        int maxExactQueries,
        long maxBytes,
        Duration maxAge,
        int builds) {
    public static final CursorPoolConfig DEFAULT =
            new CursorPoolConfig(Positioning.EXACT, 500, 64, 16, 128L << 20, Duration.ofMinutes(5), 2);

    public CursorPoolConfig {
        if (sliceWidth < 1
                || maxQueries < 1
                || maxExactQueries < 1
                || maxBytes < 1
                || builds < 1
                || !maxAge.isPositive()) {
            throw new IllegalArgumentException("mongo.cursor-pool: all bounds must be at least 1");
        }
    }

    long maxBytesPerQuery() {
        return maxBytes / ((long) maxQueries + maxExactQueries);
    }
}
