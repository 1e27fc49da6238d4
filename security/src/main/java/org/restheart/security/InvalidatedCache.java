package org.restheart.security;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.restheart.http.CacheMeter;

/// A cache of values whose source is changed by others. While the source is followed ([#follow()] until [#lose()]) a
/// value is valid until its change is reported; otherwise as long as configured. Failures are never cached.
/// Thread-safe.
public final class InvalidatedCache<K, V> {
    /// Bounds the age of a value whose change event was lost.
    private static final Duration WHILE_FOLLOWED = Duration.ofMinutes(1);

    /// How long values are cached while changes of their source are not reported.
    ///
    /// @param time zero disables caching; ignored with [Expiry#NEVER]
    public record CacheExpiry(int maxEntries, Duration time, Expiry expiry) {
        public enum Expiry {
            NEVER,
            AFTER_WRITE,
            AFTER_READ
        }

        private boolean isNothing() {
            return expiry != Expiry.NEVER && time.isZero();
        }
    }

    private final CacheExpiry keeping;
    private final Cache<K, Value<V>> values;
    private final CacheMeter meter;
    /// Counts events that invalidate values loaded before them.
    private final AtomicLong epoch = new AtomicLong();

    private volatile boolean followed;

    private static final class Value<V> {
        private final V value;
        private volatile long since = System.nanoTime();

        private Value(V value) {
            this.value = value;
        }
    }

    public InvalidatedCache(String name, CacheExpiry keeping) {
        this(name, keeping, keeping.maxEntries(), _ -> 1);
    }

    public InvalidatedCache(String name, CacheExpiry keeping, long maxBytes, ToLongFunction<V> bytes) {
        this.keeping = keeping;
        this.values = Caffeine.newBuilder()
                .executor(Runnable::run)
                .maximumWeight(maxBytes)
                .weigher((K _, Value<V> kept) ->
                        CacheMeter.weight(bytes.applyAsLong(kept.value), keeping.maxEntries(), maxBytes))
                .evictionListener((_, _, _) -> evicted())
                .build();
        this.meter = new CacheMeter(name, values::estimatedSize);
    }

    private void evicted() {
        meter.evicted();
    }

    public CacheMeter meter() {
        return meter;
    }

    public Optional<V> get(K key) {
        var kept = values.getIfPresent(key);
        if (kept == null || !isGood(kept)) {
            return Optional.empty();
        }
        meter.hit();
        if (keeping.expiry() == CacheExpiry.Expiry.AFTER_READ) {
            kept.since = System.nanoTime();
        }
        return Optional.of(kept.value);
    }

    private boolean isGood(Value<V> kept) {
        if (keeping.expiry() == CacheExpiry.Expiry.NEVER) {
            return true;
        }
        var time = keeping.time();
        var bound = followed && time.compareTo(WHILE_FOLLOWED) < 0 ? WHILE_FOLLOWED : time;
        return System.nanoTime() - kept.since < bound.toNanos();
    }

    /// Loads the value and caches it, unless something changed in the meantime. May block.
    ///
    /// @param source returns null for a value that must not be cached
    public @Nullable V load(K key, Function<K, @Nullable V> source) {
        meter.miss();
        long before = epoch.get();
        var loaded = source.apply(key);
        if (loaded != null && (followed || !keeping.isNothing())) {
            values.put(key, new Value<>(loaded));
            if (epoch.get() != before) {
                values.invalidate(key);
            }
        }
        return loaded;
    }

    public void invalidate(K key) {
        epoch.incrementAndGet();
        values.invalidate(key);
    }

    public void invalidateAll() {
        epoch.incrementAndGet();
        values.invalidateAll();
    }

    /// Declares that every change is reported from now on.
    public void follow() {
        invalidateAll();
        followed = true;
    }

    /// Declares that changes are no longer reported.
    public void lose() {
        followed = false;
        invalidateAll();
    }
}
