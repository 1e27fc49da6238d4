package org.restheart.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.regex.Pattern;

/// Makes and compares secrets, such as keys, tokens and passwords, and finds API keys in texts.
public final class SecretValues {
    /// Of every API key.
    public static final String KEY_PREFIX = "rhk_";

    /// What is logged and exported in place of a secret.
    public static final String MASK = "**********";

    /// The prefix with some of its characters percent-encoded.
    private static final Pattern ENCODED_PREFIX = Pattern.compile("(?:r|%72)(?:h|%68)(?:k|%6[Bb])(?:_|%5[Ff])");

    private static final SecureRandom RANDOM = new SecureRandom();

    private SecretValues() {}

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

    /// Whether a text contains an API key, percent-encoded or not.
    public static boolean containsKey(String text) {
        return text.contains(KEY_PREFIX)
                || (text.indexOf('%') >= 0 && ENCODED_PREFIX.matcher(text).find());
    }

    /// A text as it may be logged and exported: masked if it contains an API key.
    public static String masked(String text) {
        return containsKey(text) ? MASK : text;
    }
}
