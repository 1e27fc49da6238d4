package org.restheart.bson;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.SignStyle;
import java.time.temporal.ChronoField;
import java.util.HexFormat;
import java.util.Locale;
import org.bson.types.Decimal128;

/// How a [JsonMode] writes the types that JSON lacks: a method for each type, with what the modes write. What all modes
/// write alike is not here.
///
/// @param hidesTags whether the entity tags of documents are left out
record JsonFormat(Form form, boolean hidesTags) {
    enum Form {
        /// As [#RELAXED], but every date is a number.
        DEFAULT,
        /// Extended JSON v2, relaxed.
        RELAXED,
        /// Extended JSON v1, strict. Doubles that are not finite are bare words, which is not JSON.
        STRICT,
        /// Extended JSON v2, canonical.
        CANONICAL,
        /// What the `mongo` shell reads.
        SHELL,
        /// What JSON and JavaScript have, and strings for the rest.
        PLAIN,
        /// JSON as the Atlas Data API wrote it for `application/json`.
        ATLAS
    }

    /// The last millisecond of the year 9999.
    private static final long LAST = 253_402_300_799_999L;

    /// From the year 1583, the first whole year of the Gregorian calendar.
    private static final long FIRST = -12_212_553_600_000L;

    /// The range of dates that the shell reads as `ISODate`, in milliseconds since 1970; others are numbers.
    private static final long FIRST_OF_SHELL = -59_014_396_800_000L;

    private static final long LAST_OF_SHELL = 253_399_536_000_000L;

    private static final DateTimeFormatter WITH_MILLIS =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSX", Locale.ROOT);

    private static final DateTimeFormatter EXPANDED = new DateTimeFormatterBuilder()
            .appendValue(ChronoField.YEAR, 6, 10, SignStyle.ALWAYS)
            .appendPattern("-MM-dd'T'HH:mm:ss.SSSX")
            .toFormatter(Locale.ROOT);

    /// The integers that a double can hold.
    private static final long EXACT = 1L << 53;

    private static final byte UUID = 4;
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    static JsonFormat of(JsonMode mode) {
        return switch (mode) {
            case DEFAULT -> new JsonFormat(Form.DEFAULT, false);
            case RELAXED -> new JsonFormat(Form.RELAXED, false);
            case STRICT -> new JsonFormat(Form.STRICT, false);
            case EXTENDED, EXTENDED_UNTAGGED -> new JsonFormat(Form.CANONICAL, mode == JsonMode.EXTENDED_UNTAGGED);
            case SHELL -> new JsonFormat(Form.SHELL, false);
            case PLAIN -> new JsonFormat(Form.PLAIN, false);
            case ATLAS, ATLAS_UNTAGGED -> new JsonFormat(Form.ATLAS, mode == JsonMode.ATLAS_UNTAGGED);
        };
    }

    /// Whether code and symbols are written as their text alone.
    boolean unwrapsText() {
        return form == Form.PLAIN || form == Form.ATLAS;
    }

    /// @param millis since 1970
    void date(long millis, Utf8Buffer out) {
        switch (form) {
            // with a blank before the closing brace, as clients of this mode have always received it
            case DEFAULT -> out.ascii("{\"$date\": ").decimal(millis).ascii(" }");
            case STRICT -> out.ascii("{\"$date\": ").decimal(millis).put('}');
            case RELAXED, CANONICAL -> {
                if (form == Form.CANONICAL || millis < 0 || millis > LAST) {
                    out.ascii("{\"$date\": {\"$numberLong\": \"")
                            .decimal(millis)
                            .ascii("\"}}");
                } else {
                    out.ascii("{\"$date\": \"");
                    Dates.writeShortest(millis, out);
                    out.ascii("\"}");
                }
            }
            case PLAIN, ATLAS -> {
                out.put('"');
                if (millis >= FIRST && millis <= LAST) {
                    Dates.writeWithMillis(millis, out);
                } else {
                    var instant = Instant.ofEpochMilli(millis);
                    out.ascii(form == Form.PLAIN ? ofJavaScript(instant) : instant.toString());
                }
                out.put('"');
            }
            case SHELL -> {
                if (millis >= FIRST_OF_SHELL && millis <= LAST_OF_SHELL) {
                    out.ascii("ISODate(\"");
                    Dates.writeWithMillis(millis, out);
                    out.ascii("\")");
                } else {
                    out.ascii("new Date(").decimal(millis).put(')');
                }
            }
        }
    }

    /// As `toISOString` of JavaScript, whose `Date` reads years beyond four digits with a sign and six.
    private static String ofJavaScript(Instant instant) {
        var utc = instant.atOffset(ZoneOffset.UTC);
        return (utc.getYear() < 0 || utc.getYear() > 9999 ? EXPANDED : WITH_MILLIS).format(utc);
    }

    void int32(int value, Utf8Buffer out) {
        if (form == Form.CANONICAL) {
            out.ascii("{\"$numberInt\": \"").decimal(value).ascii("\"}");
        } else {
            out.decimal(value);
        }
    }

    void int64(long value, Utf8Buffer out) {
        switch (form) {
            case DEFAULT, RELAXED, ATLAS -> out.decimal(value);
            case STRICT, CANONICAL ->
                out.ascii("{\"$numberLong\": \"").decimal(value).ascii("\"}");
            case PLAIN -> {
                if (value >= -EXACT && value <= EXACT) {
                    out.decimal(value);
                } else {
                    out.ascii("\"").decimal(value).put('"');
                }
            }
            case SHELL -> { // whose numbers are doubles, so that it reads a long value as a string
                boolean isShort = value == (int) value;
                out.ascii(isShort ? "NumberLong(" : "NumberLong(\"")
                        .decimal(value)
                        .ascii(isShort ? ")" : "\")");
            }
        }
    }

