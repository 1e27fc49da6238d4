package org.restheart.mongo.cursor;

import java.time.Duration;
import java.util.Optional;
import org.bson.RawBsonDocument;

/// Which index key stands at which position of a query's result. Bounded in memory. Thread-safe.
sealed interface Bookmarks permits ApproximateBookmarks, ExactBookmarks {
    /// A place in the index, and how many of the query's documents come before it.
    ///
    /// @param position documents before the place
    /// @param key begins at it or, against the order of the index, below it
    /// @param index which of the exact ones it is
    /// @param version how many changes had moved it when it was looked up
    record Bookmark(long position, RawBsonDocument key, int index, long version) {
        /// What an entry costs beside the bytes of its key: objects and the node of the map.
        private static final int OVERHEAD = 144;

        /// One that no change moves.
        Bookmark(long position, RawBsonDocument key) {
            this(position, key, 0, 0);
        }

        /// In memory.
        long bytes() {
            return (long) key.getByteBuffer().remaining() + OVERHEAD;
        }
    }

    SortIndex index();

    /// The time of the oldest one, in [System#nanoTime()].
    long setAt();

    /// The last one at or before the position.
    Optional<Bookmark> nearest(long position);

    /// Whether pages may still be read from them.
    boolean isUsable(Duration maxAge);

    /// Whether they are still so good that no new ones need to be set.
    boolean isFresh(Duration maxAge);

    int size();

    /// In memory.
    long bytes();
}
