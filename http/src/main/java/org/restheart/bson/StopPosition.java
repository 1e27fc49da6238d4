package org.restheart.bson;

import java.io.Reader;
import java.time.DateTimeException;
import org.bson.BSONException;
import org.bson.json.JsonParseException;
import org.bson.json.JsonReader;

/// The position at which the driver's parser refused a text. The parser does not report it, so the text is parsed again
/// from a reader that counts the characters read. Confined to one call.
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
        int line = 1;
        int lineStart = 0;
        for (int i = 0; i < taken - 1; i++) {
            if (text.charAt(i) == '\n') {
                line++;
                lineStart = i + 1;
            }
        }
        return " (line " + line + ", column " + Math.max(1, taken - lineStart) + ")";
    }
}
