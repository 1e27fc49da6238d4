package org.restheart.security.cache;

import java.time.Duration;

/// How long values are cached while changes of their source are not reported.
///
/// @param maxEntries bounds memory
/// @param time zero disables caching; ignored with [Expiry#NEVER]
public record CacheExpiry(int maxEntries, Duration time, Expiry expiry) {
    public enum Expiry {
        NEVER,
        AFTER_WRITE,
        AFTER_READ
    }

    /// Nothing is cached unless changes are reported.
    public static CacheExpiry nothing(int maxEntries) {
        return new CacheExpiry(maxEntries, Duration.ZERO, Expiry.AFTER_WRITE);
    }

    boolean isNothing() {
        return expiry != Expiry.NEVER && time.isZero();
    }
}
