package org.restheart.mongo.cursor;

import org.bson.RawBsonDocument;

/// A place in an index, and how many of a query's documents come before it.
///
/// @param position documents before the place
/// @param key begins at it or, against the order of the index, below it
record Bookmark(long position, RawBsonDocument key) {
    /// What an entry costs beside the bytes of its key: objects and the node of the map.
    private static final int OVERHEAD = 144;

    /// In memory.
    long bytes() {
        return (long) key.getByteBuffer().remaining() + OVERHEAD;
    }
}
