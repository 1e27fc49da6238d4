package org.restheart.bson;

import java.nio.charset.StandardCharsets;
import org.restheart.bson.StrictJson.NotStrict;

/// Numbers as RFC 8259 has them: without point or exponent an int32 or int64 by size, with one of them a double.
final class StrictNumber {
    /// The powers of ten that a double holds exactly.
    private static final double[] POWERS = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22
    };

    /// Up to here a double holds every integer.
    private static final long EXACT = 1L << 53;

    /// So many decimal digits always fit into a long.
    private static final int SAFE_DIGITS = 18;

    private StrictNumber() {}

    /// @return the index after it
    /// @throws NotStrict if there is no such number, or an integer beyond int64
    static int read(byte[] in, int start, BsonSink sink) {
        int i = start;
        boolean negative = i < in.length && in[i] == '-';
        if (negative) {
            i++;
        }
        int first = i;
        long digits = 0;
        while (isDigit(in, i)) {
            digits = digits * 10 + in[i++] - '0';
        }
        if (i == first || (in[first] == '0' && i - first > 1)) {
            throw new NotStrict();
        }
        if (i < in.length && (in[i] == '.' || in[i] == 'e' || in[i] == 'E')) {
            return real(in, start, first, i, digits, sink);
        }
        sink.integer(i - first > SAFE_DIGITS ? long19(in, start, i) : negative ? -digits : digits);
        return i;
    }

    /// The integer in exactly these bytes.
    ///
    /// @throws NotStrict if there is no such number, or one beyond int64
    static long int64(byte[] in, int from, int to) {
        boolean negative = from < to && in[from] == '-';
        int first = negative ? from + 1 : from;
        long digits = 0;
        int i = first;
        while (i < to && isDigit(in, i)) {
            digits = digits * 10 + in[i++] - '0';
        }
        if (i == first || i < to || (in[first] == '0' && i - first > 1)) {
            throw new NotStrict();
        }
        return i - first > SAFE_DIGITS ? long19(in, from, to) : negative ? -digits : digits;
    }

    private static long long19(byte[] in, int from, int to) {
        try {
            return Long.parseLong(ascii(in, from, to));
        } catch (NumberFormatException _) {
            throw new NotStrict();
        }
    }

    /// @param point where the point or the exponent begins
    /// @param digits the number before it
    private static int real(byte[] in, int start, int first, int point, long digits, BsonSink sink) {
        int i = point;
        int scale = 0;
        if (in[i] == '.') {
            i++;
            while (isDigit(in, i)) {
                digits = digits * 10 + in[i++] - '0';
            }
            scale = i - point - 1;
            if (scale == 0) {
                throw new NotStrict();
            }
        }
        boolean allDigits = i - first <= SAFE_DIGITS;
        int exponent = -scale;
        if (i < in.length && (in[i] == 'e' || in[i] == 'E')) {
            int from = i + 1;
            i = exponentEnd(in, from);
            if (i - from > 4) {
                allDigits = false;
            } else {
                exponent += Integer.parseInt(ascii(in, from, i));
            }
        }
        sink.float64(
                allDigits && digits <= EXACT && exponent >= -22 && exponent <= 22
                        ? toDouble(digits, exponent, start < first)
                        : Double.parseDouble(ascii(in, start, i)));
        return i;
    }

    private static int exponentEnd(byte[] in, int from) {
        int i = from;
        if (i < in.length && (in[i] == '-' || in[i] == '+')) {
            i++;
        }
        if (!isDigit(in, i)) {
            throw new NotStrict();
        }
        while (isDigit(in, i)) {
            i++;
        }
        return i;
    }

    /// Exact, since one operation on two exact numbers is correctly rounded. Covers most numbers in real data.
    private static double toDouble(long digits, int exponent, boolean negative) {
        double value = exponent < 0 ? digits / POWERS[-exponent] : digits * POWERS[exponent];
        return negative ? -value : value;
    }

    private static boolean isDigit(byte[] in, int i) {
        return i < in.length && in[i] >= '0' && in[i] <= '9';
    }

    private static String ascii(byte[] in, int from, int to) {
        return new String(in, from, to - from, StandardCharsets.ISO_8859_1);
    }
}
