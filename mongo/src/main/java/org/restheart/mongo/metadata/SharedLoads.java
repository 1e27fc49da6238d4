package org.restheart.mongo.metadata;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.restheart.http.CacheMeter;
import org.restheart.http.RequestStart;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.error.MongoCodes;

/// A cache of values that are read from MongoDB. One caller reads a value, others wait for the same result or
/// failure for as long as the time limit of their request allows. Invalidating never blocks: a value that is being
/// read is then returned only to those that already wait for it. Thread-safe.
final class SharedLoads<K, V> {
    private final AsyncCache<K, V> cache;
    private final CacheMeter meter;

    /// @param name for metrics
    /// @param ttl a negative one keeps entries until they are invalidated
    /// @param bytes of heap that a value takes
    /// @param maxBytes of all values; a larger one is kept alone
    SharedLoads(String name, int maxEntries, Duration ttl, ToLongFunction<V> bytes, long maxBytes) {
        var builder = Caffeine.newBuilder()
                .executor(Runnable::run)
                .maximumWeight(maxBytes)
                .weigher((K _, V value) -> CacheMeter.weight(bytes.applyAsLong(value), maxEntries, maxBytes))
                .evictionListener((_, _, _) -> evicted());
        this.cache = (ttl.isNegative() ? builder : builder.expireAfterWrite(ttl)).buildAsync();
        this.meter = new CacheMeter(name, cache.synchronous()::estimatedSize);
    }

    private void evicted() {
        meter.evicted();
    }

    CacheMeter meter() {
        return meter;
    }

    /// Changes how long entries are kept, also those that are there.
    void keepFor(Duration ttl) {
        cache.synchronous().policy().expireAfterWrite().ifPresent(expiry -> expiry.setExpiresAfter(ttl));
    }

    /// The value if it is there.
    Optional<V> find(K key) {
        var there = cache.synchronous().getIfPresent(key);
        if (there != null) {
            meter.hit();
        }
        return Optional.ofNullable(there);
    }

    /// The value, read by this thread or another one.
    ///
    /// @throws org.restheart.http.ProblemException 503 if another thread does not get it in time
    @SuppressWarnings("ReferenceEquality") // a future is one caller's
    V get(K key, Function<K, V> load) {
        var own = new CompletableFuture<V>();
        var there = cache.get(key, (_, _) -> own);
        if (there != own) {
            meter.hit();
            return await(there);
        }
        meter.miss();
        try {
            var value = load.apply(key);
            own.complete(value);
            return value;
        } catch (RuntimeException | Error e) {
            own.completeExceptionally(e); // not cached
            throw e;
        }
    }

    private V await(CompletableFuture<V> value) {
        try {
            return value.get(RequestStart.left(BoundedConcern.LIMIT).toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException failure ? failure : new IllegalStateException(e.getCause());
        } catch (TimeoutException _) {
            throw unavailable();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw unavailable();
        }
    }

    private static RuntimeException unavailable() {
        return MongoCodes.unavailable("MongoDB does not answer in time").raise();
    }

    void forget(K key) {
        cache.asMap().remove(key);
    }

    void forgetIf(Predicate<K> condition) {
        cache.asMap().keySet().removeIf(condition);
    }
}
