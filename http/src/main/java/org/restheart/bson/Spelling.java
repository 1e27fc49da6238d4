package org.restheart.bson;

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
}
