package org.restheart.bson;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// UTF-8 text that grows at its end. Confined to one thread.
public final class Utf8Buffer extends GrowableBytes {
    static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] BASE64 =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".getBytes(StandardCharsets.US_ASCII);

    /// Doubles are formatted here without allocating a string each.
    private final StringBuilder scratch = new StringBuilder(32);

    public Utf8Buffer() {
        this(512);
    }

    /// A buffer with room for a text of a known size.
    ///
    /// @param capacity in bytes; the buffer grows beyond as needed
    public Utf8Buffer(int capacity) {
        super(capacity);
    }

    /// In bytes.
    public int length() {
        return length;
    }

    /// Makes room at once for text that is known to come.
    ///
    /// @param more bytes beyond what is there already
    public void reserve(int more) {
        room(more);
    }

    /// Text of characters below U+0080 only, which is not checked.
    @SuppressWarnings("deprecation") // the one method that copies Latin-1 text without a temporary array
    public Utf8Buffer ascii(String text) {
        int at = room(text.length());
        text.getBytes(0, text.length(), bytes, at);
        length = at + text.length();
        return this;
    }

    /// A character below U+0080, which is not checked.
    public void put(char c) {
        put((byte) c);
    }

    /// Two such characters.
    void put(char first, char second) {
        int at = room(2);
        bytes[at] = (byte) first;
        bytes[at + 1] = (byte) second;
        length = at + 2;
    }

    /// Any text; lone surrogates become `?`.
    public void text(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        put(utf8, 0, utf8.length);
    }

    /// Text as a JSON string.
    Utf8Buffer quoted(String text) {
        JsonStrings.quote(text, this);
        return this;
    }

    public Utf8Buffer decimal(long number) {
        addDecimal(number);
        return this;
    }

    /// A number as formatted by [Double#toString], but with a sign in every exponent: `1.0E+30`.
    Utf8Buffer decimal(double number) {
        scratch.setLength(0);
        scratch.append(number);
        int digits = scratch.length();
        int at = room(digits + 1);
        for (int i = 0; i < digits; i++) {
            char c = scratch.charAt(i);
            bytes[at++] = (byte) c;
            if (c == 'E' && scratch.charAt(i + 1) != '-') {
                bytes[at++] = '+';
            }
        }
        length = at;
        return this;
    }

    /// Lower-case hexadecimal digits, two for each byte.
    Utf8Buffer hex(byte[] source, int from, int to) {
        int at = room(2 * (to - from));
        for (int i = from; i < to; i++) {
            bytes[at++] = HEX[source[i] >> 4 & 15];
            bytes[at++] = HEX[source[i] & 15];
        }
        length = at;
        return this;
    }

    /// Base64 (RFC 4648, 4) with padding.
    Utf8Buffer base64(byte[] in, int from, int to) {
        // Room is reserved in pieces: the total length may exceed an int.
        while (to - from > 3 * 4096) {
            base64Block(in, from, from + 3 * 4096);
            from += 3 * 4096;
        }
        base64Block(in, from, to);
        return this;
    }

    private void base64Block(byte[] in, int from, int to) {
        int at = room((to - from + 2) / 3 * 4);
        int i = from;
        for (; i <= to - 3; i += 3) {
            int bits = (in[i] & 0xff) << 16 | (in[i + 1] & 0xff) << 8 | (in[i + 2] & 0xff);
            bytes[at++] = BASE64[bits >> 18];
            bytes[at++] = BASE64[bits >> 12 & 63];
            bytes[at++] = BASE64[bits >> 6 & 63];
            bytes[at++] = BASE64[bits & 63];
        }
        if (i < to) {
            int bits = (in[i] & 0xff) << 16 | (i + 1 < to ? (in[i + 1] & 0xff) << 8 : 0);
            bytes[at++] = BASE64[bits >> 18];
            bytes[at++] = BASE64[bits >> 12 & 63];
            bytes[at++] = i + 1 < to ? BASE64[bits >> 6 & 63] : (byte) '=';
            bytes[at++] = '=';
        }
        length = at;
    }

    /// The text without copying it: do not write to this buffer while the result is in use.
    public ByteBuffer toByteBuffer() {
        return ByteBuffer.wrap(bytes, 0, length).slice();
    }

    public byte[] toByteArray() {
        return Arrays.copyOf(bytes, length);
    }

    /// Empties the buffer and keeps its memory.
    public void clear() {
        length = 0;
    }

    @Override
    public String toString() {
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }
}
