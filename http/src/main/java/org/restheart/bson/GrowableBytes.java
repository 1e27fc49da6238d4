package org.restheart.bson;

import java.util.Arrays;

/// A byte array that grows at its end. The writers of this package access the array directly after calling [#room].
/// Confined to one thread.
abstract sealed class GrowableBytes permits Utf8Buffer, BsonBuffer {
    /// The largest array that common JVMs can allocate.
    private static final int LONGEST_ARRAY = Integer.MAX_VALUE - 8;

    byte[] bytes;
    int length;

    GrowableBytes(int capacity) {
        bytes = new byte[Math.max(capacity, 16)];
    }

    /// Ensures capacity for `more` bytes and returns the index to write them at.
    ///
    /// @throws IllegalStateException if that is more than an array can hold
    final int room(int more) {
        if (more > bytes.length - length) {
            grow(more);
        }
        return length;
    }

    private void grow(int more) {
        long needed = (long) length + more;
        if (needed > LONGEST_ARRAY) {
            throw new IllegalStateException("a text or document of more than 2 GiB is not supported");
        }
        bytes = Arrays.copyOf(bytes, (int) Math.min(LONGEST_ARRAY, Math.max(needed, bytes.length * 2L)));
    }

    final void add(byte b) {
        int at = room(1);
        bytes[at] = b;
        length = at + 1;
    }

    /// Two characters below U+0080.
    final void add(char first, char second) {
        int at = room(2);
        bytes[at] = (byte) first;
        bytes[at + 1] = (byte) second;
        length = at + 2;
    }

    final void add(byte[] source, int from, int to) {
        int at = room(to - from);
        System.arraycopy(source, from, bytes, at, to - from);
        length = at + to - from;
    }

    /// Each character's low byte: for ASCII.
    @SuppressWarnings("deprecation") // the one method that copies Latin-1 text without a temporary array
    final void addAscii(String text) {
        int at = room(text.length());
        text.getBytes(0, text.length(), bytes, at);
        length = at + text.length();
    }
}
