package org.restheart.rest.format;

import static org.restheart.http.ProblemCode.CONTENT_INVALID;
import static org.restheart.http.ProblemCode.CONTENT_TOO_LARGE;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.JsonParser;
import org.restheart.bson.MalformedJsonException;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;

/// Reads the documents of a JSON array, or documents that follow each other, however their lines are broken; record
/// separators between them count as blanks (RFC 7464, JSON text sequences).
public final class JsonDocumentReader implements DocumentReader {
    public static final String SEQUENCE = "application/json-seq";

    private static final int BUFFER = 64 << 10;

    /// Some programs write it before any UTF-8.
    private static final byte[] BYTE_ORDER_MARK = "\uFEFF".getBytes(StandardCharsets.UTF_8);

    private final InputStream in;
    private long number;
    private long line = 1;
    private boolean atStart = true;
    private boolean begun;
    private boolean inArray;
    private boolean ended;

    public JsonDocumentReader(InputStream in) {
        this.in = new BufferedInputStream(in, BUFFER);
    }

    @Override
    public @Nullable Entry next() throws IOException {
        int first = begin();
        if (first < 0) {
            return null;
        }
        number++;
        if (first != '{') {
            throw broken("is none");
        }
        var text = document();
        if (text == null) {
            return new Entry.Malformed(number, Problem.of(CONTENT_TOO_LARGE, "the document is longer than 16 MiB"));
        }
        try {
            return new Entry.Parsed(number, JsonParser.parse(text));
        } catch (MalformedJsonException e) {
            return new Entry.Malformed(number, Problem.of(CONTENT_INVALID, "Invalid JSON. " + e.getMessage()));
        }
    }

    /// The first byte of the next document; negative at the end.
    private int begin() throws IOException {
        if (atStart) {
            atStart = false;
            in.mark(BYTE_ORDER_MARK.length);
            if (!Arrays.equals(in.readNBytes(BYTE_ORDER_MARK.length), BYTE_ORDER_MARK)) {
                in.reset();
            }
        }
        while (!ended) {
            int next = read();
            if (next == '[' && !begun) {
                begun = true;
                inArray = true;
            } else if (next < 0 && inArray) { // as when a download broke off
                throw invalid("The array does not end: there is no ] after document " + number);
            } else if (next == ']' && !inArray) {
                throw invalid("The ] in line " + line + " closes no array");
            } else if (next == ']') {
                requireNothingMore();
                ended = true;
            } else if (next < 0) {
                ended = true;
            } else if (next > ' ' && next != ',') {
                begun = true;
                return next;
            }
        }
        return -1;
    }

    /// As when two files were joined: the rest would be lost.
    private void requireNothingMore() throws IOException {
        for (int next = read(); next >= 0; next = read()) {
            if (next > ' ') {
                throw invalid("There is content after the end of the array, in line " + line);
            }
        }
    }

    private int read() throws IOException {
        int next = in.read();
        if (next == '\n') {
            line++;
        }
        return next;
    }

    /// The text from its brace, which was read, to the one that closes it; null if it is too long.
    private byte @Nullable [] document() throws IOException {
        var text = new ByteArrayOutputStream();
        text.write('{');
        boolean quoted = false;
        boolean escaped = false;
        boolean tooLong = false;
        for (int depth = 1; depth > 0; ) {
            int next = read();
            if (next < 0) {
                throw broken("does not end");
            }
            if (quoted) {
                quoted = escaped || next != '"';
                escaped = !escaped && next == '\\';
            } else if (next == '"') {
                quoted = true;
            } else if (next == '{') {
                depth++;
            } else if (next == '}') {
                depth--;
            }
            tooLong |= text.size() >= MAX_LENGTH;
            if (!tooLong) {
                text.write(next);
            }
        }
        return tooLong ? null : text.toByteArray();
    }

    private ProblemException broken(String reason) {
        return invalid("Document " + number + " " + reason);
    }

    private static ProblemException invalid(String reason) {
        return new ProblemException(CONTENT_INVALID, "Invalid JSON. " + reason + ".");
    }
}
