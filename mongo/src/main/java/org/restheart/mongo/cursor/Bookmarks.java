package org.restheart.mongo.cursor;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.bson.BsonBinaryWriter;
import org.bson.BsonDocument;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.codecs.EncoderContext;
import org.bson.io.BasicOutputBuffer;

/// The bookmarks of one query, set from a point in time on. Bounded: when they become too many, those
/// that are closest together are taken out, so that they stay spread over the whole result. Thread-safe.
final class Bookmarks {
    private static final BsonDocumentCodec CODEC = new BsonDocumentCodec();

    private final SortIndex index;
    private final long setAt;
    private final long maxBytes;

    private final TreeMap<Long, Bookmark> byPosition = new TreeMap<>(); // guarded by this
    private long bytes; // guarded by this
    private long spacing = 1; // guarded by this

    /// @param setAt in [System#nanoTime()]: the time of the oldest one
    /// @param maxBytes of all keys in memory
    Bookmarks(SortIndex index, long setAt, long maxBytes) {
        this.index = index;
        this.setAt = setAt;
        this.maxBytes = maxBytes;
    }

    SortIndex index() {
        return index;
    }

    /// In [System#nanoTime()].
    long setAt() {
        return setAt;
    }

    /// The last one at or before the position.
    synchronized Optional<Bookmark> nearest(long position) {
        return Optional.ofNullable(byPosition.floorEntry(position)).map(Map.Entry::getValue);
    }

    /// @param key copied
    synchronized void set(long position, BsonDocument key) {
        var bookmark = new Bookmark(position, compact(key));
        var replaced = byPosition.put(position, bookmark);
        bytes += bookmark.bytes() - (replaced == null ? 0 : replaced.bytes());
        if (bytes > maxBytes) {
            thinOut();
        }
    }

    /// Until a quarter is free again, or one is left.
    private void thinOut() {
        keepApart();
        while (bytes > maxBytes - maxBytes / 4 && byPosition.size() > 1) {
            spacing *= 2;
            keepApart();
        }
    }

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

    /// How far apart bookmarks have to be to stay when there are too many.
    synchronized long spacing() {
        return spacing;
    }

    /// By position.
    synchronized List<Bookmark> all() {
        return List.copyOf(byPosition.values());
    }

    synchronized int size() {
        return byPosition.size();
    }

    /// In memory.
    synchronized long bytes() {
        return bytes;
    }

    /// In an array of its own size: what the driver hands out holds on to a larger one.
    private static RawBsonDocument compact(BsonDocument key) {
        var out = new BasicOutputBuffer(128);
        try (var writer = new BsonBinaryWriter(out)) {
            CODEC.encode(writer, key, EncoderContext.builder().build());
        }
        return new RawBsonDocument(out.toByteArray());
    }
}
