package org.restheart.security.cache;

import java.time.Duration;

/// How long values are kept while nobody tells of changes to their source.
///
/// @param maxEntries bounds memory
/// @param time zero for not at all; ignored with [Expiry#NEVER]
public record Keeping(int maxEntries, Duration time, Expiry expiry) {
    /// When a value gets too old.
    public enum Expiry {
        NEVER,
        AFTER_WRITE,
        AFTER_READ
    }

    /// Nothing is kept unless changes are told.
    public static Keeping nothing(int maxEntries) {
        return new Keeping(maxEntries, Duration.ZERO, Expiry.AFTER_WRITE);
    }

    boolean isNothing() {
        return expiry != Expiry.NEVER && time.isZero();
    }
}
