package org.restheart.security.cache;

import java.time.Duration;

/// How long values are kept while changes to their source are not told.
///
/// @param maxEntries bounds memory
/// @param time zero for not at all; ignored with [Expiry#NEVER]
public record CacheExpiry(int maxEntries, Duration time, Expiry expiry) {
    /// When a value gets too old.
    public enum Expiry {
        NEVER,
        AFTER_WRITE,
        AFTER_READ
    }

    /// Nothing is kept unless changes are told.
    public static CacheExpiry nothing(int maxEntries) {
        return new CacheExpiry(maxEntries, Duration.ZERO, Expiry.AFTER_WRITE);
    }

    boolean isNothing() {
        return expiry != Expiry.NEVER && time.isZero();
    }
}
