package org.restheart.bson;

import java.time.Instant;
import java.util.HexFormat;
import org.bson.types.Decimal128;

/// How one [JsonMode] writes the types that JSON lacks; what all modes write alike is not here. The methods of this
/// class are the defaults; subclasses override them. Immutable.
abstract class JsonFormat {
    /// The last millisecond of the year 9999.
    private static final long LAST = 253_402_300_799_999L;

    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    /// Whether the entity tags of documents are left out.
    final boolean hidesTags;

    /// Whether code and symbols are written as their text alone.
    final boolean unwrapsText;

    private JsonFormat(boolean hidesTags, boolean unwrapsText) {
        this.hidesTags = hidesTags;
        this.unwrapsText = unwrapsText;
    }

    static JsonFormat of(JsonMode mode) {
        return switch (mode) {
            case DEFAULT -> new DefaultFormat();
            case RELAXED -> new RelaxedFormat();
            case STRICT -> new StrictFormat();
            case EXTENDED -> new CanonicalFormat(false);
            case EXTENDED_UNTAGGED -> new CanonicalFormat(true);
            case SHELL -> new ShellFormat();
            case PLAIN -> new PlainFormat();
            case ATLAS -> new AtlasFormat(false);
            case ATLAS_UNTAGGED -> new AtlasFormat(true);
        };
    }

    /// @param millis since 1970
    abstract void date(long millis, Utf8Buffer out);

    void int32(int value, Utf8Buffer out) {
        out.decimal(value);
    }

    void int64(long value, Utf8Buffer out) {
        out.decimal(value);
    }

    void float64(double value, Utf8Buffer out) {
        out.decimal(value);
    }

    void decimal128(Decimal128 value, Utf8Buffer out) {
        out.ascii("{\"$numberDecimal\": \"" + value + "\"}");
    }

    /// @param at where the twelve bytes begin
    void objectId(byte[] in, int at, Utf8Buffer out) {
        out.ascii("{\"$oid\": \"").hex(in, at, at + 12).ascii("\"}");
    }

    void binary(byte subtype, byte[] in, int from, int to, Utf8Buffer out) {
        out.ascii("{\"$binary\": {\"base64\": \"").base64(in, from, to);
        out.ascii("\", \"subType\": \"" + HEX.toHexDigits(subtype) + "\"}}");
    }

    void regex(String pattern, String options, Utf8Buffer out) {
        out.ascii("{\"$regularExpression\": {\"pattern\": ").quoted(pattern);
        out.ascii(", \"options\": ").quoted(options).ascii("}}");
    }

    /// @param seconds unsigned
    /// @param increment unsigned
    void timestamp(int seconds, int increment, Utf8Buffer out) {
        out.ascii("{\"$timestamp\": {\"t\": ").decimal(Integer.toUnsignedLong(seconds));
        out.ascii(", \"i\": ").decimal(Integer.toUnsignedLong(increment));
        out.ascii("}}");
    }

    /// @param at where the twelve bytes of the id begin
    void dbPointer(String namespace, byte[] in, int at, Utf8Buffer out) {
        out.ascii("{\"$ref\": ").quoted(namespace).ascii(", \"$id\": ");
        objectId(in, at, out);
        out.put('}');
    }

    void undefined(Utf8Buffer out) {
        out.ascii("{\"$undefined\": true}");
    }

    void minKey(Utf8Buffer out) {
        out.ascii("{\"$minKey\": 1}");
    }

    void maxKey(Utf8Buffer out) {
        out.ascii("{\"$maxKey\": 1}");
    }

    private static void canonicalDate(long millis, Utf8Buffer out) {
        out.ascii("{\"$date\": {\"$numberLong\": \"").decimal(millis).ascii("\"}}");
    }

    private static void canonicalInt64(long value, Utf8Buffer out) {
        out.ascii("{\"$numberLong\": \"").decimal(value).ascii("\"}");
    }

    private static void canonicalDouble(double value, Utf8Buffer out) {
        out.ascii("{\"$numberDouble\": \"").decimal(value).ascii("\"}");
    }

    /// Extended JSON v1, strict. Doubles that are not finite are bare words, which is not JSON.
    private static final class StrictFormat extends JsonFormat {
        StrictFormat() {
            super(false, false);
        }

        @Override
        void date(long millis, Utf8Buffer out) {
            out.ascii("{\"$date\": ").decimal(millis).put('}');
        }

