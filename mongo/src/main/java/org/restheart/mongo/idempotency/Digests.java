package org.restheart.mongo.idempotency;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.bson.BsonBinary;
import org.restheart.http.judged.DataWrite;
import org.restheart.mongo.exchange.DataRequest;

/// Digests that identify requests: neither keys nor content are stored.
final class Digests {
    private Digests() {}

    /// Identifies a claim by caller, collection and key.
    static BsonBinary claim(DataRequest request, IdempotencyKey key) {
        var sha256 = sha256();
        add(sha256, request.http().caller().identity());
        add(sha256, request.namespace().getFullName());
        add(sha256, key.value());
        return new BsonBinary(sha256.digest());
    }

    /// Identifies a request by query, media type and content, byte for byte, and by whether a service is told of its
    /// outcome, which is stored only then. Without the key it cannot be used
    /// to test guesses of the content, such as a password.
    static BsonBinary fingerprint(DataRequest request, IdempotencyKey key) {
        var http = request.http();
        var sha256 = sha256();
        add(sha256, key.value());
        add(sha256, http.query().raw());
        add(sha256, http.headers().first("Content-Type").orElse(""));
        add(sha256, http.attribute(DataWrite.KEY).isPresent() ? "reported" : "");
        sha256.update(http.body().bytes());
        return new BsonBinary(sha256.digest());
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) { // every Java platform has it
            throw new IllegalStateException(e);
        }
    }

    /// With its length, so that different lists of texts have different digests.
    private static void add(MessageDigest digest, String text) {
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).array());
        digest.update(bytes);
    }
}
