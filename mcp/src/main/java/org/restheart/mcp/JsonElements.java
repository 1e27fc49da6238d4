package org.restheart.mcp;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.function.Predicate;
import org.bson.BsonDocument;
import org.restheart.bson.JsonParser;
import org.restheart.http.Content;

/// Reads the objects of a JSON array one at a time. Confined to one thread.
///
/// The text was written by this server, so it is not validated.
final class JsonElements {
    private final InputStream in;
    private final byte[] buffer = new byte[8_192];
    private int at;
    private int end;

    private JsonElements(InputStream array) {
        this.in = array;
    }

    /// Passes on the objects of an array, until one is not accepted. Closes the array, which may also be no content.
    ///
    /// @throws IOException if it cannot be read to its end, and any exception of its source
    static void read(Content array, Predicate<BsonDocument> accepts) throws IOException {
        try (var in = Content.stream(array)) {
            var elements = new JsonElements(in);
            elements.read(); // the bracket
            for (var next = elements.next(); next.isPresent(); next = elements.next()) {
                if (!accepts.test(JsonParser.parseDocument(next.get()))) {
                    return;
                }
            }
        }
    }

    /// The next element; empty at the end, also for content without an array.
    private Optional<byte[]> next() throws IOException {
        int c = read();
        while (c == ' ' || c == ',' || c == '\n') {
            c = read();
        }
        if (c < 0 || c == ']') {
            return Optional.empty();
        }
        var element = new ByteArrayOutputStream();
        int depth = 0;
        boolean quoted = false;
        for (; c >= 0; c = read()) {
            element.write(c);
            if (quoted) {
                if (c == '\\') {
                    element.write(read());
                } else if (c == '"') {
                    quoted = false;
                }
            } else if (c == '"') {
                quoted = true;
            } else if (c == '{' || c == '[') {
                depth++;
            } else if ((c == '}' || c == ']') && --depth == 0) {
                break;
            }
        }
        return Optional.of(element.toByteArray());
    }

    private int read() throws IOException {
        if (at == end) {
            at = 0;
            end = in.read(buffer, 0, buffer.length);
            if (end <= 0) {
                end = 0;
                return -1;
            }
        }
        return buffer[at++] & 0xff;
    }
}
