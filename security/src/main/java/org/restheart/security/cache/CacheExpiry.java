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

    boolean isNothing() {
        return expiry != Expiry.NEVER && time.isZero();
    }
}
