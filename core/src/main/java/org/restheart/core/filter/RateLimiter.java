package org.restheart.core.filter;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
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
    private static final int REPORTS_PER_BURST = 20;
    private static final int MAX_REPORTED = 5_000;

    /// The longest time by which requests that others admitted beyond the burst delay the next one, in
    /// nanoseconds.
    private static final long MAX_DEBT = TimeUnit.MINUTES.toNanos(1);

    private final LongSupplier nanoTime;
    private final long began;
    private final LongAdder refused = new LongAdder();
    private final boolean shared;

    /// Requests that were admitted here and have not been reported yet, by name; empty if they need not be
    /// reported.
    private final ConcurrentMap<String, Long> admitted = new ConcurrentHashMap<>();
    private final Cache<String, AtomicLong> names = Caffeine.newBuilder()
            .executor(Runnable::run)
            .maximumSize(MAX_NAMES)
            .expireAfterAccess(REMEMBERED)
            .build();

    /// @param shared whether [#report] is called
    RateLimiter(LongSupplier nanoTime, boolean shared) {
        this.nanoTime = nanoTime;
        this.shared = shared;
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
                if (shared) {
                    remember(name);
                }
                return new Outcome(limit, (tolerance - ahead) / interval, seconds(ahead), 0);
            }
        }
    }

    /// For the next report, which may be late: while MongoDB does not answer there is none.
    private void remember(String name) {
        if (admitted.computeIfPresent(name, (_, count) -> count + 1) == null && admitted.size() < MAX_NAMES) {
            admitted.merge(name, 1L, Long::sum);
        }
    }

    /// The requests that were admitted since the last report. Names with few requests are reported when they
    /// have more, so that reports are short.
    Map<String, Long> report(Limit limit) {
        long enough = Math.max(1, limit.burst() / REPORTS_PER_BURST);
        var report = new HashMap<String, Long>();
        for (var name : admitted.keySet()) {
            if (report.size() < MAX_REPORTED && admitted.getOrDefault(name, 0L) >= enough) {
                var count = admitted.remove(name);
                if (count != null) {
                    report.put(name, count);
                }
            }
        }
        if (admitted.size() >= MAX_NAMES) {
            admitted.clear();
        }
        return report;
    }

    /// Counts requests that others have admitted. They may be more than the limit, which then takes longer to
    /// admit the next: on average all together admit what one would.
    void countElsewhere(Map<String, Long> requests, Limit limit) {
        long interval = interval(limit);
        long most = limit.burst() * interval + MAX_DEBT;
        requests.forEach((name, count) -> names.get(name, _ -> new AtomicLong()).updateAndGet(before -> {
            long now = now();
            long counted = Math.clamp(count, 0, most / interval + 1);
            return Math.min(Math.max(before, now) + counted * interval, now + most);
        }));
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
