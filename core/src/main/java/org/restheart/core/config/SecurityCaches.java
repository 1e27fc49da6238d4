package org.restheart.core.config;

import java.time.Duration;
import org.restheart.security.cache.Keeping;

/// The `cache-…` keys of components that keep accounts or permissions.
final class SecurityCaches {
    private static final int DEFAULT_SIZE = 1_000;

    private SecurityCaches() {}

    static Keeping read(Block block, boolean enabled, long ttlMillis) {
        boolean on = block.bool("cache-enabled", enabled);
        int size = block.integer("cache-size", DEFAULT_SIZE, 1, 10_000_000);
        var ttl = block.millis("cache-ttl", ttlMillis, 0, Integer.MAX_VALUE);
        var expiry = block.oneOf("cache-expire-policy", Keeping.Expiry.AFTER_WRITE);
        return on ? new Keeping(size, ttl, expiry) : new Keeping(size, Duration.ZERO, Keeping.Expiry.AFTER_WRITE);
    }
}
