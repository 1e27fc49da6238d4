package org.restheart.mongo.cursor;

import java.time.Duration;
import java.util.Optional;
import org.bson.RawBsonDocument;

/// Index keys at known positions of a query's result. Bounded in memory. Thread-safe.
sealed interface Bookmarks permits ApproximateBookmarks, ExactBookmarks {
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

    SortIndex index();

    /// The time of the oldest one, in [System#nanoTime()].
    long setAt();

    /// The last one at or before the position.
    Optional<Bookmark> nearest(long position);

    /// Whether pages may still be read from them.
    boolean isUsable(Duration maxAge);

    /// Whether no new ones need to be set yet.
    boolean isFresh(Duration maxAge);

    int size();

    /// In memory.
    long bytes();
}
