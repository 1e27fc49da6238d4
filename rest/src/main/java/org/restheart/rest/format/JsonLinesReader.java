package org.restheart.rest.format;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
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

    /// Splits a stream into its lines, in memory of the longest line's size. A byte order mark is skipped. Confined to
    /// one request.
    private static final class LineReader {
        private static final int BUFFER = 64 * 1024;

        private static final byte[] BYTE_ORDER_MARK = "\uFEFF".getBytes(StandardCharsets.UTF_8);

        private final InputStream in;
        private final int maxLength;
        private final byte[] buffer = new byte[BUFFER];
        private int from;
        private int to;
        private long number;

        /// @param maxLength of a line, in bytes
        LineReader(InputStream in, int maxLength) {
            this.in = in;
            this.maxLength = maxLength;
        }

        /// @param number from 1
        /// @param content without the line's end; null for a line that is too long
        @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
        record Line(long number, byte @Nullable [] content) {}

        /// The next line that is not blank; null at the end.
        @Nullable
        Line next() throws IOException {
            while (from < to || fill()) {
                number++;
                var content = number == 1 ? withoutMark(line()) : line();
                if (content == null || !isBlank(content)) {
                    return new Line(number, content);
                }
            }
            return null;
        }

        private byte @Nullable [] line() throws IOException {
            var line = new ByteArrayOutputStream();
            boolean tooLong = false;
            while (true) {
                int end = from;
                while (end < to && buffer[end] != '\n') {
                    end++;
                }
                tooLong |= (long) line.size() + end - from > maxLength;
                if (!tooLong) {
                    line.write(buffer, from, end - from);
                }
                boolean complete = end < to;
                from = complete ? end + 1 : to;
                if (complete || !fill()) {
                    return tooLong ? null : line.toByteArray();
                }
            }
        }

        private static byte @Nullable [] withoutMark(byte @Nullable [] line) {
            int length = BYTE_ORDER_MARK.length;
            return line != null && line.length >= length && Arrays.equals(line, 0, length, BYTE_ORDER_MARK, 0, length)
                    ? Arrays.copyOfRange(line, length, line.length)
                    : line;
        }

        private boolean fill() throws IOException {
            int n = in.read(buffer, 0, BUFFER);
            from = 0;
            to = Math.max(n, 0);
            return n > 0;
        }

        private static boolean isBlank(byte[] line) {
            for (byte b : line) {
                if (b > ' ' || b < 0) {
                    return false;
                }
            }
            return true;
        }
    }
}
