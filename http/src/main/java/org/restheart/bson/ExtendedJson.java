package org.restheart.bson;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Set;
import org.bson.types.Decimal128;
import org.restheart.bson.StrictJson.NotStrict;

/// The types of Extended JSON that occur in real data, in their usual form: `{"$oid": "…"}`, `{"$date": …}`, the
/// numbers, `{"$binary": {"base64": "…", "subType": "…"}}`. All other special names are left to [DriverJson].
/// Confined to one thread.
final class ExtendedJson {
    /// The length of `$regularExpression`.
    private static final int LONGEST_NAME = 18;

    /// Left to [DriverJson].
    private static final Set<String> OTHERS = Set.of(
            "$type",
            "$uuid",
            "$regex",
            "$options",
            "$regularExpression",
            "$code",
            "$minKey",
            "$maxKey",
            "$symbol",
            "$timestamp",
            "$undefined",
            "$dbPointer");

    private final StrictJson text;
    private final byte[] in;
    private final BsonSink sink;

    ExtendedJson(StrictJson text, byte[] in, BsonSink sink) {
        this.text = text;
        this.in = in;
        this.sink = sink;
    }

    /// Reads the rest of an object if it is one of these types.
    ///
    /// @param start where its first name begins, which is with a dollar sign
    /// @return false if it is a document; nothing was read then
    /// @throws NotStrict if it is a type that is not read here, or a known one in another form
    boolean read(int start) {
        int end = Utf8.plainEnd(in, start, in.length);
        if (end == in.length || in[end] == '\\') {
            throw new NotStrict();
        }
        if (in[end] != '"' || end - start > LONGEST_NAME) {
            return false;
        }
        switch (ascii(start, end)) {
            case "$oid" -> objectId(value(end));
            case "$date" -> date(value(end));
            case "$numberLong" -> sink.int64(integer(value(end)));
            case "$numberInt" -> sink.int32(int32(value(end)));
            case "$numberDouble" -> sink.float64(float64(value(end)));
            case "$numberDecimal" -> sink.decimal128(decimal128(value(end)));
            case "$binary" -> binary(value(end));
            case String name when OTHERS.contains(name) -> throw new NotStrict();
            default -> {
                return false;
            }
        }
        StrictJson.require(text.nextToken(), '}');
        return true;
    }

    /// Skips the closing quote of a name and the colon; returns the first byte of the value.
    private byte value(int nameEnd) {
        text.moveTo(nameEnd + 1);
        StrictJson.require(text.nextToken(), ':');
        return text.nextToken();
    }

    private void objectId(byte first) {
        int from = text.position();
        if (skipString(first) - from != 24) {
            throw new NotStrict();
        }
        sink.type(BsonTypes.OBJECT_ID);
        int to = sink.out.room(12);
        for (int i = 0; i < 12; i++) {
            sink.out.bytes[to + i] =
                    (byte) (StrictJson.hex(in[from + 2 * i]) << 4 | StrictJson.hex(in[from + 2 * i + 1]));
        }
        sink.out.length = to + 12;
    }

    private void date(byte first) {
        int from = text.position();
        switch (first) {
            case '"' -> sink.date(Dates.parse(in, from, skipString(first)));
            case '{' -> {
                name("$numberLong", text.nextToken());
                sink.date(integer(text.nextToken()));
                StrictJson.require(text.nextToken(), '}');
            }
            default -> {
                int end = from;
                while (end < in.length && in[end] >= '0' && in[end] <= '9') {
                    end++;
                }
                sink.date(StrictNumber.int64(in, from - 1, end));
                text.moveTo(end);
            }
        }
    }

    private long integer(byte first) {
        int from = text.position();
        return StrictNumber.int64(in, from, skipString(first));
    }

    private int int32(byte first) {
        long value = integer(first);
        if (value != (int) value) {
            throw new NotStrict();
        }
        return (int) value;
    }

    private double float64(byte first) {
        try {
            return Double.parseDouble(string(first));
        } catch (NumberFormatException _) {
            throw new NotStrict();
        }
    }

    private Decimal128 decimal128(byte first) {
        String digits = string(first);
        try {
            return LongDigits.decimal128(digits);
        } catch (NumberFormatException _) {
            throw new NotStrict();
        }
    }

    private void binary(byte first) {
        StrictJson.require(first, '{');
        name("base64", text.nextToken());
        String base64 = string(text.nextToken());
        StrictJson.require(text.nextToken(), ',');
        name("subType", text.nextToken());
        byte quote = text.nextToken();
        int from = text.position();
        if (skipString(quote) - from != 2) {
            throw new NotStrict();
        }
        StrictJson.require(text.nextToken(), '}');
        try {
            sink.binary(
                    (byte) (StrictJson.hex(in[from]) << 4 | StrictJson.hex(in[from + 1])),
                    Base64.getDecoder().decode(base64));
        } catch (IllegalArgumentException _) {
            throw new NotStrict();
        }
    }

    /// Moves over exactly this name and a colon.
    private void name(String expected, byte first) {
        if (!string(first).equals(expected)) {
            throw new NotStrict();
        }
        StrictJson.require(text.nextToken(), ':');
    }

    private String string(byte first) {
        int from = text.position();
        return ascii(from, skipString(first));
    }

    /// Skips a string without escapes and returns the index of its closing quote.
    ///
    /// @param first must be the opening quote; the position is after it
    private int skipString(byte first) {
        StrictJson.require(first, '"');
        int end = Utf8.plainEnd(in, text.position(), in.length);
        StrictJson.require(end < in.length ? in[end] : (byte) 0, '"');
        text.moveTo(end + 1);
        return end;
    }

    private String ascii(int from, int to) {
        return new String(in, from, to - from, StandardCharsets.ISO_8859_1);
    }
}
