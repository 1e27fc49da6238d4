package org.restheart.bson;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/// UTF-8 text that grows at its end. Confined to one thread.
public final class Utf8Buffer extends GrowableBytes {
    static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

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
    public void ascii(String text) {
        addAscii(text);
    }

    public void put(byte b) {
        add(b);
    }

    /// A character below U+0080, which is not checked.
    public void put(char c) {
        add((byte) c);
    }

    /// Any text; lone surrogates become `?`.
    public void text(String text) {
        byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
        add(utf8, 0, utf8.length);
    }

    /// Bytes that are UTF-8 already.
    public void utf8(byte[] source, int from, int to) {
        add(source, from, to);
    }

    public void decimal(long number) {
        Decimals.write(number, this);
    }

    /// A number as formatted by [Double#toString], but with a sign in every exponent: `1.0E+30`.
    void decimal(double number) {
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
    }

    /// Lower-case hexadecimal digits, two for each byte.
    void hex(byte[] source, int from, int to) {
        int at = room(2 * (to - from));
        for (int i = from; i < to; i++) {
            bytes[at++] = HEX[source[i] >> 4 & 15];
            bytes[at++] = HEX[source[i] & 15];
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
