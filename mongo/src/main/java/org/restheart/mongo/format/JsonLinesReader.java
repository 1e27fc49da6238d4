package org.restheart.mongo.format;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Problem;

/// Reads a document from each line that is not blank (NDJSON, ndjson.org).
public final class JsonLinesReader implements DocumentReader {
    private final LineReader lines;

    public JsonLinesReader(InputStream in) {
        // The JSON of a document of 16 MiB may be longer, but documents of that size are not sent as lines.
        this.lines = new LineReader(in, MAX_LENGTH);
    }

    @Override
    public @Nullable Entry next() throws IOException {
        var line = lines.next();
        if (line == null) {
            return null;
        }
        if (line.content() == null) {
            return new Entry.Malformed(line.number(), Problem.of(CONTENT_TOO_LARGE, "the line is longer than 16 MiB"));
        }
        try {
            return new Entry.Parsed(line.number(), JsonParser.parseWhole(line.content()));
        } catch (MalformedJsonException e) {
            var hint = e.isAfterTheEnd()
                    ? "; each document needs a line of its own (curl: --data-binary, as -d removes line ends)"
                    : "";
            return new Entry.Malformed(
                    line.number(), Problem.of(CONTENT_INVALID, "Invalid JSON. " + e.getMessage() + hint));
        }
    }
}
