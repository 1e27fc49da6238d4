package org.restheart.mongo.cursor;

import java.util.List;

/// The `eager-cursor-allocation-…` keys of the configuration, and `cursor-batch-size`.
///
/// @param poolSize open cursors of all queries at once; with 0 there are none
/// @param linearSliceWidth documents of a slice, for sequential paging; earlier pages are skipped by MongoDB
/// @param linearSliceDelta documents before its slice at which a cursor is positioned, less than a slice has
/// @param linearSliceHeights how many cursors are kept ready for the current slice, the next one and so on
/// @param randomMaxCursors cursors of one query at once, for random access
/// @param randomSliceMinWidth least documents of a slice, for random access; earlier pages are skipped by
///     MongoDB
/// @param batchSize documents fetched at once at most
public record AllocationConfig(
        int poolSize,
        int linearSliceWidth,
        int linearSliceDelta,
        List<Integer> linearSliceHeights,
        int randomMaxCursors,
        int randomSliceMinWidth,
        int batchSize) {
    public static final AllocationConfig DEFAULT =
            new AllocationConfig(100, 1_000, 100, List.of(4, 2, 1), 50, 1_000, 1_000);

    public AllocationConfig {
        linearSliceHeights = List.copyOf(linearSliceHeights);
        if (poolSize < 0
                || linearSliceWidth < 1
                || linearSliceDelta < 0
                || linearSliceDelta >= linearSliceWidth
                || linearSliceHeights.stream().anyMatch(height -> height < 0)
                || randomMaxCursors < 0
                || randomSliceMinWidth < 1
                || batchSize < 1) {
            throw new IllegalArgumentException("eager-cursor-allocation: a bound is out of bounds");
        }
    }
}
