package org.restheart.mongo.metadata;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.restheart.http.CacheMeter;
import org.restheart.http.RequestStart;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.find.LargeReplies;

/// A cache of values that are read from MongoDB. Callers of the same value wait for the same result or failure; the
/// first until there is one, the others for as long as the time limits of their requests allow. Invalidating never
/// blocks: a value that is being read is then returned only to those that already wait for it. Thread-safe.
public final class SharedLoads<K, V> {
    private static final Executor THREADS =
            task -> Thread.ofVirtual().name("shared-load").start(RequestStart.carried(CallerScope.carried(task)));

    private final AsyncCache<K, V> cache;
    private final CacheMeter meter;

    /// @param name for metrics
    /// @param ttl a negative one keeps entries until they are invalidated
    /// @param bytes of heap that a value takes
    /// @param maxBytes of all values; a larger one is kept alone
    public SharedLoads(String name, int maxEntries, Duration ttl, ToLongFunction<V> bytes, long maxBytes) {
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

    Optional<V> find(K key) {
        var there = cache.synchronous().getIfPresent(key);
        if (there != null) {
            meter.hit();
        }
        return Optional.ofNullable(there);
    }

    /// The value. It is read on a thread of its own: when the client of one of those that wait leaves, it interrupts
    /// nobody else's read.
    ///
    /// @param load gets the caller, the trace and the time limit of the first that asks
    /// @throws org.restheart.http.ProblemException 503 if it is not read in time, or the thread is interrupted
    @SuppressWarnings("ReferenceEquality") // a future is one caller's
    public V get(K key, Function<K, V> load) {
        var own = new CompletableFuture<V>();
        var there = cache.get(key, (_, _) -> own);
        if (there != own) {
            meter.hit();
            return await(there, RequestStart.left(BoundedConcern.LIMIT).toNanos());
        }
        meter.miss();
        LargeReplies.settled();
        return await(CompletableFuture.supplyAsync(() -> load(key, load, own), THREADS), Long.MAX_VALUE);
    }

    private static <K, V> V load(K key, Function<K, V> load, CompletableFuture<V> shared) {
        try {
            var value = load.apply(key);
            shared.complete(value);
            return value;
        } catch (RuntimeException | Error e) {
            shared.completeExceptionally(new CancellationException().initCause(e)); // not cached; others are logged
            throw e;
        }
    }

    private V await(CompletableFuture<V> value, long nanos) {
        try {
            return value.get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException | CancellationException e) {
            throw failure(e);
        } catch (TimeoutException _) {
            throw unavailable();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw unavailable();
        }
    }

    /// What the read has thrown: each `get` wraps a cancellation once more.
    private static RuntimeException failure(Throwable thrown) {
        var cause = thrown.getCause();
        while (cause instanceof CancellationException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause instanceof RuntimeException failure ? failure : new IllegalStateException(cause);
    }

    private static RuntimeException unavailable() {
        return MongoCodes.unavailable("MongoDB does not answer in time").raise();
    }

    public void forget(K key) {
        cache.asMap().remove(key);
    }

    public void forgetIf(Predicate<K> condition) {
        cache.asMap().keySet().removeIf(condition);
    }
}
