package org.restheart.bson;

import java.time.Instant;
import org.bson.types.Decimal128;

/// JSON as the Atlas Data API wrote it for `application/json`.
final class PlainSpelling extends Spelling {
    /// From the year 1583, the first whole year of the Gregorian calendar, to 9999.
    private static final long FIRST = -12_212_553_600_000L;

    private static final long LAST = 253_402_300_799_999L;

    private final boolean hidesTags;

    PlainSpelling(boolean hidesTags) {
        this.hidesTags = hidesTags;
    }

    @Override
    boolean hidesTags() {
        return hidesTags;
    }

    @Override
    boolean unwrapsText() {
        return true;
    }

    @Override
    void date(long millis, Utf8Buffer out) {
        out.add((byte) '"');
        if (millis >= FIRST && millis <= LAST) {
            Dates.writeWithMillis(millis, out);
        } else {
            out.addAscii(Instant.ofEpochMilli(millis).toString());
        }
        out.add((byte) '"');
    }

    @Override
    void float64(double value, Utf8Buffer out) {
        if (!Double.isFinite(value)) {
            out.addAscii("\"" + value + "\"");
        } else if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            Decimals.write((long) value, out);
        } else {
            out.decimal(value);
        }
    }

    @Override
    void decimal128(Decimal128 value, Utf8Buffer out) {
        out.addAscii("\"" + value + "\"");
    }

    @Override
    void objectId(byte[] in, int at, Utf8Buffer out) {
        out.add((byte) '"');
        out.hex(in, at, at + 12);
        out.add((byte) '"');
    }

    @Override
    void binary(byte subtype, byte[] in, int from, int to, Utf8Buffer out) {
        out.addAscii("{\"Subtype\": ");
        Decimals.write(subtype & 0xff, out);
        out.addAscii(", \"Data\": \"");
        Base64Text.write(in, from, to, out);
        out.addAscii("\"}");
    }

    @Override
    void regex(String pattern, String options, Utf8Buffer out) {
        out.addAscii("{\"Pattern\": ");
        JsonStrings.quote(pattern, out);
        out.addAscii(", \"Options\": ");
        JsonStrings.quote(options, out);
        out.add((byte) '}');
    }

    @Override
    void timestamp(int seconds, int increment, Utf8Buffer out) {
        out.addAscii("{\"T\": ");
        Decimals.write(Integer.toUnsignedLong(seconds), out);
        out.addAscii(", \"I\": ");
        Decimals.write(Integer.toUnsignedLong(increment), out);
        out.add((byte) '}');
    }

    @Override
    void dbPointer(String namespace, byte[] in, int at, Utf8Buffer out) {
        out.addAscii("{}");
    }

    @Override
    void undefined(Utf8Buffer out) {
        out.addAscii("null");
    }

    @Override
    void minKey(Utf8Buffer out) {
        out.addAscii("{}");
    }

    @Override
    void maxKey(Utf8Buffer out) {
        out.addAscii("{}");
    }
}
