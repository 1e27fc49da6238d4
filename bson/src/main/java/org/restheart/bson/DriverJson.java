package org.restheart.bson;

import java.io.Reader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoField;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.bson.AbstractBsonReader;
import org.bson.BSONException;
import org.bson.BsonBinaryReader;
import org.bson.BsonSerializationException;
import org.bson.BsonType;
import org.bson.json.JsonParseException;
import org.bson.json.JsonReader;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser.Tail;

/// Reads whatever the MongoDB driver's parser accepts, by that parser: Extended JSON v1 and v2 in all forms
/// and the `mongo` shell's dialect (`ObjectId("…")`, bare names, single quotes, `/re/i`, a comma at the end,
/// anything after the value). Slower than [StrictJson]; decides for every text that [StrictJson] does not
/// read.
record DriverJson(AbstractBsonReader reader, BsonSink sink) {
    /// Each is tried in turn.
    private static final List<Rewording> REWORDINGS = List.of(
            Rewording.of("JSON reader .*expect\\w+ (.+) but found '<eof>'\\.?", "the text ends before the value does"),
            Rewording.of("JSON reader .*expect\\w+ (.+) but found '(.*)'\\.?", "there is '$2' where $1 is expected"),
            Rewording.of("End of file.*|Trying to read past EOF.*", "the text ends before the value does"),
            Rewording.of("state should be: hexString.*|invalid hexadecimal.*", "an ObjectId has 24 hexadecimal digits"),
            Rewording.of(".*'(.*)' to type java\\.lang\\.Long", "'$1' is not an integer of 64 bits"),
            Rewording.of(".*'(.*)' to type java\\.lang\\.Integer", "'$1' is not an integer of 32 bits"),
            Rewording.of(".*'(.*)' to type [\\w.]+", "'$1' is not a number"),
            Rewording.of(
                    "For input string: [\"'](-?\\d{19,})[\"'].*",
                    "'$1' is too large for an integer, which has 64 bits (a \\$numberDecimal has 34 digits)"),
            Rewording.of("For input string: [\"'](.*)[\"'].*", "'$1' is not a number"),
            Rewording.of(".*[Bb]ase64.*", "the binary value is not base64"),
            Rewording.of("JSON reader expects \\$uuid.*|.*UUID string.*", "a UUID has 36 characters"),
            Rewording.of("Invalid JSON (.*)", "there is an invalid $1"),
            Rewording.of("(?:JSON reader )?(?:[a-z]+\\.)+\\w+(?:Exception|Error): (.*)", "$1"));

    /// @param tail decides about what follows the value
    /// @throws MalformedJsonException if that parser refuses the text, or it passes a bound, or is not UTF-8
    static void read(byte[] utf8, BsonSink sink, Tail tail) {
        String given = decode(utf8);
        if (!given.isEmpty() && given.charAt(0) == '\uFEFF') {
            throw new MalformedJsonException("the text begins with a byte order mark (U+FEFF); save it without");
        }
        String text = ShellJson.rewrite(given);
        LongDigits.refuse(text);
        try (var reader = new JsonReader(text)) {
            var type = reader.readBsonType();
            if (type == BsonType.END_OF_DOCUMENT) {
                throw new MalformedJsonException("there is no value");
            }
            new DriverJson(reader, sink).value(type);
            if (type == BsonType.DOCUMENT || type == BsonType.ARRAY) {
                tail.check(text, StopPosition.end(text));
            }
        } catch (JsonParseException | BSONException | IllegalArgumentException | DateTimeException | AssertionError e) {
            // the driver asserts the range of a decimal's exponent
            throw MalformedJsonException.quoting(reworded(e), text.equals(given) ? StopPosition.of(text) : "");
        }
    }

    /// Copies the bytes of a document, as checked by the driver.
    ///
    /// @throws RuntimeException as [RawDocuments#checked]
    static void copy(byte[] bson, BsonSink sink) {
        try (var reader = new BsonBinaryReader(ByteBuffer.wrap(bson))) {
            new DriverJson(reader, sink).document();
            if (reader.getBsonInput().hasRemaining()) {
                throw new BsonSerializationException("The document ends before its length.");
            }
        }
    }

    /// The driver's message, for people who know neither its classes nor its terms.
    private static String reworded(Throwable refusal) {
        if (refusal.getCause() instanceof DateTimeParseException date) {
            return "'" + date.getParsedString() + "' is not a date such as 2024-03-12T21:14:22Z";
        }
        var message = String.valueOf(refusal.getMessage());
        for (var rewording : REWORDINGS) {
            var matcher = rewording.message().matcher(message);
            if (matcher.matches()) {
                return matcher.replaceFirst(rewording.words());
            }
        }
        return message;
    }

