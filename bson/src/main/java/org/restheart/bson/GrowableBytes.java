package org.restheart.bson;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// A byte array that grows at its end. The writers of this package access the array directly after calling [#room].
/// Confined to one thread.
abstract sealed class GrowableBytes permits Utf8Buffer, BsonBuffer {
    /// From this length on less is allocated in advance.
    private static final int LARGE = 1 << 20;

    /// The largest array that common JVMs can allocate.
    private static final int LONGEST_ARRAY = Integer.MAX_VALUE - 8;

    /// The two digits of each number below 100.
    private static final byte[] PAIRS = pairs();

    private static final byte[] LOWEST = Long.toString(Long.MIN_VALUE).getBytes(StandardCharsets.US_ASCII);

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
        long larger = bytes.length < LARGE ? 2L * bytes.length : bytes.length + bytes.length / 2L;
        bytes = Arrays.copyOf(bytes, (int) Math.min(LONGEST_ARRAY, Math.max(needed, larger)));
    }

    public final void put(byte b) {
        int at = room(1);
        bytes[at] = b;
        length = at + 1;
    }

    public final void put(byte[] source, int from, int to) {
        int at = room(to - from);
        System.arraycopy(source, from, bytes, at, to - from);
        length = at + to - from;
    }

    /// A number in decimal digits.
    final void addDecimal(long number) {
        int at = room(20);
        if (number < 0) {
            if (number == Long.MIN_VALUE) {
                put(LOWEST, 0, LOWEST.length);
                return;
            }
            bytes[at++] = '-';
            number = -number;
        }
        int end = at + digits(number);
        int i = end;
        while (number >= 100) {
            long rest = number / 100;
            i -= 2;
            pair((int) (number - rest * 100), bytes, i);
            number = rest;
        }
        if (number >= 10) {
            pair((int) number, bytes, i - 2);
        } else {
            bytes[i - 1] = (byte) ('0' + number);
        }
        length = end;
    }

    /// Exactly two digits.
    static void pair(int number, byte[] bytes, int at) {
        bytes[at] = PAIRS[2 * number];
        bytes[at + 1] = PAIRS[2 * number + 1];
    }

    private static int digits(long number) {
        int digits = 1;
        for (long bound = 10; digits < 19 && number >= bound; bound *= 10) {
            digits++;
        }
        return digits;
    }

    private static byte[] pairs() {
        var pairs = new byte[200];
        for (int i = 0; i < 100; i++) {
            pairs[2 * i] = (byte) ('0' + i / 10);
            pairs[2 * i + 1] = (byte) ('0' + i % 10);
        }
        return pairs;
    }
}
