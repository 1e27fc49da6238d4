package org.restheart.security.jwt;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Request;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;

/// The ids of revoked tokens, each until the token expires: in this process, and in a store that all
/// gateways share. No caller has so many that there is no room for those of others. Thread-safe.
///
/// Callers without an account have places of their own, since one client may have more addresses than there are places.
/// What finds no place is left to the store, if there is one.
public final class Revocations {
    /// Of callers with an account, and as many of others.
    private static final int MAX_ENTRIES = 100_000;
    /// For tokens that do not expire.
    private static final Duration MAX_LIFETIME = Duration.ofDays(30);

    /// By which the clocks of gateways and of MongoDB may differ: a gateway whose clock is behind accepts a token for
    /// longer.
    private static final Duration CLOCKS_DIFFER = Duration.ofHours(1);

    private final Optional<Store> store;
    private final FairShares placesOfAccounts = new FairShares(MAX_ENTRIES, 0);
    private final FairShares placesOfOthers = new FairShares(MAX_ENTRIES, 0);
    private final Cache<String, Revoked> ids = Caffeine.newBuilder()
            .executor(Runnable::run)
            .expireAfter(Expiry.<String, Revoked>creating((_, revoked) -> remaining(revoked.until)))
            .removalListener((_, revoked, _) -> release(revoked))
            .build();

    /// @param owner for whom it counts
    private record Revoked(Instant until, String owner) {}

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
    /// @throws org.restheart.http.ProblemException 429 if the caller has revoked too many and there is no store,
    ///     503 if other gateways cannot be told now
    public boolean revoke(String id, Instant until) {
        boolean first = remember(id, until);
        watcher.accept(id);
        boolean firstOfAll = store.map(shared ->
                        shared.add(id, Instant.now().plus(remaining(until)).plus(CLOCKS_DIFFER)))
                .orElse(true);
        return first && firstOfAll;
    }

    /// @return false if it is known already
    private boolean remember(String id, Instant until) {
        if (ids.getIfPresent(id) != null) {
            return false;
        }
        var revoked = new Revoked(until, CallerScope.current());
        if (!takePlace(revoked.owner)) {
            if (store.isPresent()) {
                return true; // as far as is known here
            }
            throw Problem.of(
                            ProblemCode.TOO_MANY_REQUESTS,
                            "this account or address has ended too many sessions that have not expired yet")
                    .with("Retry-After", "60")
                    .raise();
        }
        boolean first = ids.asMap().putIfAbsent(id, revoked) == null;
        if (!first) {
            release(revoked);
        }
        return first;
    }

    private boolean takePlace(String owner) {
        if (places(owner).tryTake(owner)) {
            return true;
        }
        ids.cleanUp(); // those that have expired
        return places(owner).tryTake(owner);
    }

    private FairShares places(String owner) {
        return CallerScope.isAccount(owner) ? placesOfAccounts : placesOfOthers;
    }

    private void release(@Nullable Revoked revoked) {
        if (revoked != null) {
            places(revoked.owner).release(revoked.owner);
        }
    }

    /// Calls [Request#requireThread()] before it blocks.
    ///
    /// @throws org.restheart.http.ProblemException 503 if that cannot be looked up now
    public boolean contains(Request request, String id) {
        return ids.getIfPresent(id) != null
                || store.filter(shared -> shared.contains(request, id)).isPresent();
    }
}
