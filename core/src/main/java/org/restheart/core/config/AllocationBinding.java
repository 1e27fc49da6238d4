package org.restheart.core.config;

import java.util.List;
import org.restheart.mongo.cursor.CursorPoolConfig;

/// `eager-cursor-allocation-…` and `cursor-batch-size`, which are top-level keys.
final class AllocationBinding {
    private AllocationBinding() {}

    static CursorPoolConfig.Allocation read(Block root) {
        var otherwise = CursorPoolConfig.Allocation.DEFAULT;
        int width =
                root.integer("eager-cursor-allocation-linear-slice-width", otherwise.linearSliceWidth(), 10, 1_000_000);
        var deltaKey = "eager-cursor-allocation-linear-slice-delta";
        int delta = root.integer(deltaKey, Math.min(otherwise.linearSliceDelta(), width - 1), 0, 1_000_000);
        if (delta >= width) {
            root.refuse(deltaKey, "must be less than linear-slice-width, which is " + width + ", but was " + delta);
        }
        return new CursorPoolConfig.Allocation(
                root.integer("eager-cursor-allocation-pool-size", otherwise.poolSize(), 0, 10_000),
                width,
                Math.min(delta, width - 1),
                heights(root, otherwise.linearSliceHeights()),
                root.integer("eager-cursor-allocation-random-max-cursors", otherwise.randomMaxCursors(), 0, 10_000),
                root.integer(
                        "eager-cursor-allocation-random-slice-min-width",
                        otherwise.randomSliceMinWidth(),
                        10,
                        1_000_000),
                root.integer("cursor-batch-size", otherwise.batchSize(), 1, 100_000));
    }

    private static List<Integer> heights(Block root, List<Integer> otherwise) {
        var key = "eager-cursor-allocation-linear-slice-heights";
        var heights = root.integers(key, otherwise, 0, 1_000);
        if (heights.size() > 100) {
            root.refuse(key, "must have at most 100 numbers but had " + heights.size());
            return otherwise;
        }
        return heights;
    }
}