        @Override
        void int64(long value, Utf8Buffer out) {
            canonicalInt64(value, out);
        }

        @Override
        void binary(byte subtype, byte[] in, int from, int to, Utf8Buffer out) {
            out.ascii("{\"$binary\": \"").base64(in, from, to);
            out.ascii("\", \"$type\": \"" + HEX.toHexDigits(subtype) + "\"}");
        }

        @Override
        void regex(String pattern, String options, Utf8Buffer out) {
            out.ascii("{\"$regex\": ").quoted(pattern);
            out.ascii(", \"$options\": ").quoted(options).put('}');
        }
    }

    /// Extended JSON v2, relaxed.
    private static class RelaxedFormat extends JsonFormat {
        RelaxedFormat() {
            super(false, false);
        }

        @Override
        void date(long millis, Utf8Buffer out) {
            if (millis < 0 || millis > LAST) {
                canonicalDate(millis, out);
                return;
            }
            out.ascii("{\"$date\": \"");
            Dates.writeShortest(millis, out);
            out.ascii("\"}");
        }

        @Override
        void float64(double value, Utf8Buffer out) {
            if (Double.isFinite(value)) {
                out.decimal(value);
            } else {
                canonicalDouble(value, out);
            }
        }
    }

    /// Relaxed, but every date is a number.
    private static final class DefaultFormat extends RelaxedFormat {
        /// With a blank before the closing brace, as clients of this mode have always received it.
        @Override
        void date(long millis, Utf8Buffer out) {
            out.ascii("{\"$date\": ").decimal(millis).ascii(" }");
        }
    }

    /// Extended JSON v2, canonical.
    private static final class CanonicalFormat extends JsonFormat {
        CanonicalFormat(boolean hidesTags) {
            super(hidesTags, false);
        }

        @Override
        void date(long millis, Utf8Buffer out) {
            canonicalDate(millis, out);
        }

        @Override
        void int32(int value, Utf8Buffer out) {
            out.ascii("{\"$numberInt\": \"").decimal(value).ascii("\"}");
        }

        @Override
        void int64(long value, Utf8Buffer out) {
            canonicalInt64(value, out);
        }

        @Override
        void float64(double value, Utf8Buffer out) {
            canonicalDouble(value, out);
        }

        @Override
        void dbPointer(String namespace, byte[] in, int at, Utf8Buffer out) {
            out.ascii("{\"$dbPointer\": ");
            super.dbPointer(namespace, in, at, out);
            out.put('}');
        }
    }

    /// What JSON and JavaScript have, and strings for the rest.
    private static class PlainFormat extends JsonFormat {
        /// The integers that a double can hold.
        private static final long EXACT = 1L << 53;

        private static final byte UUID = 4;

        /// From the year 1583, the first whole year of the Gregorian calendar.
        private static final long FIRST = -12_212_553_600_000L;

        PlainFormat() {
            this(false);
        }

        private PlainFormat(boolean hidesTags) {
            super(hidesTags, true);
        }

        @Override
        void date(long millis, Utf8Buffer out) {
            out.put('"');
            if (millis >= FIRST && millis <= LAST) {
                Dates.writeWithMillis(millis, out);
            } else {
                out.ascii(Instant.ofEpochMilli(millis).toString());
            }
            out.put('"');
        }

        @Override
        void int64(long value, Utf8Buffer out) {
            if (value >= -EXACT && value <= EXACT) {
                out.decimal(value);
            } else {
                out.ascii("\"").decimal(value).put('"');
            }
        }

        @Override
        void float64(double value, Utf8Buffer out) {
            if (Double.isFinite(value)) {
                out.decimal(value);
            } else {
                out.ascii("null");
            }
        }

        @Override
        void decimal128(Decimal128 value, Utf8Buffer out) {
            out.ascii("\"" + value + "\"");
        }

        @Override
        void objectId(byte[] in, int at, Utf8Buffer out) {
            out.ascii("\"").hex(in, at, at + 12).put('"');
        }

        @Override
        void binary(byte subtype, byte[] in, int from, int to, Utf8Buffer out) {
            if (subtype == UUID && to - from == 16) {
                out.ascii("\"").hex(in, from, from + 4).put('-');
                out.hex(in, from + 4, from + 6).put('-');
                out.hex(in, from + 6, from + 8).put('-');
                out.hex(in, from + 8, from + 10).put('-');
                out.hex(in, from + 10, to).put('"');
            } else {
                out.ascii("\"").base64(in, from, to).put('"');
            }
        }

