package org.restheart.security.cache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Values of a source that changes elsewhere. While the source is followed ([#follow()] until
/// [#lose()]) a value is good until its change is told; otherwise as long as configured. Failures are never
/// kept. Thread-safe.
public final class InvalidatedCache<K, V> {
    /// Changes are told, but a message may be lost once in a while.
    private static final Duration WHILE_FOLLOWED = Duration.ofMinutes(1);

    private final CacheExpiry keeping;
    private final Cache<K, Value<V>> values;
    /// Counts everything that makes a value loaded before it doubtful.
    private final AtomicLong epoch = new AtomicLong();

    private volatile boolean followed;

    private static final class Value<V> {
        private final V value;
        private volatile long since = System.nanoTime();

        private Value(V value) {
            this.value = value;
        }
    }

    public InvalidatedCache(CacheExpiry keeping) {
        this.keeping = keeping;
        this.values = Caffeine.newBuilder()
                .executor(Runnable::run)
                .maximumSize(keeping.maxEntries())
                .build();
    }

    /// The value if it is at hand and good.
    public Optional<V> get(K key) {
        var kept = values.getIfPresent(key);
        if (kept == null || !isGood(kept)) {
            return Optional.empty();
        }
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

    /// Loads the value and keeps it, unless something changed meanwhile. May wait.
    ///
    /// @param source gives null for what must not be kept
    public @Nullable V load(K key, Function<K, @Nullable V> source) {
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

    /// This one has changed.
    public void forget(K key) {
        epoch.incrementAndGet();
        values.invalidate(key);
    }

    /// Any of them may have changed.
    public void forgetAll() {
        epoch.incrementAndGet();
        values.invalidateAll();
    }

    /// From now on every change is told.
    public void follow() {
        forgetAll();
        followed = true;
    }

    /// From now on changes go untold.
    public void lose() {
        followed = false;
        forgetAll();
    }
}
