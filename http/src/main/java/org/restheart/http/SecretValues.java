package org.restheart.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;

/// Makes and compares secrets, such as keys, tokens and passwords.
public final class SecretValues {
    private static final SecureRandom RANDOM = new SecureRandom();

    private SecretValues() {}

    /// Random bytes that nobody can guess.
    public static byte[] random(int count) {
        var bytes = new byte[count];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /// Whether both are the same, in a time that depends only on the length of the first.
    public static boolean equal(String sent, String known) {
        return MessageDigest.isEqual(sent.getBytes(StandardCharsets.UTF_8), known.getBytes(StandardCharsets.UTF_8));
    }

    /// Base64 for URLs, without padding (RFC 4648, 5).
    public static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
