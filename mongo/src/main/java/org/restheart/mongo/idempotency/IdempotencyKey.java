package org.restheart.mongo.idempotency;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import org.bson.BsonBinary;
import org.restheart.http.Digests;
import org.restheart.http.Headers;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.exchange.DataRequest;

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
        return new ProblemException(ProblemCode.BAD_REQUEST, message);
    }

    /// Identifies a claim by caller, collection and key. Neither keys nor content are stored.
    BsonBinary claim(DataRequest request) {
        var sha256 = Digests.sha256();
        add(sha256, request.http().caller().identity());
        add(sha256, request.namespace().getFullName());
        add(sha256, value);
        return new BsonBinary(sha256.digest());
    }

    /// Identifies a request by query, media type and content, byte for byte, and by whether a service is told of its
    /// outcome, which is stored only then. Without the key it cannot be used to test guesses of the content, such
    /// as a password.
    BsonBinary fingerprint(DataRequest request) {
        var http = request.http();
        var sha256 = Digests.sha256();
        add(sha256, value);
        add(sha256, http.query().raw());
        add(sha256, http.headers().first("Content-Type").orElse(""));
        add(sha256, http.attribute(DataWrite.KEY).isPresent() ? "reported" : "");
        sha256.update(http.body().bytes());
        return new BsonBinary(sha256.digest());
    }

    /// With its length, so that different lists of texts have different digests.
    private static void add(MessageDigest digest, String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
        digest.update(bytes);
    }
}
