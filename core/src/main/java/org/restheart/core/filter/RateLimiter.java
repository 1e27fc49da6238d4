package org.restheart.core.filter;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.restheart.core.config.RateLimitsConfig.Limit;
import org.restheart.http.Fields;

/// Counts requests by name with the generic cell rate algorithm, which stores one number for each name: the
/// theoretical arrival time of its next request. Thread-safe.
///
/// The number of names is bounded; the least recently used ones are forgotten.
final class RateLimiter {
    static final String LIMIT = "RateLimit-Limit";

    private static final int MAX_NAMES = 100_000;
    private static final Duration REMEMBERED = Duration.ofHours(1);

    private final LongSupplier nanoTime;
    private final long began;
    private final LongAdder refused = new LongAdder();
    private final Cache<String, AtomicLong> names = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_NAMES)
            .expireAfterAccess(REMEMBERED)
            .build();

    RateLimiter(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
        this.began = nanoTime.getAsLong();
    }

    /// @param remaining requests that would be admitted now
    /// @param resetSeconds until as many as the burst would be admitted
    /// @param retrySeconds until the next would be admitted; 0 if this one was
    record Outcome(Limit limit, long remaining, long resetSeconds, long retrySeconds) {
        boolean isAdmitted() {
            return retrySeconds == 0;
        }

        /// `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset`.
        Fields headers() {
            return Fields.of(
                    LIMIT,
                    Integer.toString(limit.burst()),
                    "RateLimit-Remaining",
                    Long.toString(remaining),
                    "RateLimit-Reset",
                    Long.toString(resetSeconds));
        }
    }

    Outcome count(String name, Limit limit) {
        long interval = interval(limit);
        long tolerance = limit.burst() * interval;
        var even = names.get(name, _ -> new AtomicLong());
        while (true) {
            long now = now();
            long before = even.get();
            long next = Math.max(before, now) + interval;
            long ahead = next - now;
            if (ahead > tolerance) {
                refused.increment();
                return new Outcome(limit, 0, seconds(ahead - interval), Math.max(1, seconds(ahead - tolerance)));
            }
            if (even.compareAndSet(before, next)) {
                return new Outcome(limit, (tolerance - ahead) / interval, seconds(ahead), 0);
            }
        }
    }

    /// Undoes [#count] of a request that was admitted.
    void giveBack(String name, Limit limit) {
        var even = names.getIfPresent(name);
        if (even != null) {
            even.addAndGet(-interval(limit));
        }
    }

    /// Requests that were not admitted.
    long refused() {
        return refused.sum();
    }

    private static long interval(Limit limit) {
        return TimeUnit.MINUTES.toNanos(1) / limit.perMinute();
    }

    private static long seconds(long nanos) {
        return Math.ceilDiv(nanos, TimeUnit.SECONDS.toNanos(1));
    }

    /// Never negative, so that 0 can stand for a new name.
    private long now() {
        return nanoTime.getAsLong() - began;
    }
}
