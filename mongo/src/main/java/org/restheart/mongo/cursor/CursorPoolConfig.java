package org.restheart.mongo.cursor;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.restheart.mongo.find.Shortcuts;
import org.restheart.mongo.find.Shortcuts.CursorsAhead;

/// The `mongo.cursor-pool` section of the configuration, and the keys of the cursors that are positioned ahead.
///
/// @param mode how pages are found if a request does not say it
/// @param sliceWidth documents between two bookmarks that are set ahead of requests; pages before the first are
///     skipped by MongoDB
/// @param maxQueries queries with bookmarks at once, each of which has a change stream open; those that have not been
///     used for longest are forgotten
/// @param maxBytes of all bookmarks together; each query may use its share
/// @param maxAge the maximum age of bookmarks and cursors that are used
/// @param allocation cursors positioned ahead, for queries that bookmarks cannot serve
public record CursorPoolConfig(
        Mode mode, int sliceWidth, int maxQueries, long maxBytes, Duration maxAge, Allocation allocation) {
    /// Builds of bookmarks at once, and of cursors; further ones are started by a later request.
    static final int BUILDS = 2;

    /// MongoDB closes cursors that are idle for ten minutes.
    private static final Duration MAX_CURSOR_AGE = Duration.ofMinutes(8);

    /// How pages are found.
    public enum Mode {
        /// MongoDB skips the documents before the page.
        NONE,

        /// By bookmarks.
        EXACT,

        /// By bookmarks, or cursors that are positioned ahead.
        EAGER,

        /// As [#EXACT], for configurations of former releases.
        BOOKMARKS
    }

    /// For requests that do not say it.
    public Shortcuts shortcuts() {
        return switch (mode) {
            case NONE -> Shortcuts.NONE;
            case EXACT, BOOKMARKS -> new Shortcuts(true, CursorsAhead.NONE);
            case EAGER -> new Shortcuts(true, CursorsAhead.LINEAR);
        };
    }

    long maxBytesPerQuery() {
        return maxBytes / maxQueries;
    }

    /// No page is read from a cursor that was opened longer ago: at most eight minutes, so that MongoDB has not
    /// closed it.
    Duration maxCursorAge() {
        return maxAge.compareTo(MAX_CURSOR_AGE) > 0 ? MAX_CURSOR_AGE : maxAge;
    }

    /// The `eager-cursor-allocation-…` keys of the configuration, and `cursor-batch-size`.
    ///
    /// @param poolSize open cursors of all queries at once; with 0 there are none
    /// @param linearSliceWidth documents of a slice, for sequential paging; earlier pages are skipped by
    ///     MongoDB
    /// @param linearSliceDelta documents before its slice at which a cursor is positioned, less than a slice
    ///     has
    /// @param linearSliceHeights how many cursors are kept ready for the current slice, the next one and so on
    /// @param randomMaxCursors cursors of one query at once, for random access
    /// @param randomSliceMinWidth least documents of a slice, for random access; earlier pages are skipped by
    ///     MongoDB
    /// @param batchSize documents fetched at once at most
    public record Allocation(
            int poolSize,
            int linearSliceWidth,
            int linearSliceDelta,
            List<Integer> linearSliceHeights,
            int randomMaxCursors,
            int randomSliceMinWidth,
            int batchSize) {
        public Allocation {
            linearSliceHeights = List.copyOf(linearSliceHeights);
        }

        /// Pages before this position are skipped by MongoDB.
        int firstSkip(CursorsAhead ahead) {
            return switch (ahead) {
                case NONE -> Integer.MAX_VALUE;
                case LINEAR -> linearSliceWidth();
                case RANDOM -> randomSliceMinWidth();
            };
        }

        /// For sequential paging in the slice of this position.
        List<Slot> linear(long skip) {
            long first = skip / linearSliceWidth();
            var slots = new ArrayList<Slot>();
            for (int i = 0; i < linearSliceHeights().size(); i++) {
                long position = (first + i) * linearSliceWidth() - linearSliceDelta();
                if (position > 0) {
                    int span = linearSliceWidth() + linearSliceDelta();
                    slots.add(new Slot(position, span, linearSliceHeights().get(i)));
                }
            }
            return slots;
        }

        /// For random access: the result in equal parts.
        ///
        /// @param size of the whole result
        List<Slot> random(long size) {
            long parts = Math.min(randomMaxCursors(), size / randomSliceMinWidth());
            var slots = new ArrayList<Slot>();
            if (parts > 1) {
                long width = Math.ceilDiv(size, parts);
                int span = (int) Math.min(width, ParkedCursors.MAX_DISTANCE);
                for (long position = width; position < size; position += width) {
                    slots.add(new Slot(position, span, 1));
                }
            }
            return slots;
        }
    }

    /// A place at which cursors are positioned ahead.
    ///
    /// @param position from 1
    /// @param span documents that a cursor there should be able to read, without those of the last page
    /// @param cursors that should be ready
    record Slot(long position, int span, int cursors) {}
}
