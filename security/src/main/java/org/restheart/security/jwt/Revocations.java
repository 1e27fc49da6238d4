package org.restheart.security.jwt;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import org.restheart.http.Request;

/// The ids of revoked tokens, each until the token expires: in this process, and in a store that all
/// gateways share. Thread-safe.
public final class Revocations {
    private static final int MAX_ENTRIES = 200_000;
    /// For tokens that do not expire.
    private static final Duration MAX_LIFETIME = Duration.ofDays(30);

    private final Optional<Store> store;
    private final Cache<String, Instant> ids = Caffeine.newBuilder()
            .maximumSize(MAX_ENTRIES)
            .expireAfter(Expiry.<String, Instant>creating((_, until) -> remaining(until)))
            .build();

    /// What gateways with the same key share.
    public interface Store {
        /// May block.
        ///
        /// @return false if it was there before
        /// @throws org.restheart.http.ProblemException 503 if it cannot be stored now
        boolean add(String id, Instant until);

        /// Calls [Request#requireThread()] before it blocks.
        ///
        /// @throws org.restheart.http.ProblemException 503 if that cannot be looked up now
        boolean contains(Request request, String id);
    }

    private volatile Consumer<String> watcher = _ -> {};

    private Revocations(Optional<Store> store) {
        this.store = store;
    }

    /// In this process only.
    static Revocations local() {
        return new Revocations(Optional.empty());
    }

    public static Revocations storedIn(Store store) {
        return new Revocations(Optional.of(store));
    }

    private static Duration remaining(Instant until) {
        var remaining = Duration.between(Instant.now(), until);
        return remaining.isNegative()
                ? Duration.ZERO
                : remaining.compareTo(MAX_LIFETIME) > 0 ? MAX_LIFETIME : remaining;
    }

    /// Has revocations by this process reported.
    ///
    /// @param receiver of the ids; must not block
    public void watch(Consumer<String> receiver) {
        watcher = receiver;
    }

    /// Refuses the token from now on here, and within a second on other gateways. May block.
    ///
    /// @param until when the token expires
    /// @return false if it was revoked before, so that a token can be used up only once
    /// @throws org.restheart.http.ProblemException 503 if other gateways cannot be told now
    public boolean revoke(String id, Instant until) {
        boolean first = ids.asMap().putIfAbsent(id, until) == null;
        watcher.accept(id);
        boolean firstOfAll = store.map(shared -> shared.add(id, Instant.now().plus(remaining(until))))
                .orElse(true);
        return first && firstOfAll;
    }

    /// Calls [Request#requireThread()] before it blocks.
    ///
    /// @throws org.restheart.http.ProblemException 503 if that cannot be looked up now
    public boolean contains(Request request, String id) {
        return ids.getIfPresent(id) != null
                || store.filter(shared -> shared.contains(request, id)).isPresent();
    }
}