    void float64(double value, Utf8Buffer out) {
        boolean isFinite = Double.isFinite(value);
        switch (form) {
            case STRICT, SHELL -> out.decimal(value);
            case DEFAULT, RELAXED, CANONICAL -> {
                if (form == Form.CANONICAL || !isFinite) {
                    out.ascii("{\"$numberDouble\": \"").decimal(value).ascii("\"}");
                } else {
                    out.decimal(value);
                }
            }
            case PLAIN -> {
                if (isFinite) {
                    out.decimal(value);
                } else {
                    out.ascii("null");
                }
            }
            case ATLAS -> {
                if (!isFinite) {
                    out.ascii("\"" + value + "\"");
                } else if (value == Math.rint(value) && Math.abs(value) < 1e15) {
                    out.decimal((long) value);
                } else {
                    out.decimal(value);
                }
            }
        }
    }

    void decimal128(Decimal128 value, Utf8Buffer out) {
        out.ascii(
                switch (form) {
                    case PLAIN, ATLAS -> "\"" + value + "\"";
                    case SHELL -> "NumberDecimal(\"" + value + "\")";
                    default -> "{\"$numberDecimal\": \"" + value + "\"}";
                });
    }

    /// @param at where the twelve bytes begin
    void objectId(byte[] in, int at, Utf8Buffer out) {
        switch (form) {
            case PLAIN, ATLAS -> out.ascii("\"").hex(in, at, at + 12).put('"');
            case SHELL -> out.ascii("ObjectId(\"").hex(in, at, at + 12).ascii("\")");
            default -> out.ascii("{\"$oid\": \"").hex(in, at, at + 12).ascii("\"}");
        }
    }

    void binary(byte subtype, byte[] in, int from, int to, Utf8Buffer out) {
        switch (form) {
            case DEFAULT, RELAXED, CANONICAL -> {
                out.ascii("{\"$binary\": {\"base64\": \"").base64(in, from, to);
                out.ascii("\", \"subType\": \"" + HEX.toHexDigits(subtype) + "\"}}");
            }
            case STRICT -> {
                out.ascii("{\"$binary\": \"").base64(in, from, to);
                out.ascii("\", \"$type\": \"" + HEX.toHexDigits(subtype) + "\"}");
            }
            case SHELL -> {
                out.ascii("new BinData(").decimal(subtype & 0xff);
                out.ascii(", \"").base64(in, from, to).ascii("\")");
            }
            case PLAIN -> {
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
            case ATLAS -> {
                out.ascii("{\"Subtype\": ").decimal(subtype & 0xff);
                out.ascii(", \"Data\": \"").base64(in, from, to).ascii("\"}");
            }
        }
    }

    void regex(String pattern, String options, Utf8Buffer out) {
        switch (form) {
            case DEFAULT, RELAXED, CANONICAL -> {
                out.ascii("{\"$regularExpression\": {\"pattern\": ").quoted(pattern);
                out.ascii(", \"options\": ").quoted(options).ascii("}}");
            }
            case STRICT -> {
                out.ascii("{\"$regex\": ").quoted(pattern);
                out.ascii(", \"$options\": ").quoted(options).put('}');
            }
            case SHELL -> out.text("/" + (pattern.isEmpty() ? "(?:)" : pattern.replace("/", "\\/")) + "/" + options);
            case PLAIN -> out.quoted("/" + pattern + "/" + options);
            case ATLAS -> {
                out.ascii("{\"Pattern\": ").quoted(pattern);
                out.ascii(", \"Options\": ").quoted(options).put('}');
            }
        }
    }

    /// @param seconds unsigned
    /// @param increment unsigned
    void timestamp(int seconds, int increment, Utf8Buffer out) {
        long time = Integer.toUnsignedLong(seconds);
        long number = Integer.toUnsignedLong(increment);
        switch (form) {
            case SHELL -> {
                out.ascii("Timestamp(").decimal(seconds);
                out.ascii(", ").decimal(increment).put(')');
            }
            case ATLAS -> {
                out.ascii("{\"T\": ").decimal(time);
                out.ascii(", \"I\": ").decimal(number).put('}');
            }
            default -> {
                out.ascii("{\"$timestamp\": {\"t\": ").decimal(time);
                out.ascii(", \"i\": ").decimal(number).ascii("}}");
            }
        }
    }

    /// @param at where the twelve bytes of the id begin
    void dbPointer(String namespace, byte[] in, int at, Utf8Buffer out) {
        if (form == Form.ATLAS) {
            out.ascii("{}");
            return;
        }
        out.ascii(form == Form.CANONICAL ? "{\"$dbPointer\": {\"$ref\": " : "{\"$ref\": ");
        out.quoted(namespace).ascii(", \"$id\": ");
        objectId(in, at, out);
        out.ascii(form == Form.CANONICAL ? "}}" : "}");
    }

    void undefined(Utf8Buffer out) {
        out.ascii(
                switch (form) {
                    case PLAIN, ATLAS -> "null";
                    case SHELL -> "undefined";
                    default -> "{\"$undefined\": true}";
                });
    }

    void minKey(Utf8Buffer out) {
        out.ascii(form == Form.ATLAS ? "{}" : form == Form.SHELL ? "MinKey" : "{\"$minKey\": 1}");
    }

    void maxKey(Utf8Buffer out) {
        out.ascii(form == Form.ATLAS ? "{}" : form == Form.SHELL ? "MaxKey" : "{\"$maxKey\": 1}");
    }
}
