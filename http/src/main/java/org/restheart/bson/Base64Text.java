package org.restheart.bson;

import java.nio.charset.StandardCharsets;

/// Base64 (RFC 4648, 4) written straight into a buffer, with padding.
final class Base64Text {
    private static final byte[] ALPHABET =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".getBytes(StandardCharsets.US_ASCII);

    private Base64Text() {}

    static void write(byte[] in, int from, int to, Utf8Buffer out) {
        // Room is reserved in pieces: the total length may exceed an int.
        while (to - from > 3 * 4096) {
            block(in, from, from + 3 * 4096, out);
            from += 3 * 4096;
        }
        block(in, from, to, out);
    }

    private static void block(byte[] in, int from, int to, Utf8Buffer out) {
        int at = out.room((to - from + 2) / 3 * 4);
        byte[] bytes = out.bytes;
        int i = from;
        for (; i <= to - 3; i += 3) {
            int bits = (in[i] & 0xff) << 16 | (in[i + 1] & 0xff) << 8 | (in[i + 2] & 0xff);
            bytes[at++] = ALPHABET[bits >> 18];
            bytes[at++] = ALPHABET[bits >> 12 & 63];
            bytes[at++] = ALPHABET[bits >> 6 & 63];
            bytes[at++] = ALPHABET[bits & 63];
        }
        if (i < to) {
            int bits = (in[i] & 0xff) << 16 | (i + 1 < to ? (in[i + 1] & 0xff) << 8 : 0);
            bytes[at++] = ALPHABET[bits >> 18];
            bytes[at++] = ALPHABET[bits >> 12 & 63];
            bytes[at++] = i + 1 < to ? ALPHABET[bits >> 6 & 63] : (byte) '=';
            bytes[at++] = '=';
        }
        out.length = at;
    }
}
