package org.restheart.core.server;

import io.undertow.util.HeaderMap;
import io.undertow.util.Headers;
import java.util.Optional;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;

/// Finds requests of which Undertow and a proxy before it might disagree where they end: one of them would then take
/// for the next request what a client wrote as content.
final class Framing {
    private static final Problem CODING_UNKNOWN =
            Problem.of(ProblemCode.NOT_IMPLEMENTED, "the only transfer coding of requests is chunked");
    private static final Problem LENGTH_MALFORMED =
            Problem.of(ProblemCode.BAD_REQUEST, "Content-Length is not a number of bytes");

    /// Whatever has so many is a number that fits: 9 × 10^17 bytes are enough for anybody.
    private static final int MAX_DIGITS = 18;

    private Framing() {}

    /// What is wrong with the fields that say where the content ends.
    static Optional<Problem> fault(HeaderMap headers) {
        if (!isCodingKnown(headers)) {
            return Optional.of(CODING_UNKNOWN);
        }
        return isLengthKnown(headers) ? Optional.empty() : Optional.of(LENGTH_MALFORMED);
    }

    /// Undertow waits for the connection's end where it does not know the coding; RFC 9112, 6.1 asks for a 501.
    private static boolean isCodingKnown(HeaderMap headers) {
        var codings = headers.get(Headers.TRANSFER_ENCODING);
        return codings == null
                || (codings.size() == 1 && codings.getFirst().strip().equalsIgnoreCase("chunked"));
    }

    /// Digits and nothing else (RFC 9112, 6.2). Undertow lets numbers overflow: 2^64 + 14 would mean 14.
    private static boolean isLengthKnown(HeaderMap headers) {
        var length = headers.getFirst(Headers.CONTENT_LENGTH);
        if (length == null) {
            return true;
        }
        var digits = length.strip();
        return digits.length() <= MAX_DIGITS
                && !digits.isEmpty()
                && digits.chars().allMatch(c -> c >= '0' && c <= '9');
    }
}