    /// @param words for messages that match; `$1` is what the first group has matched
    private record Rewording(Pattern message, String words) {
        static Rewording of(String message, String words) {
            return new Rewording(Pattern.compile(message, Pattern.DOTALL), words);
        }
    }

    /// @throws MalformedJsonException if it is not UTF-8
    static String decode(byte[] utf8) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(utf8))
                    .toString();
        } catch (CharacterCodingException _) {
            throw new MalformedJsonException("the text is not UTF-8");
        }
    }

    private void value(BsonType type) {
        switch (type) {
            case DOUBLE -> sink.float64(reader.readDouble());
            case STRING -> sink.text(BsonTypes.STRING, reader.readString());
            case DOCUMENT -> document();
            case ARRAY -> array();
            case BINARY -> {
                var binary = reader.readBinaryData();
                sink.binary(binary.getType(), binary.getData());
            }
            case NULL, UNDEFINED, MIN_KEY, MAX_KEY -> {
                reader.skipValue();
                sink.type((byte) type.getValue());
            }
            case OBJECT_ID -> sink.objectId(reader.readObjectId().toByteArray());
            case BOOLEAN -> sink.bool(reader.readBoolean());
            case DATE_TIME -> sink.date(reader.readDateTime());
            case REGULAR_EXPRESSION -> {
                var regex = reader.readRegularExpression();
                sink.regex(regex.getPattern(), regex.getOptions());
            }
            case DB_POINTER -> {
                var pointer = reader.readDBPointer();
                sink.dbPointer(pointer.getNamespace(), pointer.getId().toByteArray());
            }
            case JAVASCRIPT -> sink.text(BsonTypes.CODE, reader.readJavaScript());
            case SYMBOL -> sink.text(BsonTypes.SYMBOL, reader.readSymbol());
            case JAVASCRIPT_WITH_SCOPE -> {
                int code = sink.beginCodeWithScope(reader.readJavaScriptWithScope());
                fields();
                sink.endCodeWithScope(code);
            }
            case INT32 -> sink.int32(reader.readInt32());
            case TIMESTAMP -> sink.timestamp(reader.readTimestamp().getValue());
            case INT64 -> sink.int64(reader.readInt64());
            case DECIMAL128 -> sink.decimal128(reader.readDecimal128());
            case END_OF_DOCUMENT -> throw new IllegalStateException("the caller has looked for the end");
        }
    }

    private void document() {
        sink.beginDocument();
        fields();
    }

    private void fields() {
        reader.readStartDocument();
        for (var type = reader.readBsonType(); type != BsonType.END_OF_DOCUMENT; type = reader.readBsonType()) {
            sink.name(reader.readName());
            value(type);
        }
        reader.readEndDocument();
        sink.end();
    }

    private void array() {
        reader.readStartArray();
        sink.beginArray();
        for (var type = reader.readBsonType(); type != BsonType.END_OF_DOCUMENT; type = reader.readBsonType()) {
            sink.nextIndex();
            value(type);
        }
        reader.readEndArray();
        sink.end();
    }

    /// Rewrites to Extended JSON, or refuses, what the driver's parser does not know or changes without a
    /// word:
    ///
    /// - constructors of mongosh: `Long("5")`, `Int32(5)`, `new Date("2024-01-01")`, `Timestamp({t: 1, i:
    ///   2})`;
    /// - dates with an offset as mongoexport 2 writes it: `{"$date": "2009-04-01T00:00:00.000-0700"}`;
    /// - a `$timestamp` beyond 32 bits, a subtype of binary values beyond 8 bits.
    ///
    /// Confined to one call.
    private static final class ShellJson {
        private static final String QUOTED =
                "(?:\"[^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+\"|'[^'\\\\]*+(?:\\\\.[^'\\\\]*+)*+')";
        private static final String NUMBER = "[-+]?(?:[0-9]++(?:\\.[0-9]*+)?(?:[eE][-+]?[0-9]++)?|Infinity|NaN)";
        private static final String ARGUMENT = "(?:" + QUOTED + "|" + NUMBER + ")";
        private static final String COLON = "\\s*+:\\s*+";

        /// Strings and regular expressions match as wholes, so that nothing inside them does.
        private static final Pattern TOKEN = Pattern.compile(
                "(?<key>[\"']?)\\$(?:date\\k<key>" + COLON + "(?<date>" + QUOTED + ")"
                        + "|timestamp\\k<key>" + COLON + "\\{(?<timestamp>[^{}]*+)\\}"
                        + "|binary\\k<key>" + COLON + "\\{[^{}]*?subType[\"']?" + COLON + "(?<subtype>" + ARGUMENT + ")"
                        + "|binary\\k<key>" + COLON + QUOTED + "\\s*+,\\s*+[\"']?\\$type[\"']?" + COLON
                        + "(?<type>" + ARGUMENT + ")"
                        + "|type\\k<key>" + COLON + "(?<before>" + ARGUMENT + ")\\s*+,\\s*+[\"']?\\$binary\\b)"
                        + "|" + QUOTED
                        + "|/(?:[^/\\\\]|\\\\.)++/"
                        + "|(?<![\\w$])(?:new\\s++)?(?:(?<name>[A-Z]\\w*+)\\s*+\\(\\s*+(?:(?<first>"
                        + ARGUMENT
                        + ")\\s*+(?:,\\s*+(?<second>" + ARGUMENT + ")\\s*+)?)?\\)"
                        + "|Timestamp\\s*+\\(\\s*+\\{(?<parts>[^{}]*+)\\}\\s*+\\))",
                Pattern.DOTALL);

        private static final Pattern PART = Pattern.compile("([ti])[\"']?" + COLON + "(-?[0-9]++)");

        private static final DateTimeFormatter DATE = new DateTimeFormatterBuilder()
                .append(DateTimeFormatter.ISO_LOCAL_DATE)
                .appendPattern("['T'][' ']")
                .optionalStart()
                .append(DateTimeFormatter.ISO_LOCAL_TIME)
                .optionalEnd()
                .optionalStart()
                .parseLenient()
                .appendOffset("+HH", "Z")
                .parseStrict()
                .optionalEnd()
                .parseDefaulting(ChronoField.HOUR_OF_DAY, 0)
                .toFormatter()
                .withResolverStyle(ResolverStyle.STRICT);

        private final String text;
        private final Matcher token;
        private final StringBuilder out = new StringBuilder();

        private ShellJson(String text) {
            this.text = text;
            this.token = TOKEN.matcher(text);
        }

        /// The text for the driver's parser: the same one if there is nothing to rewrite.
        ///
        /// @throws MalformedJsonException for values out of range
        static String rewrite(String text) {
            return text.indexOf('(') >= 0
                            || text.contains("$date")
                            || text.contains("$timestamp")
                            || text.contains("$binary")
                    ? new ShellJson(text).rewritten()
                    : text;
        }

        private String rewritten() {
            while (token.find()) {
                var replacement = replacement();
                if (replacement != null) {
                    token.appendReplacement(out, Matcher.quoteReplacement(replacement));
                }
            }
            return out.isEmpty() ? text : token.appendTail(out).toString();
        }

        /// Null for text that stays.
        private @Nullable String replacement() {
            if (token.group("parts") != null) {
                requireParts(token.group("parts"));
                return "{\"$timestamp\": {" + token.group("parts") + "}}";
            }
            if (token.group("name") != null) {
                return constructed(token.group("name"), token.group("first"), token.group("second"));
            }
            if (token.group("date") != null) {
                var before = text.substring(token.start(), token.start("date"));
                return date(inside("date"), true)
                        .map(millis -> before + number("$numberLong", Long.toString(millis)))
                        .orElse(null);
            }
            if (token.group("timestamp") != null) {
                requireParts(token.group("timestamp"));
            }
            requireSubtype(token.group("subtype"));
            requireSubtype(token.group("type"));
            requireSubtype(token.group("before"));
            return null;
        }

        private String inside(String group) {
            var quoted = token.group(group);
            return quoted.substring(1, quoted.length() - 1);
        }

        /// @param first argument, as it stands
        private @Nullable String constructed(String name, @Nullable String first, @Nullable String second) {
            if (first == null) {
                return switch (name) {
                    case "ObjectId" -> field("$oid", new ObjectId().toHexString());
                    case "UUID" -> field("$uuid", UUID.randomUUID().toString());
                    default -> null;
                };
            }
            var plain = first.charAt(0) == '"' || first.charAt(0) == '\'' ? inside("first") : first;
            return switch (name) {
                case "Long" -> number("$numberLong", plain);
                case "Int32" -> number("$numberInt", plain);
                case "Double" -> number("$numberDouble", plain);
                case "Decimal128" -> number("$numberDecimal", plain);
                case "Date", "ISODate" ->
                    plain.equals(first)
                            ? null
                            : date(plain, false)
                                    .map(millis -> "{\"$date\": " + number("$numberLong", Long.toString(millis)) + "}")
                                    .orElse(null);
                case "Timestamp" -> {
                    if (first.startsWith("-") || (second != null && second.startsWith("-"))) {
                        yield null; // signed, as the driver writes them
                    }
                    var parts = "\"t\": " + first + ", \"i\": " + (second == null ? "0" : second);
                    requireParts(parts);
                    yield "{\"$timestamp\": {" + parts + "}}";
                }
                case "BinData", "HexData" -> {
                    requireSubtype(first);
                    yield null;
                }
                default -> null;
            };
        }

        private static String field(String name, String value) {
            return "{\"" + name + "\": \"" + value + "\"}";
        }

        private static String number(String type, String digits) {
            return field(type, digits.startsWith("+") ? digits.substring(1) : digits);
        }

        /// Milliseconds since 1970; empty for what the driver's parser knows or refuses.
        ///
        /// @param withOffset whether it must have an offset; else UTC is the default
        private static Optional<Long> date(String text, boolean withOffset) {
            try {
                var date = DATE.parse(text);
                if (withOffset && !date.isSupported(ChronoField.OFFSET_SECONDS)) {
                    return Optional.empty();
                }
                int offset = date.isSupported(ChronoField.OFFSET_SECONDS) ? date.get(ChronoField.OFFSET_SECONDS) : 0;
                return Optional.of(LocalDateTime.from(date)
                        .toInstant(ZoneOffset.ofTotalSeconds(offset))
                        .toEpochMilli());
            } catch (DateTimeException | ArithmeticException _) {
                return Optional.empty();
            }
        }

        private static void requireParts(String parts) {
            var part = PART.matcher(parts);
            while (part.find()) {
                var digits = part.group(2);
                if (digits.length() > 10 || Long.parseLong(digits) != (Long.parseLong(digits) & 0xffff_ffffL)) {
                    throw new MalformedJsonException(
                            "the " + part.group(1) + " of a timestamp is a whole number from 0 to 4294967295");
                }
            }
        }

        /// @param subtype hexadecimal in quotes, or decimal
        private static void requireSubtype(@Nullable String subtype) {
            boolean valid = subtype == null
                    || subtype.matches("[\"'][0-9a-fA-F]{0,2}[\"']|[01]?[0-9]?[0-9]|2[0-4][0-9]|25[0-5]");
            if (!valid) {
                throw new MalformedJsonException("the subtype of a binary value has 8 bits: \"00\" to \"ff\"");
            }
        }
    }

    /// The position at which the driver's parser refused a text or ended. The parser does not report it: a
    /// text that it refused is parsed again from a reader that counts the characters read. Confined to one
    /// call.
    static final class StopPosition extends Reader {
        /// In a text this short, in one line, no position is needed.
        private static final int SHORT = 80;

        private final String text;
        private int taken;

        private StopPosition(String text) {
            this.text = text;
        }

        /// As ` (line 3, column 14)`; nothing for a short text.
        ///
        /// @param text that the parser refused less than [BsonSink#MAX_DEPTH] levels deep
        static String of(String text) {
            if (text.length() <= SHORT && text.indexOf('\n') < 0) {
                return "";
            }
            var position = new StopPosition(text);
            try (var reader = new JsonReader(position)) {
                reader.readBsonType();
                reader.skipValue();
                return "";
            } catch (JsonParseException
                    | BSONException
                    | IllegalArgumentException
                    | DateTimeException
                    | AssertionError _) {
                return position.toString();
            }
        }

        /// The index behind the document or array with which a text begins. Found by its brackets: the
        /// driver's parser cannot go back to a bare name, such as `$regex`, when it reads from a reader.
        ///
        /// @param text of which the parser has accepted this value
        static int end(String text) {
            int depth = 0;
            for (int i = 0; i < text.length(); i++) {
                char c = text.charAt(i);
                switch (c) {
                    case '"', '\'', '/' -> i = closing(c, text, i + 1);
                    case '{', '[' -> depth++;
                    case '}', ']' -> {
                        if (--depth == 0) {
                            return i + 1;
                        }
                    }
                    default -> {
                        // part of a number or a name
                    }
                }
            }
            return text.length();
        }

        /// The index of the next `mark` that is not escaped: the end of a string or of a regular expression.
        private static int closing(char mark, String text, int from) {
            int at = from;
            while (at < text.length() && text.charAt(at) != mark) {
                at += text.charAt(at) == '\\' ? 2 : 1;
            }
            return at;
        }

        @Override
        public int read() {
            return taken < text.length() ? text.charAt(taken++) : -1;
        }

        @Override
        public int read(char[] target, int from, int length) {
            int c = length == 0 ? 0 : read();
            if (c < 0) {
                return -1;
            }
            if (length > 0) {
                target[from] = (char) c;
            }
            return Math.min(length, 1);
        }

        @Override
        public void close() {
            // nothing is open
        }

        @Override
        public String toString() {
            return at(text, taken);
        }

        /// As ` (line 3, column 14)`.
        ///
        /// @param number of the character, from 1
        static String at(String text, int number) {
            int line = 1;
            int lineStart = 0;
            for (int i = 0; i < number - 1; i++) {
                if (text.charAt(i) == '\n') {
                    line++;
                    lineStart = i + 1;
                }
            }
            return " (line " + line + ", column " + Math.max(1, number - lineStart) + ")";
        }
    }
}
