package org.restheart.security.jwt;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import java.time.Duration;
import java.time.Instant;

/// The ids of tokens that must not be used any more, each until the token would end anyway. Of this process
/// only. Thread-safe.
public final class Revocations {
    private static final int MAX_ENTRIES = 200_000;
    /// For tokens that never end.
    private static final Duration LONGEST = Duration.ofDays(30);

    private final Cache<String, Instant> ids = Caffeine.newBuilder()
            .maximumSize(MAX_ENTRIES)
            .expireAfter(Expiry.<String, Instant>creating((_, until) -> remaining(until)))
            .build();

    private static Duration remaining(Instant until) {
        var remaining = Duration.between(Instant.now(), until);
        return remaining.isNegative() ? Duration.ZERO : remaining.compareTo(LONGEST) > 0 ? LONGEST : remaining;
    }

    /// @param until when the token ends
    /// @return false if it was revoked before: of two who use up one token, one is the first
    public boolean revoke(String id, Instant until) {
        return ids.asMap().putIfAbsent(id, until) == null;
    }

    public boolean contains(String id) {
        return ids.getIfPresent(id) != null;
    }
}
