package org.restheart.security.jwt;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Expiry;
import com.github.benmanes.caffeine.cache.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
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
/// What finds no place is left to the store, if there is one. Nothing is forgotten before its token expires, however
/// long that takes: the token would be accepted again.
public final class Revocations {
    /// Of callers with an account, and as many of others.
    private static final int MAX_ENTRIES = 100_000;

    /// By which the clocks of gateways and of MongoDB may differ: a gateway whose clock is behind accepts a token for
    /// longer.
    private static final Duration CLOCKS_DIFFER = Duration.ofHours(1);

    /// For a token that does not expire: longer than any process lives.
    private static final Duration FOR_GOOD = Duration.ofNanos(Long.MAX_VALUE);

    private final Optional<Store> store;
    private final Duration leeway;
    private final InstantSource clock;
    private final FairShares placesOfAccounts = new FairShares(MAX_ENTRIES);
    private final FairShares placesOfOthers = FairShares.ofAddresses(MAX_ENTRIES);
    private final Cache<String, Revoked> ids;

    private record Revoked(Optional<Instant> until, String owner) {}

    /// What gateways with the same key share.
    public interface Store {
        /// May block.
        ///
        /// @param until when it may be forgotten; empty for never
        /// @return false if it was there before
        /// @throws org.restheart.http.ProblemException 503 if it cannot be stored now
        boolean add(String id, Optional<Instant> until);

        /// Calls [Request#requireThread()] before it blocks.
        ///
        /// @throws org.restheart.http.ProblemException 503 if that cannot be looked up now
        boolean contains(Request request, String id);
    }

    private volatile Consumer<String> watcher = _ -> {};

    /// @param leeway for which tokens are accepted after they have expired
    /// @param ticker measures how long what is here stays
    Revocations(Optional<Store> store, Duration leeway, InstantSource clock, Ticker ticker) {
        this.store = store;
        this.leeway = leeway;
        this.clock = clock;
        this.ids = Caffeine.newBuilder()
                .executor(Runnable::run)
                .ticker(ticker)
                .expireAfter(Expiry.<String, Revoked>creating((_, revoked) -> remaining(revoked.until)))
                .removalListener((_, revoked, _) -> release(revoked))
                .build();
    }

    /// @param store without one, in this process only
    /// @param leeway for which tokens are accepted after they have expired
    public static Revocations of(Optional<Store> store, Duration leeway) {
        return new Revocations(store, leeway, InstantSource.system(), Ticker.systemTicker());
    }

    private Duration remaining(Optional<Instant> until) {
        var remaining = until.map(end -> Duration.between(clock.instant(), end).plus(leeway))
                .orElse(FOR_GOOD);
        return remaining.isNegative() ? Duration.ZERO : remaining;
    }

    /// Has revocations by this process reported.
    public void watch(Consumer<String> receiver) {
        watcher = receiver;
    }

    /// Refuses the token from now on here, and within a second on other gateways. May block.
    ///
    /// @param until when the token expires; empty if it does not
    /// @return false if it was revoked before, so that a token can be used up only once
    /// @throws org.restheart.http.ProblemException 429 if the caller has revoked too many and there is no store,
    ///     503 if other gateways cannot be told now
    public boolean revoke(String id, Optional<Instant> until) {
        boolean first = remember(id, until);
        watcher.accept(id);
        boolean firstOfAll = store.map(shared -> shared.add(id, until.map(end -> end.plus(CLOCKS_DIFFER))))
                .orElse(true);
        return first && firstOfAll;
    }

    /// @return false if it is known already
    private boolean remember(String id, Optional<Instant> until) {
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
