package org.restheart.mongo.description;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoException;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.restheart.http.access.CallerScope;

/// A cache whose expired values stay in use while MongoDB cannot be reached. One thread loads a value, others
/// wait for it. Thread-safe.
final class Remembered<K, V> {
    private static final int MAX_ENTRIES = 5_000;

    /// The least time between two attempts to load a value after a failure.
    private static final Duration PAUSE = Duration.ofSeconds(5);

    private final long ttl;
    private final Function<K, V> load;
    private final Cache<K, Slot<K, V>> slots = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_ENTRIES)
            .build();

    /// @param ttl zero to load each time, negative to keep values until they are forgotten
    Remembered(Duration ttl, Function<K, V> load) {
        this.ttl = ttl.isNegative() ? Long.MAX_VALUE : ttl.toNanos();
        this.load = load;
    }

    /// The cached or loaded value.
    ///
    /// @throws MongoException if it cannot be loaded and none is cached
    V get(K key) {
        return slots.get(key, _ -> new Slot<>()).get(key, ttl, load);
    }

    void forget(K key) {
        slots.invalidate(key);
    }

    void forgetIf(Predicate<K> condition) {
        slots.asMap().keySet().removeIf(condition);
    }

    private static final class Slot<K, V> {
        private @Nullable V value;
        private long until;

        private synchronized V get(K key, long ttl, Function<K, V> load) {
            var known = value;
            long now = System.nanoTime();
            if (known != null && (ttl == Long.MAX_VALUE || now - until < 0)) {
                return known;
            }
            try {
                var loaded = CallerScope.lookUp(() -> load.apply(key)); // others wait for it
                value = loaded;
                until = System.nanoTime() + ttl;
                return loaded;
            } catch (MongoException e) {
                if (known == null) {
                    throw e;
                }
                until = System.nanoTime() + Math.max(ttl, PAUSE.toNanos());
                return known;
            }
        }
    }
}
