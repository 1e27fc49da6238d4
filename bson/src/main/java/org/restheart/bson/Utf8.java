package org.restheart.bson;

/// Processes UTF-8 bytes without decoding them to characters.
final class Utf8 {
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGHS = 0x8080808080808080L;
    private static final long SPACES = 0x20 * ONES;
    private static final long QUOTES = '"' * ONES;
    private static final long BACKSLASHES = '\\' * ONES;

    /// Up to this number of bytes are copied word by word, which is faster than `System.arraycopy`.
    private static final int FEW = 48;

    private Utf8() {}

    /// The index of the first byte that is not plain, or `to`. Plain bytes need no escape in a JSON string: printable
    /// ASCII without `"` and `\`. Eight bytes are tested at once.
    static int plainEnd(byte[] in, int from, int to) {
        int i = from;
        for (; i <= to - 8; i += 8) {
            long word = (long) RawCursor.LONG.get(in, i);
            // A difference has the high bit of a byte set if that byte was too small, as `"` is when all its bits are
            // taken out; the sum, if it was 0x7f. For bytes above, the high bit of the word itself is set. Borrows and
            // carries can raise false alarms only above a byte that is truly not plain, so the lowest is right.
            long special =
                    (word - SPACES) | word | (word + ONES) | ((word ^ QUOTES) - ONES) | ((word ^ BACKSLASHES) - ONES);
            special &= HIGHS;
            if (special != 0) {
                return i + (Long.numberOfTrailingZeros(special) >> 3);
            }
        }
        while (i < to && isPlain(in[i])) {
            i++;
        }
        return i;
    }

    private static boolean isPlain(byte b) {
        return b >= 0x20 && b != '"' && b != '\\' && b != 0x7f;
    }

    /// Copies bytes, usually few, and returns the index after them.
    ///
    /// @param out with room for seven bytes more, which may be written, too
    static int copy(byte[] in, int from, int to, byte[] out, int at) {
        int length = to - from;
        if (length > FEW || from + FEW > in.length) {
            System.arraycopy(in, from, out, at, length);
        } else {
            for (int i = 0; i < length; i += 8) {
                RawCursor.LONG.set(out, at + i, (long) RawCursor.LONG.get(in, from + i));
            }
        }
        return at + length;
    }

    /// The code point of the two to four bytes at an index, or -1 if they are not UTF-8 (RFC 3629: overlong forms,
    /// surrogates and numbers above U+10FFFF are not).
    ///
    /// @param at where a byte above 0x7f is
    static int codePoint(byte[] in, int at, int to) {
        int first = in[at] & 0xff;
        if (first < 0xe0) {
            return first >= 0xc2 && to - at >= 2 && isTail(in[at + 1]) ? (first & 0x1f) << 6 | tail(in[at + 1]) : -1;
        }
        if (first < 0xf0) {
            if (to - at < 3 || !isTail(in[at + 1]) || !isTail(in[at + 2])) {
                return -1;
            }
            int c = (first & 0x0f) << 12 | tail(in[at + 1]) << 6 | tail(in[at + 2]);
            return c >= 0x800 && (c < 0xd800 || c > 0xdfff) ? c : -1;
        }
        if (first > 0xf4 || to - at < 4 || !isTail(in[at + 1]) || !isTail(in[at + 2]) || !isTail(in[at + 3])) {
            return -1;
        }
        int c = (first & 7) << 18 | tail(in[at + 1]) << 12 | tail(in[at + 2]) << 6 | tail(in[at + 3]);
        return c >= 0x10000 && c <= 0x10ffff ? c : -1;
    }

    /// How many bytes a code point above U+007F takes.
    static int size(int codePoint) {
        return codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
    }

    /// @param c any code point but a surrogate
    static void write(int c, GrowableBytes out) {
        int at = out.room(4);
        byte[] bytes = out.bytes;
        if (c < 0x80) {
            bytes[at++] = (byte) c;
        } else {
            if (c < 0x800) {
                bytes[at++] = (byte) (0xc0 | c >> 6);
            } else {
                if (c < 0x10000) {
                    bytes[at++] = (byte) (0xe0 | c >> 12);
                } else {
                    bytes[at++] = (byte) (0xf0 | c >> 18);
                    bytes[at++] = (byte) (0x80 | (c >> 12 & 0x3f));
                }
                bytes[at++] = (byte) (0x80 | (c >> 6 & 0x3f));
            }
            bytes[at++] = (byte) (0x80 | (c & 0x3f));
        }
        out.length = at;
    }

    private static boolean isTail(byte b) {
        return (b & 0xc0) == 0x80;
    }

    private static int tail(byte b) {
        return b & 0x3f;
    }
}
