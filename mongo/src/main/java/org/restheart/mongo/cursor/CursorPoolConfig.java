package org.restheart.mongo.cursor;

import java.time.Duration;
import org.restheart.mongo.find.Shortcuts.Positioning;

/// The `mongo.cursor-pool` section of the configuration, and the keys of the cursors that are positioned ahead.
///
/// @param mode the default mode
/// @param sliceWidth documents between two bookmarks that are set ahead of requests; pages before the first are
///     skipped by MongoDB
/// @param maxQueries queries with bookmarks at once; the least recently used are forgotten
/// @param maxExactQueries the same for exact ones, each of which has a change stream open
/// @param maxBytes of all bookmarks together; each query may use its share
/// @param maxAge the maximum age of bookmarks and cursors that are used
/// @param builds concurrent builds of bookmarks, and of cursors; further ones are started by a later request
/// @param allocation cursors positioned ahead, for queries that bookmarks cannot serve
public record CursorPoolConfig(
        Positioning mode,
        int sliceWidth,
        int maxQueries,
        int maxExactQueries,
        long maxBytes,
        Duration maxAge,
        int builds,
        AllocationConfig allocation) {
    public static final CursorPoolConfig DEFAULT =
            new CursorPoolConfig(Positioning.EXACT, 500, 64, 16, 128L << 20, Duration.ofMinutes(5), 2);

    /// With the default allocation of cursors.
    public CursorPoolConfig(
            Positioning mode,
            int sliceWidth,
            int maxQueries,
            int maxExactQueries,
            long maxBytes,
            Duration maxAge,
            int builds) {
        this(mode, sliceWidth, maxQueries, maxExactQueries, maxBytes, maxAge, builds, AllocationConfig.DEFAULT);
    }

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
