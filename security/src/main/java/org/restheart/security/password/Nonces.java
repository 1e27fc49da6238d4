package org.restheart.security.password;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HexFormat;

/// Nonces that this server has issued. Each may be used once per count, in increasing order. Thread-safe.
final class Nonces {
    private static final int MAX_NONCES = 50_000;
    private static final Duration LIFETIME = Duration.ofMinutes(5);
    private static final int BYTES = 16;

    private final SecureRandom random = new SecureRandom();
    private final Cache<String, Long> counts = Caffeine.newBuilder()
            .maximumSize(MAX_NONCES)
            .expireAfterWrite(LIFETIME)
            .build();

    String next() {
        var bytes = new byte[BYTES];
        random.nextBytes(bytes);
        var nonce = HexFormat.of().formatHex(bytes);
        counts.put(nonce, 0L);
        return nonce;
    }

    /// Whether the nonce is known and this count is its next; uses it up.
    ///
    /// @param count 1 for clients that do not count
    boolean use(String nonce, long count) {
        var used = new boolean[1];
        counts.asMap().computeIfPresent(nonce, (_, last) -> {
            used[0] = count > last;
            return used[0] ? count : last;
        });
        return used[0];
    }
}
