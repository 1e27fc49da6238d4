package org.restheart.mongo.cursor;

import java.util.List;
import java.util.Optional;
import org.bson.BsonDocument;
import org.bson.BsonNull;
import org.bson.BsonValue;

/// Bookmarks by `_id` that move as documents are inserted and deleted. Thread-safe.
final class LiveBookmarks {
    private final SortIndex index;
    private final List<Bookmark> bookmarks;
    private final List<BsonValue> ids;
    private final long setAt;
    private final int direction;
    private final Sums positions; // guarded by this
    private Optional<BsonValue> lastCounted = Optional.empty(); // guarded by this

    /// @param bookmarks by position
    /// @param setAt in [System#nanoTime()]
    LiveBookmarks(SortIndex index, List<Bookmark> bookmarks, BsonDocument sort, long setAt) {
        this.index = index;
        this.bookmarks = List.copyOf(bookmarks);
        this.ids = bookmarks.stream()
                .map(bookmark -> bookmark.key().get("_id", BsonNull.VALUE))
                .toList();
        this.positions = new Sums(bookmarks.stream().map(Bookmark::position).toList());
        this.setAt = setAt;
        this.direction = SortIndex.direction(sort.get("_id", BsonNull.VALUE));
    }

    SortIndex index() {
        return index;
    }

    long setAt() {
        return setAt;
    }

    /// The last one at or before the position, as things are now.
    synchronized Optional<Bookmark> nearest(long position) {
        int found = positions.last(position);
        return found < 0
                ? Optional.empty()
                : Optional.of(new Bookmark(
                        positions.position(found), bookmarks.get(found).key()));
    }

    /// @param by 1 for a document that is new, -1 for one that is gone
    /// @return whether it is known where the id belongs; if not, the positions do not hold any more
    synchronized boolean count(BsonValue id, int by) {
        if (!BsonOrder.knows(id)) {
            return false;
        }
        int from = 0;
        int to = bookmarks.size();
        while (from < to) {
            int middle = (from + to) >>> 1;
            var boundary = ids.get(middle);
            if (!BsonOrder.knows(boundary)) {
                return false;
            }
            if (isBefore(id, boundary)) {
                to = middle;
            } else {
                from = middle + 1;
            }
        }
        if (from < bookmarks.size()) {
            positions.shift(from, by);
        }
        lastCounted = Optional.of(id);
        return true;
    }

    /// The document whose insertion or deletion was counted last: everything before it has been, too.
    synchronized Optional<BsonValue> lastCounted() {
        return lastCounted;
    }

    /// Against the index, a range begins below the key: the document with the key comes before it.
    private boolean isBefore(BsonValue id, BsonValue boundary) {
        int order = direction * BsonOrder.compare(id, boundary);
        return order < 0 || (order == 0 && index.reverse());
    }
}
