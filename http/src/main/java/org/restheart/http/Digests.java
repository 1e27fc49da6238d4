package org.restheart.http;

import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/// Digests by the algorithms that every Java platform has, without checked exceptions.
public final class Digests {
    private static final String HMAC = "HmacSHA256";

    private Digests() {}

    public static MessageDigest sha256() {
        return of("SHA-256");
    }

    public static MessageDigest of(String algorithm) {
        try {
            return MessageDigest.getInstance(algorithm);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /// HMAC with SHA-256 (RFC 2104).
    public static Mac hmac(byte[] key) {
        return hmac(new SecretKeySpec(key, HMAC));
    }

    public static Mac hmac(SecretKey key) {
        try {
            var mac = Mac.getInstance(HMAC);
            mac.init(key);
            return mac;
        } catch (NoSuchAlgorithmException | InvalidKeyException e) {
            throw new IllegalStateException(e);
        }
    }
}
