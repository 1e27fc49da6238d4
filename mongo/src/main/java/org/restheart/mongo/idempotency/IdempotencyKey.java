package org.restheart.mongo.idempotency;

import java.util.Optional;
import org.restheart.http.Headers;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;

/// The key by which a client can retry an insert safely (draft-ietf-httpapi-idempotency-key-header, 2.1): a quoted
/// string (RFC 9651, 3.3.3). Quotes may be omitted, since many clients do so.
record IdempotencyKey(String value) {
    static final String HEADER = "Idempotency-Key";

    /// A UUID has 36 characters.
    private static final int MAX_LENGTH = 255;

    /// @throws org.restheart.http.ProblemException 400 for more than one key, or one that is empty, longer than
    ///     255 characters or not printable ASCII
    static Optional<IdempotencyKey> of(Headers headers) {
        var sent = headers.all(HEADER);
        if (sent.isEmpty()) {
            return Optional.empty();
        }
        if (sent.size() > 1) {
            throw refusal("there must be one " + HEADER + " only");
        }
        return Optional.of(new IdempotencyKey(unquoted(sent.getFirst().strip())));
    }

    private static String unquoted(String text) {
        boolean quoted = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"");
        var value = quoted ? text.substring(1, text.length() - 1) : text;
        if (value.isEmpty()
                || value.length() > MAX_LENGTH
                || value.chars().anyMatch(c -> c < ' ' || c > '~' || c == '"')) {
            throw refusal(HEADER + " must have from 1 to " + MAX_LENGTH + " printable ASCII characters");
        }
        return value;
    }

    private static RuntimeException refusal(String message) {
        return Problem.of(ProblemCode.BAD_REQUEST, message).raise();
    }
}
