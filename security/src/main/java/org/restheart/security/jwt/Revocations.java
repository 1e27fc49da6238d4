package org.restheart.security.jwt;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import java.time.Duration;
import java.time.Instant;

/// The ids of revoked tokens, each until the token expires. In this process only. Thread-safe.
public final class Revocations {
    private static final int MAX_ENTRIES = 200_000;
    /// For tokens that do not expire.
    private static final Duration LONGEST = Duration.ofDays(30);

    private final Cache<String, Instant> ids = Caffeine.newBuilder()
            .maximumSize(MAX_ENTRIES)
            .expireAfter(Expiry.<String, Instant>creating((_, until) -> remaining(until)))
            .build();

    private static Duration remaining(Instant until) {
        var remaining = Duration.between(Instant.now(), until);
        return remaining.isNegative() ? Duration.ZERO : remaining.compareTo(LONGEST) > 0 ? LONGEST : remaining;
    }

    /// @param until when the token expires
    /// @return false if it was revoked before, so that a token can be used up only once
    public boolean revoke(String id, Instant until) {
        return ids.asMap().putIfAbsent(id, until) == null;
    }

    public boolean contains(String id) {
        return ids.getIfPresent(id) != null;
    }
}
