package org.restheart.security.realm;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import org.restheart.http.Digests;
import org.restheart.http.SecretValues;

/// Digests of secrets under a key of this process, so that digests in memory do not help to guess secrets. Thread-safe.
public final class KeyedDigest {
    /// One block of SHA-256, so that the key is processed once.
    private static final int KEY_BYTES = 64;

    private final MessageDigest keyed;

    /// A digest; compares by value.
    public record Digest(long a, long b, long c, long d) {}

    public KeyedDigest() {
        keyed = Digests.sha256();
        keyed.update(SecretValues.random(KEY_BYTES));
    }

    /// The digest of several texts, including their boundaries.
    public Digest of(String... texts) {
        try {
            var digest = (MessageDigest) keyed.clone();
            for (var text : texts) {
                var bytes = text.getBytes(StandardCharsets.UTF_8);
                digest.update(ByteBuffer.allocate(4).putInt(bytes.length).flip());
                digest.update(bytes);
            }
            var result = ByteBuffer.wrap(digest.digest());
            return new Digest(result.getLong(), result.getLong(), result.getLong(), result.getLong());
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException(e);
        }
    }
}
