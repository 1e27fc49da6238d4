package org.restheart.core.config;

import java.time.Duration;
import org.restheart.security.cache.CacheExpiry;

/// The `cache-…` keys of components that keep accounts or permissions.
final class SecurityCaches {
    private static final int DEFAULT_SIZE = 1_000;

    private SecurityCaches() {}

    static CacheExpiry read(Block block, boolean enabled, long ttlMillis) {
        boolean on = block.bool("cache-enabled", enabled);
        int size = block.integer("cache-size", DEFAULT_SIZE, 1, 10_000_000);
        var ttl = block.millis("cache-ttl", ttlMillis, 0, Integer.MAX_VALUE);
        var expiry = block.oneOf("cache-expire-policy", CacheExpiry.Expiry.AFTER_WRITE);
        return on
                ? new CacheExpiry(size, ttl, expiry)
                : new CacheExpiry(size, Duration.ZERO, CacheExpiry.Expiry.AFTER_WRITE);
    }
}
