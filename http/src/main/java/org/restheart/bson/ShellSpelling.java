package org.restheart.bson;

import org.bson.types.Decimal128;

/// What the `mongo` shell reads.
final class ShellSpelling extends Spelling {
    /// The range of dates written as `ISODate`, in milliseconds since 1970; other dates are written as numbers.
    private static final long FIRST_ISO = -59_014_396_800_000L;

    private static final long LAST_ISO = 253_399_536_000_000L;

    @Override
    void date(long millis, Utf8Buffer out) {
        if (millis >= FIRST_ISO && millis <= LAST_ISO) {
            out.addAscii("ISODate(\"");
            Dates.writeWithMillis(millis, out);
            out.addAscii("\")");
        } else {
            out.addAscii("new Date(");
            Decimals.write(millis, out);
            out.add((byte) ')');
        }
    }

    @Override
    void int64(long value, Utf8Buffer out) {
        // The shell's numbers are doubles, so a long value is written as a string.
        boolean isShort = value == (int) value;
        out.addAscii(isShort ? "NumberLong(" : "NumberLong(\"");
        Decimals.write(value, out);
        out.addAscii(isShort ? ")" : "\")");
    }

    @Override
    void decimal128(Decimal128 value, Utf8Buffer out) {
        out.addAscii("NumberDecimal(\"");
        out.addAscii(value.toString());
        out.addAscii("\")");
    }

    @Override
    void objectId(byte[] in, int at, Utf8Buffer out) {
        out.addAscii("ObjectId(\"");
        out.hex(in, at, at + 12);
        out.addAscii("\")");
    }

    @Override
    void binary(byte subtype, byte[] in, int from, int to, Utf8Buffer out) {
        out.addAscii("new BinData(");
        Decimals.write(subtype & 0xff, out);
        out.addAscii(", \"");
        Base64Text.write(in, from, to, out);
        out.addAscii("\")");
    }

    @Override
    void regex(String pattern, String options, Utf8Buffer out) {
        out.add((byte) '/');
        out.text(pattern.isEmpty() ? "(?:)" : pattern.replace("/", "\\/"));
        out.add((byte) '/');
        out.text(options);
    }

    @Override
    void timestamp(int seconds, int increment, Utf8Buffer out) {
        out.addAscii("Timestamp(");
        Decimals.write(seconds, out);
        out.addAscii(", ");
        Decimals.write(increment, out);
        out.add((byte) ')');
    }

    @Override
    void undefined(Utf8Buffer out) {
        out.addAscii("undefined");
    }

    @Override
    void minKey(Utf8Buffer out) {
        out.addAscii("MinKey");
    }

    @Override
    void maxKey(Utf8Buffer out) {
        out.addAscii("MaxKey");
    }
}
