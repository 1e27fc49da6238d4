package org.restheart.perftest.load;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/// Finds the end of each response in a stream of bytes that arrives in pieces of any size; keeps only the status.
///
/// Understands what RFC 9112 section 6 calls Content-Length and chunked framing, interim 1xx responses, and
/// responses without content (204, 304). A response framed by the end of the connection is refused: no measured
/// server may send one. Not thread-safe.
final class ResponseParser {
    private static final int MAX_LINE = 16 * 1024;
    private static final int MAX_LINES = 200;

    private enum Expecting {
        STATUS_LINE,
        FIELD_LINE,
        CONTENT,
        CHUNK_SIZE,
        CHUNK,
        CHUNK_END,
        TRAILER
    }

    private Expecting expecting = Expecting.STATUS_LINE;
    private byte[] line = new byte[256];
    private int lineLength;
    private int lines;
    private int status;
    private long remaining;
    private boolean lengthKnown;
    private boolean chunked;
    private boolean closing;

    /// Consumes bytes up to the end of one response at most.
    ///
    /// @return whether a response is complete; bytes that remain belong to the next one
    boolean advance(ByteBuffer in) throws ProtocolException {
        while (in.hasRemaining()) {
            var complete = switch (expecting) {
                case CONTENT, CHUNK -> content(in);
                case STATUS_LINE, FIELD_LINE, CHUNK_SIZE, CHUNK_END, TRAILER -> lineComplete(in) && line();
            };
            if (complete) {
                expecting = Expecting.STATUS_LINE;
                return true;
            }
        }
        return false;
    }

    /// Of the last complete response.
    int status() {
        return status;
    }

    /// Whether the server announced that it will close the connection after the last complete response.
    boolean closing() {
        return closing;
    }

    /// Forgets a half-received response, for a new connection.
    void reset() {
        expecting = Expecting.STATUS_LINE;
        lineLength = 0;
        lines = 0;
    }

    private boolean content(ByteBuffer in) {
        var n = (int) Math.min(remaining, in.remaining());
        in.position(in.position() + n);
        remaining -= n;
        if (remaining > 0) {
            return false;
        }
        if (expecting == Expecting.CHUNK) {
            expecting = Expecting.CHUNK_END;
            return false;
        }
        return true;
    }

    /// Gathers one line without its end, which is LF with or without CR before it.
    private boolean lineComplete(ByteBuffer in) throws ProtocolException {
        for (int i = in.position(), end = in.limit(); i < end; i++) {
            var b = in.get(i);
            if (b == '\n') {
                in.position(i + 1);
                if (lineLength > 0 && line[lineLength - 1] == '\r') {
                    lineLength--;
                }
                return true;
            }
            if (lineLength == line.length) {
                grow();
            }
            line[lineLength++] = b;
        }
        in.position(in.limit());
        return false;
    }

    private void grow() throws ProtocolException {
        if (line.length >= MAX_LINE) {
            throw new ProtocolException("line longer than " + MAX_LINE + " bytes");
        }
        line = Arrays.copyOf(line, line.length * 2);
    }

    /// @return whether the response ends with this line
    private boolean line() throws ProtocolException {
        var length = lineLength;
        lineLength = 0;
        return switch (expecting) {
            case STATUS_LINE -> statusLine(length);
            case FIELD_LINE -> length == 0 ? head() : fieldLine(length);
            case CHUNK_SIZE -> chunkSize(length);
            case CHUNK_END -> {
                expecting = Expecting.CHUNK_SIZE;
                yield false;
            }
            case TRAILER -> length == 0;
            case CONTENT, CHUNK -> throw new IllegalStateException("content has no lines");
        };
    }

    private boolean statusLine(int length) throws ProtocolException {
        if (length < 12 || line[0] != 'H' || line[8] != ' ') {
            throw new ProtocolException("not a status line");
        }
        status = (line[9] - '0') * 100 + (line[10] - '0') * 10 + line[11] - '0';
        if (status < 100 || status > 599) {
            throw new ProtocolException("not a status line");
        }
        remaining = 0;
        lengthKnown = false;
        chunked = false;
        closing = false;
        lines = 0;
        expecting = Expecting.FIELD_LINE;
        return false;
    }

    private boolean fieldLine(int length) throws ProtocolException {
        if (++lines > MAX_LINES) {
            throw new ProtocolException("more than " + MAX_LINES + " header fields");
        }
        switch (line[0] | 0x20) {
            case 'c' -> {
                if (isField("content-length:", length)) {
                    remaining = decimal("content-length:".length(), length);
                    lengthKnown = true;
                } else if (isField("connection:", length)) {
                    closing = endsWith("close", length);
                }
            }
            case 't' -> {
                if (isField("transfer-encoding:", length)) {
                    chunked = endsWith("chunked", length);
                }
            }
            default -> {
                // no other field says where a response ends
            }
        }
        return false;
    }

    private boolean head() throws ProtocolException {
        if (status < 200) {
            expecting = Expecting.STATUS_LINE;
            return false;
        }
        if (status == 204 || status == 304) {
            return true;
        }
        if (chunked) {
            expecting = Expecting.CHUNK_SIZE;
            return false;
        }
        if (!lengthKnown) {
            throw new ProtocolException("response without a length");
        }
        expecting = Expecting.CONTENT;
        return remaining == 0;
    }

    private boolean chunkSize(int length) throws ProtocolException {
        long size = 0;
        var i = 0;
        for (; i < length && line[i] != ';' && line[i] != ' '; i++) {
            var digit = Character.digit(line[i], 16);
            if (digit < 0 || size > Integer.MAX_VALUE) {
                throw new ProtocolException("not a chunk size");
            }
            size = size * 16 + digit;
        }
        if (i == 0) {
            throw new ProtocolException("not a chunk size");
        }
        remaining = size;
        expecting = size == 0 ? Expecting.TRAILER : Expecting.CHUNK;
        return false;
    }

    private boolean isField(String lowerCaseNameWithColon, int length) {
        if (length < lowerCaseNameWithColon.length()) {
            return false;
        }
        for (var i = 0; i < lowerCaseNameWithColon.length() - 1; i++) {
            if ((line[i] | 0x20) != lowerCaseNameWithColon.charAt(i)) {
                return false;
            }
        }
        return line[lowerCaseNameWithColon.length() - 1] == ':';
    }

    private boolean endsWith(String lowerCase, int length) {
        var from = length - lowerCase.length();
        for (var i = 0; i < lowerCase.length(); i++) {
            if (from < 0 || (line[from + i] | 0x20) != lowerCase.charAt(i)) {
                return false;
            }
        }
        return true;
    }

    private long decimal(int from, int length) throws ProtocolException {
        long value = 0;
        var digits = 0;
        for (var i = from; i < length; i++) {
            if (line[i] == ' ' || line[i] == '\t') {
                continue;
            }
            var digit = line[i] - '0';
            if (digit < 0 || digit > 9 || ++digits > 12) {
                throw new ProtocolException("not a content length");
            }
            value = value * 10 + digit;
        }
        if (digits == 0) {
            throw new ProtocolException("not a content length");
        }
        return value;
    }
}
