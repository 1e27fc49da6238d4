package org.restheart.core.filter;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// Counts the requests in progress by caller, and decides which ones to refuse when requests arrive faster than
/// they are completed. Thread-safe.
///
/// The limit is the number of requests that are completed in [#DELAY], so that by Little's law each takes about
/// that long, and at least [#MIN_LIMIT]. It may be exceeded for [#MAX_BURST]. After that each caller has an equal
/// share of the limit: a caller with few concurrent requests is never refused, however many another one sends.
/// While no request is completed at all, none is refused: that is a failure, not overload, and requests have time
/// limits.
final class AdmissionControl {
    /// Twice the default number of connections to MongoDB: a request then waits for about one operation of
    /// another.
    private static final int MIN_LIMIT = 256;

    private static final Duration DELAY = Duration.ofMillis(250);

    /// How long the limit may be exceeded; also the interval in which it is computed.
    private static final Duration MAX_BURST = Duration.ofMillis(500);

    /// For this time after a refusal the limit must not be exceeded.
    private static final Duration AFTER_REFUSAL = Duration.ofSeconds(5);

    private static final long NEVER = Long.MIN_VALUE;

    private final LongSupplier clock;
    private final ConcurrentMap<Object, Integer> callers = new ConcurrentHashMap<>();
    private final AtomicInteger inProgress = new AtomicInteger();
    private final LongAdder done = new LongAdder();
    private final AtomicLong counted;
    private final AtomicLong fullSince = new AtomicLong(NEVER);
    private volatile long lastRefusal = NEVER;
    private volatile int limit = MIN_LIMIT;

    /// @param clock [System#nanoTime()], or a test's
    AdmissionControl(LongSupplier clock) {
        this.clock = clock;
        this.counted = new AtomicLong(clock.getAsLong());
    }

    /// Admits a request, for which [#leave] or [#leaveUndone] must be called later.
    ///
    /// @param caller compares by value
    /// @return false if the request must be refused; it is not counted then
    boolean enter(Object caller) {
        int own = callers.merge(caller, 1, Integer::sum);
        int all = inProgress.incrementAndGet();
        long now = clock.getAsLong();
        count(now);
        int limit = this.limit;
        if (all <= limit) {
            if (fullSince.get() != NEVER) {
                fullSince.set(NEVER);
            }
            return true;
        }
        if (!isOverloaded(now) || own <= Math.max(1, limit / callers.size())) {
            return true;
        }
        lastRefusal = now;
        end(caller);
        return false;
    }

    /// Ends a request that was completed.
    void leave(Object caller) {
        end(caller);
        done.increment();
    }

    /// Ends a request that starts again on another thread: it does not count as completed.
    void leaveUndone(Object caller) {
        end(caller);
    }

    private void end(Object caller) {
        callers.computeIfPresent(caller, (_, count) -> count == 1 ? null : count - 1);
        inProgress.decrementAndGet();
    }

    private boolean isOverloaded(long now) {
        long refused = lastRefusal;
        if (refused != NEVER && now - refused < AFTER_REFUSAL.toNanos()) {
            return true;
        }
        fullSince.compareAndSet(NEVER, now);
        long since = fullSince.get();
        return since != NEVER && now - since >= MAX_BURST.toNanos();
    }

    private void count(long now) {
        long before = counted.get();
        long elapsed = now - before;
        if (elapsed >= MAX_BURST.toNanos() && counted.compareAndSet(before, now)) {
            long completed = done.sumThenReset();
            long inTime = (long) ((double) completed * DELAY.toNanos() / elapsed);
            limit = completed == 0 ? Integer.MAX_VALUE : Math.clamp(inTime, MIN_LIMIT, Integer.MAX_VALUE);
        }
    }
}
