package org.restheart.bson;

/// A growable buffer of BSON bytes that handles byte order but not structure. Confined to one thread.
final class BsonBuffer extends GrowableBytes {
    BsonBuffer(int capacity) {
        super(capacity);
    }

    void int32(int value) {
        int at = room(4);
        RawCursor.INT.set(bytes, at, value);
        length = at + 4;
    }

    void int64(long value) {
        int at = room(8);
        RawCursor.LONG.set(bytes, at, value);
        length = at + 8;
    }

    /// Reserves four bytes for a length and returns their position.
    int gap() {
        int at = room(4);
        length = at + 4;
        return at;
    }

    void fill(int gap, int value) {
        RawCursor.INT.set(bytes, gap, value);
    }
}
