package org.restheart.mongo.cursor;

import java.util.ArrayList;
import java.util.List;
import org.restheart.mongo.find.Shortcuts.Ahead;

/// The positions at which cursors are needed for a query. Immutable.
record Slices(CursorPoolConfig.Allocation config) {
    /// @param position from 1
    /// @param span documents that a cursor there should be able to read, without those of the last page
    /// @param cursors that should be ready
    record Slot(long position, int span, int cursors) {}

    /// Pages before this position are skipped by MongoDB.
    int firstSkip(Ahead ahead) {
        return switch (ahead) {
            case NONE -> Integer.MAX_VALUE;
            case LINEAR -> config.linearSliceWidth();
            case RANDOM -> config.randomSliceMinWidth();
        };
    }

    /// For sequential paging in the slice of this position.
    List<Slot> linear(long skip) {
        long first = skip / config.linearSliceWidth();
        var slots = new ArrayList<Slot>();
        for (int i = 0; i < config.linearSliceHeights().size(); i++) {
            long position = (first + i) * config.linearSliceWidth() - config.linearSliceDelta();
            if (position > 0) {
                int span = config.linearSliceWidth() + config.linearSliceDelta();
                slots.add(new Slot(position, span, config.linearSliceHeights().get(i)));
            }
        }
        return slots;
    }

    /// For random access: the result in equal parts.
    ///
    /// @param size of the whole result
    List<Slot> random(long size) {
        long parts = Math.min(config.randomMaxCursors(), size / config.randomSliceMinWidth());
        var slots = new ArrayList<Slot>();
        if (parts > 1) {
            long width = Math.ceilDiv(size, parts);
            int span = (int) Math.min(width, ParkedCursors.LONGEST_WAY);
            for (long position = width; position < size; position += width) {
                slots.add(new Slot(position, span, 1));
            }
        }
        return slots;
    }
}
