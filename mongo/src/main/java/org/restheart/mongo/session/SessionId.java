package org.restheart.mongo.session;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.UUID;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.restheart.http.Digests;

/// A session's id as seen by clients. Any UUID is valid on any server; generated ones (version 8, RFC 9562)
/// contain a mark of their owner, so that other callers are refused. For each id, MongoDB's session differs per
/// owner: knowing or guessing an id gives no access to another caller's session. Immutable.
record SessionId(UUID uuid) {
    private static final SecureRandom RANDOM = new SecureRandom();

    /// A bit of the byte with the variant.
    private static final int CAUSAL = 0x20;

    private static final int VARIANT_BYTE = 8;
    private static final int MADE_HERE = 8;

    /// A new one.
    ///
    /// @param owner the identity of the caller
    static SessionId create(String owner, boolean causal) {
        var bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        bytes[6] = (byte) ((MADE_HERE << 4) | (bytes[6] & 0x0f));
        bytes[VARIANT_BYTE] = (byte) (0x80 | (causal ? CAUSAL : 0) | (bytes[VARIANT_BYTE] & 0x1f));
        var mark = mark(bytes, owner);
        System.arraycopy(mark, 0, bytes, VARIANT_BYTE + 1, 7);
        return new SessionId(uuid(bytes));
    }

    /// Whether the session is causally consistent.
    boolean isCausal() {
        return (bytes()[VARIANT_BYTE] & CAUSAL) != 0;
    }

    /// False for one that was generated for another owner.
    boolean mayBeOf(String owner) {
        var bytes = bytes();
        return uuid.version() != MADE_HERE || Arrays.equals(bytes, VARIANT_BYTE + 1, 16, mark(bytes, owner), 0, 7);
    }

    /// The id of MongoDB's session.
    BsonDocument serverSession(String owner) {
        var bytes = digest("session", bytes(), owner);
        bytes[6] = (byte) (0x40 | (bytes[6] & 0x0f));
        bytes[VARIANT_BYTE] = (byte) (0x80 | (bytes[VARIANT_BYTE] & 0x3f));
        return new BsonDocument("id", new BsonBinary(uuid(bytes)));
    }

    private byte[] bytes() {
        return ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }

    private static UUID uuid(byte[] bytes) {
        var buffer = ByteBuffer.wrap(bytes);
        return new UUID(buffer.getLong(), buffer.getLong());
    }

    /// The last bytes of a generated id.
    private static byte[] mark(byte[] id, String owner) {
        return digest("owner", Arrays.copyOf(id, VARIANT_BYTE + 1), owner);
    }

    private static byte[] digest(String purpose, byte[] id, String owner) {
        var digest = Digests.sha256();
        digest.update(purpose.getBytes(StandardCharsets.UTF_8));
        digest.update(id);
        return digest.digest(owner.getBytes(StandardCharsets.UTF_8));
    }
}
