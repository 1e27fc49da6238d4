package org.restheart.security.apikey;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.restheart.http.Digests;
import org.restheart.http.SecretValues;

/// The format of keys and their digests. Keys are random, so a fast digest protects them. Thread-safe.
public final class KeyForm {
    private static final int MAX_LENGTH = 256;
    private static final int MIN_LENGTH = 32;
    private static final int HINT = 8;
    private final Optional<byte[]> pepper;

    /// @param pepper a secret in the digests, so that the collection alone does not allow guessing keys
    public KeyForm(Optional<String> pepper) {
        this.pepper = pepper.map(text -> text.getBytes(StandardCharsets.UTF_8));
    }

    static String random() {
        return random(SecretValues.KEY_PREFIX);
    }

    /// A random secret, as strong as a key, for another purpose.
    public static String random(String prefix) {
        return prefix + SecretValues.base64(SecretValues.random(32));
    }

    /// Whether a key that was created elsewhere can be imported.
    static boolean isImportable(String key) {
        return key.length() >= MIN_LENGTH
                && key.length() <= MAX_LENGTH
                && key.chars().allMatch(c -> c > ' ' && c < 0x7f);
    }

    public static boolean isTooLong(String key) {
        return key.length() > MAX_LENGTH;
    }

    static String hint(String key) {
        return key.substring(0, Math.min(HINT, key.length()));
    }

    /// What is stored of a key.
    public String digest(String key) {
        var bytes = key.getBytes(StandardCharsets.UTF_8);
        return SecretValues.base64(pepper.map(secret -> Digests.hmac(secret).doFinal(bytes))
                .orElseGet(() -> Digests.sha256().digest(bytes)));
    }
}
