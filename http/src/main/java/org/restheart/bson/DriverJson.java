package org.restheart.bson;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.regex.Pattern;
import org.bson.BSONException;
import org.bson.BsonType;
import org.bson.json.JsonParseException;
import org.bson.json.JsonReader;
import org.restheart.bson.JsonParser.Tail;

/// Reads whatever the MongoDB driver's parser accepts, by that parser: Extended JSON v1 and v2 in all forms and the
/// `mongo` shell's dialect (`ObjectId("…")`, bare names, single quotes, `/re/i`, a comma at the end, anything after the
/// value). Slower than [StrictJson]; decides for every text that [StrictJson] does not read.
final class DriverJson {
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

    private final JsonReader reader;
    private final BsonSink sink;

    private DriverJson(JsonReader reader, BsonSink sink) {
        this.reader = reader;
        this.sink = sink;
    }

    /// @param tail decides about what follows the value
    /// @throws MalformedJsonException if that parser refuses the text, or it passes a bound, or is not UTF-8
    static void read(byte[] utf8, BsonSink sink, Tail tail) {
        String given = decode(utf8);
        if (!given.isEmpty() && given.charAt(0) == '\uFEFF') {
            throw new MalformedJsonException("the text begins with a byte order mark (U+FEFF); save it without");
        }
        LongDigits.refuse(given);
        String text = ShellJson.rewrite(given);
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
}