        @Override
        void regex(String pattern, String options, Utf8Buffer out) {
            out.quoted("/" + pattern + "/" + options);
        }

        @Override
        void undefined(Utf8Buffer out) {
            out.ascii("null");
        }
    }

    /// JSON as the Atlas Data API wrote it for `application/json`.
    private static final class AtlasFormat extends PlainFormat {
        AtlasFormat(boolean hidesTags) {
            super(hidesTags);
        }

        @Override
        void int64(long value, Utf8Buffer out) {
            out.decimal(value);
        }

        @Override
        void float64(double value, Utf8Buffer out) {
            if (!Double.isFinite(value)) {
                out.ascii("\"" + value + "\"");
            } else if (value == Math.rint(value) && Math.abs(value) < 1e15) {
                out.decimal((long) value);
            } else {
                out.decimal(value);
            }
        }

        @Override
        void binary(byte subtype, byte[] in, int from, int to, Utf8Buffer out) {
            out.ascii("{\"Subtype\": ").decimal(subtype & 0xff);
            out.ascii(", \"Data\": \"").base64(in, from, to).ascii("\"}");
        }

        @Override
        void regex(String pattern, String options, Utf8Buffer out) {
            out.ascii("{\"Pattern\": ").quoted(pattern);
            out.ascii(", \"Options\": ").quoted(options).put('}');
        }

        @Override
        void timestamp(int seconds, int increment, Utf8Buffer out) {
            out.ascii("{\"T\": ").decimal(Integer.toUnsignedLong(seconds));
            out.ascii(", \"I\": ").decimal(Integer.toUnsignedLong(increment)).put('}');
        }

        @Override
        void dbPointer(String namespace, byte[] in, int at, Utf8Buffer out) {
            out.ascii("{}");
        }

        @Override
        void minKey(Utf8Buffer out) {
            out.ascii("{}");
        }

        @Override
        void maxKey(Utf8Buffer out) {
            out.ascii("{}");
        }
    }

    /// What the `mongo` shell reads.
    private static final class ShellFormat extends JsonFormat {
        /// The range of dates written as `ISODate`, in milliseconds since 1970; other dates are written as numbers.
        private static final long FIRST_ISO = -59_014_396_800_000L;

        private static final long LAST_ISO = 253_399_536_000_000L;

        ShellFormat() {
            super(false, false);
        }

        @Override
        void date(long millis, Utf8Buffer out) {
            if (millis >= FIRST_ISO && millis <= LAST_ISO) {
                out.ascii("ISODate(\"");
                Dates.writeWithMillis(millis, out);
                out.ascii("\")");
            } else {
                out.ascii("new Date(").decimal(millis).put(')');
            }
        }

        @Override
        void int64(long value, Utf8Buffer out) {
            // The shell's numbers are doubles, so a long value is written as a string.
            boolean isShort = value == (int) value;
            out.ascii(isShort ? "NumberLong(" : "NumberLong(\"").decimal(value).ascii(isShort ? ")" : "\")");
        }

        @Override
        void decimal128(Decimal128 value, Utf8Buffer out) {
            out.ascii("NumberDecimal(\"" + value + "\")");
        }

        @Override
        void objectId(byte[] in, int at, Utf8Buffer out) {
            out.ascii("ObjectId(\"").hex(in, at, at + 12).ascii("\")");
        }

        @Override
        void binary(byte subtype, byte[] in, int from, int to, Utf8Buffer out) {
            out.ascii("new BinData(").decimal(subtype & 0xff);
            out.ascii(", \"").base64(in, from, to).ascii("\")");
        }

        @Override
        void regex(String pattern, String options, Utf8Buffer out) {
            out.text("/" + (pattern.isEmpty() ? "(?:)" : pattern.replace("/", "\\/")) + "/" + options);
        }

        @Override
        void timestamp(int seconds, int increment, Utf8Buffer out) {
            out.ascii("Timestamp(")
                    .decimal(seconds)
                    .ascii(", ")
                    .decimal(increment)
                    .put(')');
        }

        @Override
        void undefined(Utf8Buffer out) {
            out.ascii("undefined");
        }

        @Override
        void minKey(Utf8Buffer out) {
            out.ascii("MinKey");
        }

        @Override
        void maxKey(Utf8Buffer out) {
            out.ascii("MaxKey");
        }
    }
}
