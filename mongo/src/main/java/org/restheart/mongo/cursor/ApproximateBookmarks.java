package org.restheart.mongo.cursor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.RawDocuments;

/// Bookmarks that do not move, until they expire. When there are too many, those that are closest together are
/// removed, so that the others are spread over the whole result. Thread-safe.
final class ApproximateBookmarks extends Bookmarks {

    private final long maxBytes;

    @GuardedBy("this")
    private final TreeMap<Long, Bookmark> byPosition = new TreeMap<>();

    @GuardedBy("this")
    private long bytes;

    @GuardedBy("this")
    private long spacing = 1;

    /// @param setAt in [System#nanoTime()]: the time of the oldest one
    /// @param maxBytes of all keys in memory
    ApproximateBookmarks(SortIndex index, long setAt, long maxBytes) {
        super(index, setAt);
        this.maxBytes = maxBytes;
    }

    @Override
    synchronized Optional<Bookmark> nearest(long position) {
        return Optional.ofNullable(byPosition.floorEntry(position)).map(Map.Entry::getValue);
    }

    /// @param key copied
    synchronized void set(long position, BsonDocument key) {
        var bookmark = new Bookmark(position, RawDocuments.compact(RawDocuments.encode(key)));
        var replaced = byPosition.put(position, bookmark);
        bytes += bookmark.bytes() - (replaced == null ? 0 : replaced.bytes());
        if (bytes > maxBytes) {
            thinOut();
        }
    }

    /// Removes bookmarks until a quarter is free, or one is left.
    @GuardedBy("this")
    private void thinOut() {
        keepApart();
        while (bytes > maxBytes - maxBytes / 4 && byPosition.size() > 1) {
            spacing *= 2;
            keepApart();
        }
    }

    @GuardedBy("this")
    private void keepApart() {
        long next = 0;
        for (var all = byPosition.values().iterator(); all.hasNext(); ) {
            var bookmark = all.next();
            if (bookmark.position() < next) {
                bytes -= bookmark.bytes();
                all.remove();
            } else {
                next = bookmark.position() + spacing;
            }
        }
    }

    /// The distance between bookmarks that is kept when there are too many.
    synchronized long spacing() {
        return spacing;
    }

    /// By position.
    synchronized List<Bookmark> all() {
        return List.copyOf(byPosition.values());
    }

    @Override
    boolean isUsable(Duration maxAge) {
        return System.nanoTime() - setAt() < maxAge.toNanos();
    }

    /// They are replaced after half their maximum age, and used until then.
    @Override
    boolean isFresh(Duration maxAge) {
        return isUsable(maxAge.dividedBy(2));
    }

    @Override
    synchronized int size() {
        return byPosition.size();
    }

    @Override
    synchronized long bytes() {
        return bytes;
    }

    /// @param start position of the first document that is read
    Marker marker(long start) {
        return new Marker(start);
    }

    /// Sets bookmarks at the first and the last document of a page while it is read. Confined to one request.
    final class Marker {
        private final long start;
        private long position;
        private @Nullable RawBsonDocument last;

        private Marker(long start) {
            this.start = start;
            this.position = start;
        }

        void read(RawBsonDocument document) {
            if (position == start) {
                mark(position, document);
            }
            position++;
            last = document;
        }

        void end() {
            if (last != null) {
                mark(position - 1, last);
                last = null;
            }
        }

        private void mark(long at, RawBsonDocument document) {
            // Against the index, a range begins below the key, one document further.
            index().keyOf(document).ifPresent(key -> set(index().reverse() ? at + 1 : at, key));
        }
    }
}
