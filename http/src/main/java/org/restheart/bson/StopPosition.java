package org.restheart.bson;

import java.io.Reader;
import java.time.DateTimeException;
import org.bson.BSONException;
import org.bson.json.JsonParseException;
import org.bson.json.JsonReader;

/// The position at which the driver's parser refused a text or ended. The parser does not report it: a text that it
/// refused is parsed again from a reader that counts the characters read. Confined to one call.
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

    /// The index behind the document or array with which a text begins. Found by its brackets: the driver's parser
    /// cannot go back to a bare name, such as `$regex`, when it reads from a reader.
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
