package org.restheart.bson;

import java.io.Reader;
import java.time.DateTimeException;
import org.bson.BSONException;
import org.bson.BsonType;
import org.bson.json.JsonParseException;
import org.bson.json.JsonReader;

/// The position at which the driver's parser refused a text or ended. The parser does not report it, so the text is
/// parsed again from a reader that counts the characters read. Confined to one call.
final class StopPosition extends Reader {
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
        } catch (JsonParseException | BSONException | IllegalArgumentException | DateTimeException | AssertionError _) {
            return position.toString();
        }
    }

    /// The index behind the document or array with which a text begins.
    ///
    /// @param text of which the parser has accepted this value
    static int end(String text) {
        var position = new StopPosition(text);
        try (var reader = new JsonReader(position)) {
            skip(reader, reader.readBsonType());
        }
        return position.taken;
    }

    /// As the reader's own method, which does not get past code with a scope.
    private static void skip(JsonReader reader, BsonType type) {
        switch (type) {
            case DOCUMENT -> skipFields(reader);
            case ARRAY -> {
                reader.readStartArray();
                for (var next = reader.readBsonType(); next != BsonType.END_OF_DOCUMENT; next = reader.readBsonType()) {
                    skip(reader, next);
                }
                reader.readEndArray();
            }
            case JAVASCRIPT_WITH_SCOPE -> {
                reader.readJavaScriptWithScope();
                skipFields(reader);
            }
            default -> reader.skipValue();
        }
    }

    private static void skipFields(JsonReader reader) {
        reader.readStartDocument();
        for (var next = reader.readBsonType(); next != BsonType.END_OF_DOCUMENT; next = reader.readBsonType()) {
            reader.skipName();
            skip(reader, next);
        }
        reader.readEndDocument();
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
