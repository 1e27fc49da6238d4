package org.restheart.rest.changestream;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.mongodb.MongoNamespace;
import com.mongodb.ReadConcern;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.UpdateOptions;
import com.mongodb.client.model.Updates;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonSerializationException;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.bson.RawDocuments;
import org.restheart.http.Digests;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.metadata.ResourceNames;

/// Encrypts resume tokens for listeners with hidden data. MongoDB's tokens contain the key of the changed document,
/// and a forged one reveals whether a change happened. Sealed ones reveal nothing and cannot be forged; all gateways
/// of a database share the key, and one event has the same token on all of them. Immutable.
final class TokenSeal {
    /// The document with the key, among the database's properties.
    private static final String KEY_ID = "_resume_tokens";

    private static final String MARK = "s1.";
    private static final int KEY_BYTES = 32;
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;

    /// Tokens are padded to a multiple of this: their length would reveal that of the document's key.
    private static final int BLOCK = 256;

    private static final int MAX_CHARACTERS = 16 << 10;

    private final byte[] secret;
    private final byte[] collection;

    private TokenSeal(byte[] secret, byte[] collection) {
        this.secret = secret;
        this.collection = collection;
    }

    /// Blocks for MongoDB. Creates the database's key if there is none.
    static TokenSeal of(MongoClient client, MongoNamespace namespace) {
        var keys = client.getDatabase(namespace.getDatabaseName())
                .getCollection(ResourceNames.PROPERTIES, BsonDocument.class)
                .withReadConcern(ReadConcern.MAJORITY) // a failover must not undo the key
                .withReadPreference(ReadPreference.primary())
                .withWriteConcern(BoundedConcern.MAJORITY);
        var byId = Filters.eq("_id", KEY_ID);
        var stored = keys.find(byId).first();
        if (stored == null) {
            var fresh = new byte[KEY_BYTES];
            new SecureRandom().nextBytes(fresh);
            keys.updateOne(byId, Updates.setOnInsert("key", new BsonBinary(fresh)), new UpdateOptions().upsert(true));
            stored = keys.find(byId).first();
        }
        if (stored == null || !(stored.get("key") instanceof BsonBinary key)) {
            throw new IllegalStateException("the key of resume tokens is not in " + ResourceNames.PROPERTIES);
        }
        return new TokenSeal(key.getData(), namespace.getFullName().getBytes(UTF_8));
    }

    /// The sealed token; equal for equal tokens.
    BsonDocument seal(BsonDocument token) {
        var bytes = RawDocuments.encode(token).getByteBuffer();
        var padded = ByteBuffer.allocate((bytes.remaining() + BLOCK - 1) / BLOCK * BLOCK)
                .put(bytes.asNIO())
                .array();
        try {
            var nonce = Arrays.copyOf(mac("nonce", padded), NONCE_BYTES);
            var sealed = cipher(Cipher.ENCRYPT_MODE, nonce).doFinal(padded);
            var all =
                    ByteBuffer.allocate(nonce.length + sealed.length).put(nonce).put(sealed);
            return new BsonDocument(
                    "_data",
                    new BsonString(
                            MARK + Base64.getUrlEncoder().withoutPadding().encodeToString(all.array())));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e); // available on every Java platform
        }
    }

    /// The original token; empty for an invalid one.
    Optional<BsonDocument> open(BsonDocument token) {
        var text = token.getString("_data", new BsonString("")).getValue();
        if (!text.startsWith(MARK) || text.length() > MAX_CHARACTERS) {
            return Optional.empty();
        }
        try {
            var all = Base64.getUrlDecoder().decode(text.substring(MARK.length()));
            if (all.length <= NONCE_BYTES) {
                return Optional.empty();
            }
            var bytes = cipher(Cipher.DECRYPT_MODE, Arrays.copyOf(all, NONCE_BYTES))
                    .doFinal(all, NONCE_BYTES, all.length - NONCE_BYTES);
            int length = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).getInt();
            return Optional.of(RawDocuments.toTree(new RawBsonDocument(bytes, 0, length)));
        } catch (GeneralSecurityException | IllegalArgumentException | BsonSerializationException _) {
            return Optional.empty();
        }
    }

    private Cipher cipher(int mode, byte[] nonce) throws GeneralSecurityException {
        var cipher = Cipher.getInstance("AES/GCM/NoPadding");
        cipher.init(mode, new SecretKeySpec(mac("key", new byte[0]), "AES"), new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(collection);
        return cipher;
    }

    private byte[] mac(String purpose, byte[] bytes) {
        var mac = Digests.hmac(secret);
        mac.update((purpose + "\0").getBytes(UTF_8));
        mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(collection.length).array());
        mac.update(collection);
        return mac.doFinal(bytes);
    }

    /// Listeners with equal seals share messages.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof TokenSeal seal
                && Arrays.equals(secret, seal.secret)
                && Arrays.equals(collection, seal.collection);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(secret) * 31 + Arrays.hashCode(collection);
    }
}
