package org.restheart.bson;

import java.nio.charset.StandardCharsets;

/// Decimal numbers written straight into a buffer.
final class Decimals {
    /// The two digits of each number below 100.
    private static final byte[] PAIRS = pairs();

    private static final byte[] LOWEST = Long.toString(Long.MIN_VALUE).getBytes(StandardCharsets.US_ASCII);

    private Decimals() {}

    static void write(long number, GrowableBytes out) {
        int at = out.room(20);
        byte[] bytes = out.bytes;
        if (number < 0) {
            if (number == Long.MIN_VALUE) {
                out.add(LOWEST, 0, LOWEST.length);
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
        out.length = end;
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
