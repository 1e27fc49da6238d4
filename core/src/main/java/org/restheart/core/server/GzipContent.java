package org.restheart.core.server;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.restheart.http.Body;
import org.restheart.http.Headers;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;

/// Decompresses content that was sent with `Content-Encoding: gzip` (RFC 9110, 8.4). It is inflated when it is
/// read and as far as it is, on a thread that may block; the inflated bytes are bounded and counted like those of other
/// content: a few bytes may become gigabytes.
final class GzipContent {
    private static final int PIECE = 16 * 1024;

    private GzipContent() {}

    static boolean isCoded(Headers headers) {
        return headers.all("Content-Encoding").stream()
                .anyMatch(coding -> !coding.isBlank() && !coding.strip().equalsIgnoreCase("identity"));
    }

    static Body decoded(Body coded, Headers headers, boolean streamed, BodyLimits limits, BodyLimits.Counter counter) {
        return new BufferedBody(pieces -> open(coded, headers, pieces, limits), -1, 0, streamed, limits, counter);
    }

    private static InputStream open(Body coded, Headers headers, boolean pieces, BodyLimits limits) throws IOException {
        var codings = headers.all("Content-Encoding");
        boolean isGzip = codings.size() == 1
                && codings.getFirst().strip().toLowerCase(Locale.ROOT).matches("(x-)?gzip");
        if (!isGzip) {
            throw Problem.of(ProblemCode.CONTENT_TYPE_UNSUPPORTED, "Content-Encoding must be gzip, if there is one")
                    .with("Accept-Encoding", "gzip")
                    .raise();
        }
        return pieces
                ? new Inflated(coded.stream(), limits.streamed(), limits.tooMuch())
                : new Inflated(coded.stream(), limits.perRequest(), limits.contentTooLarge());
    }

    /// Reads consecutive gzip members (RFC 1952, 2.2). The library recurses at each empty member, so that a
    /// client could exhaust the stack.
    private static final class Members extends GZIPInputStream {
        private static final int MAX_EMPTY = 100;

        private int calls;

        Members(InputStream coded) throws IOException {
            super(coded, PIECE);
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            if (calls > MAX_EMPTY) {
                throw new ZipException("too many empty members");
            }
            calls++;
            try {
                return super.read(buffer, offset, length);
            } finally {
                calls--;
            }
        }
    }

    private static final class Inflated extends FilterInputStream {
        private final Problem tooMuch;
        private long left;

        Inflated(InputStream coded, long most, Problem tooMuch) throws IOException {
            super(open(coded));
            this.left = most;
            this.tooMuch = tooMuch;
        }

        private static InputStream open(InputStream coded) throws IOException {
            try {
                return new Members(coded);
            } catch (ZipException | EOFException _) {
                throw malformed();
            }
        }

        private static RuntimeException malformed() {
            return new ProblemException(
                    ProblemCode.CONTENT_INVALID, "the content is not gzip, as its Content-Encoding says");
        }

        @Override
        public int read() throws IOException {
            var one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] buffer, int offset, int length) throws IOException {
            int n;
            try {
                n = super.read(buffer, offset, length);
            } catch (ZipException | EOFException _) {
                throw malformed();
            }
            left -= Math.max(n, 0);
            if (left < 0) {
                throw tooMuch.raise();
            }
            return n;
        }

        @Override
        public long skip(long n) throws IOException {
            return n <= 0 ? 0 : Math.max(0, read(new byte[(int) Math.min(n, PIECE)]));
        }

        @Override
        public boolean markSupported() {
            return false;
        }
    }
}
