package org.restheart.mongo.cursor;

import java.time.Duration;
import java.util.Optional;
import org.bson.RawBsonDocument;

/// Index keys at known positions of a query's result. Bounded in memory. Thread-safe.
abstract sealed class Bookmarks permits ApproximateBookmarks, ExactBookmarks {
    /// A key of the index and the number of the query's documents before it.
    ///
    /// @param position number of documents before the key
    /// @param key the page begins at it or, against the order of the index, below it
    /// @param index its index among the exact ones
    /// @param version the number of changes that had moved it at look-up
    record Bookmark(long position, RawBsonDocument key, int index, long version) {
        /// The memory of an entry without the bytes of its key: objects and the node of the map.
        private static final int OVERHEAD = 144;

        /// One that is not moved by changes.
        Bookmark(long position, RawBsonDocument key) {
            this(position, key, 0, 0);
        }

        /// In memory.
        long bytes() {
            return (long) key.getByteBuffer().remaining() + OVERHEAD;
        }
    }

    private final SortIndex index;
    private final long setAt;

    /// @param setAt in [System#nanoTime()]: the time of the oldest one
    Bookmarks(SortIndex index, long setAt) {
        this.index = index;
        this.setAt = setAt;
    }

    final SortIndex index() {
        return index;
    }

    final long setAt() {
        return setAt;
    }

    /// The last one at or before the position.
    abstract Optional<Bookmark> nearest(long position);

    /// Whether pages may still be read from them.
    abstract boolean isUsable(Duration maxAge);

    /// Whether no new ones need to be set yet.
    abstract boolean isFresh(Duration maxAge);

    abstract int size();

    /// In memory.
    abstract long bytes();
}
