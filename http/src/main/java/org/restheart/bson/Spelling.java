package org.restheart.bson;

import java.time.Instant;
import org.bson.types.Decimal128;

/// How one [JsonMode] writes the types that JSON lacks; what all modes write alike is not here. The methods of this
/// class are the defaults; subclasses override them. Immutable.
abstract class Spelling {
    static Spelling of(JsonMode mode) {
        return switch (mode) {
            case DEFAULT -> new DefaultSpelling();
            case RELAXED -> new RelaxedSpelling();
            case STRICT -> new StrictSpelling();
            case EXTENDED -> new ExtendedSpelling();
            case SHELL -> new ShellSpelling();
            case PLAIN -> new PlainSpelling(false);
            case PLAIN_UNTAGGED -> new PlainSpelling(true);
            case EXTENDED_UNTAGGED ->
                new ExtendedSpelling() {
                    @Override
                    boolean hidesTags() {
                        return true;
                    }
                };
        };
    }

    /// Whether the entity tags of documents are left out.
    boolean hidesTags() {
        return false;
    }

    /// Whether code and symbols are written as their text alone.
    boolean unwrapsText() {
        return false;
    }

    /// @param millis since 1970
    abstract void date(long millis, Utf8Buffer out);

    void int32(int value, Utf8Buffer out) {
        Decimals.write(value, out);
    }

    void int64(long value, Utf8Buffer out) {
        Decimals.write(value, out);
    }

    void float64(double value, Utf8Buffer out) {
        out.decimal(value);
    }

    void decimal128(Decimal128 value, Utf8Buffer out) {
        out.addAscii("{\"$numberDecimal\": \"");
        out.addAscii(value.toString());
        out.addAscii("\"}");
    }

    /// @param at where the twelve bytes begin
    void objectId(byte[] in, int at, Utf8Buffer out) {
        out.addAscii("{\"$oid\": \"");
        out.hex(in, at, at + 12);
        out.addAscii("\"}");
    }

    void binary(byte subtype, byte[] in, int from, int to, Utf8Buffer out) {
        out.addAscii("{\"$binary\": {\"base64\": \"");
        Base64Text.write(in, from, to, out);
        out.addAscii("\", \"subType\": \"");
        hexUpper(subtype, out);
        out.addAscii("\"}}");
    }

    void regex(String pattern, String options, Utf8Buffer out) {
        out.addAscii("{\"$regularExpression\": {\"pattern\": ");
        JsonStrings.quote(pattern, out);
        out.addAscii(", \"options\": ");
        JsonStrings.quote(options, out);
        out.addAscii("}}");
    }

    /// @param seconds unsigned
    /// @param increment unsigned
    void timestamp(int seconds, int increment, Utf8Buffer out) {
        out.addAscii("{\"$timestamp\": {\"t\": ");
        Decimals.write(Integer.toUnsignedLong(seconds), out);
        out.addAscii(", \"i\": ");
        Decimals.write(Integer.toUnsignedLong(increment), out);
        out.addAscii("}}");
    }

    /// @param at where the twelve bytes of the id begin
    void dbPointer(String namespace, byte[] in, int at, Utf8Buffer out) {
        out.addAscii("{\"$ref\": ");
        JsonStrings.quote(namespace, out);
        out.addAscii(", \"$id\": ");
        objectId(in, at, out);
        out.add((byte) '}');
    }

    void undefined(Utf8Buffer out) {
        out.addAscii("{\"$undefined\": true}");
    }

    void minKey(Utf8Buffer out) {
        out.addAscii("{\"$minKey\": 1}");
    }

    void maxKey(Utf8Buffer out) {
        out.addAscii("{\"$maxKey\": 1}");
    }

    static void hexUpper(byte b, Utf8Buffer out) {
        out.add((byte) Character.toUpperCase(Character.forDigit(b >> 4 & 15, 16)));
        out.add((byte) Character.toUpperCase(Character.forDigit(b & 15, 16)));
    }

    /// Relaxed, but every date is a number.
    private static final class DefaultSpelling extends RelaxedSpelling {
        /// With a blank before the closing brace, as clients of this mode have always received it.
        @Override
        void date(long millis, Utf8Buffer out) {
            out.addAscii("{\"$date\": ");
            Decimals.write(millis, out);
            out.addAscii(" }");
        }
    }

    /// Extended JSON v1, strict. Doubles that are not finite are bare words, which is not JSON.
    private static final class StrictSpelling extends Spelling {
        @Override
        void date(long millis, Utf8Buffer out) {
            out.addAscii("{\"$date\": ");
            Decimals.write(millis, out);
            out.add((byte) '}');
        }

        @Override
        void int64(long value, Utf8Buffer out) {
            ExtendedSpelling.canonicalInt64(value, out);
        }

        @Override
        void binary(byte subtype, byte[] in, int from, int to, Utf8Buffer out) {
            out.addAscii("{\"$binary\": \"");
            Base64Text.write(in, from, to, out);
            out.addAscii("\", \"$type\": \"");
            hexUpper(subtype, out);
            out.addAscii("\"}");
        }

        @Override
        void regex(String pattern, String options, Utf8Buffer out) {
            out.addAscii("{\"$regex\": ");
            JsonStrings.quote(pattern, out);
            out.addAscii(", \"$options\": ");
            JsonStrings.quote(options, out);
            out.add((byte) '}');
        }
    }

    /// Extended JSON v2, relaxed.
    static class RelaxedSpelling extends Spelling {
        /// The last millisecond of the year 9999.
        private static final long LAST = 253_402_300_799_999L;

        @Override
        void date(long millis, Utf8Buffer out) {
            if (millis < 0 || millis > LAST) {
                ExtendedSpelling.canonicalDate(millis, out);
                return;
            }
            out.addAscii("{\"$date\": \"");
            Dates.writeShortest(millis, out);
            out.addAscii("\"}");
        }

        @Override
        void float64(double value, Utf8Buffer out) {
            if (Double.isFinite(value)) {
                out.decimal(value);
            } else {
                ExtendedSpelling.canonicalDouble(value, out);
            }
        }
    }

    /// Extended JSON v2, canonical.
    static class ExtendedSpelling extends Spelling {
        @Override
        void date(long millis, Utf8Buffer out) {
            canonicalDate(millis, out);
        }

        @Override
        void int32(int value, Utf8Buffer out) {
            out.addAscii("{\"$numberInt\": \"");
            Decimals.write(value, out);
            out.addAscii("\"}");
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
            out.addAscii("{\"$dbPointer\": ");
            super.dbPointer(namespace, in, at, out);
            out.add((byte) '}');
        }

        static void canonicalDate(long millis, Utf8Buffer out) {
            out.addAscii("{\"$date\": ");
            canonicalInt64(millis, out);
            out.add((byte) '}');
        }

        static void canonicalInt64(long value, Utf8Buffer out) {
            out.addAscii("{\"$numberLong\": \"");
            Decimals.write(value, out);
            out.addAscii("\"}");
        }

        static void canonicalDouble(double value, Utf8Buffer out) {
            out.addAscii("{\"$numberDouble\": \"");
            out.decimal(value);
            out.addAscii("\"}");
        }
    }

    /// JSON as the Atlas Data API wrote it for `application/json`.
    private static final class PlainSpelling extends Spelling {
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

    /// What the `mongo` shell reads.
    private static final class ShellSpelling extends Spelling {
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
}
