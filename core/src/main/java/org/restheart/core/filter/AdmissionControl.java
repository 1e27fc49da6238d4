package org.restheart.core.filter;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// Counts the requests in progress by caller, and says which are too many when they come faster than they are done.
/// Thread-safe.
///
/// As many may be in progress as are done in [#DELAY], so that by Little's law each takes about as long, and always
/// [#LEAST]. More are a burst unless they stay for [#PATIENCE]. Beyond that each caller has an equal share: a caller
/// with few requests at a time is never refused, however many another one sends. While nothing is done at all, nothing
/// is refused: that is a failure, not overload, and requests have time limits.
final class AdmissionControl {
    /// Twice as many as there are connections to MongoDB by default: the next ones wait for no more than one operation.
    private static final int LEAST = 256;

    private static final Duration DELAY = Duration.ofMillis(250);

    /// Also how often it is counted how many requests are done.
    private static final Duration PATIENCE = Duration.ofMillis(500);

    /// For so long after a refusal there is no patience with another burst.
    private static final Duration MEMORY = Duration.ofSeconds(5);

    private static final long NEVER = Long.MIN_VALUE;

    private final LongSupplier clock;
    private final ConcurrentMap<Object, Integer> callers = new ConcurrentHashMap<>();
    private final AtomicInteger inProgress = new AtomicInteger();
    private final LongAdder done = new LongAdder();
    private final AtomicLong counted;
    private final AtomicLong fullSince = new AtomicLong(NEVER);
    private volatile long lastRefusal = NEVER;
    private volatile int limit = LEAST;

    /// @param clock [System#nanoTime()], or a test's
    AdmissionControl(LongSupplier clock) {
        this.clock = clock;
        this.counted = new AtomicLong(clock.getAsLong());
    }

    /// Begins a request, which [#leave] ends.
    ///
    /// @param caller compares by value
    /// @return false if it is one too many; it has not begun then
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

    /// The request is done.
    void leave(Object caller) {
        end(caller);
        done.increment();
    }

    /// The request begins anew, on another thread.
    void leaveUndone(Object caller) {
        end(caller);
    }

    private void end(Object caller) {
        callers.computeIfPresent(caller, (_, count) -> count == 1 ? null : count - 1);
        inProgress.decrementAndGet();
    }

    private boolean isOverloaded(long now) {
        long refused = lastRefusal;
        if (refused != NEVER && now - refused < MEMORY.toNanos()) {
            return true;
        }
        fullSince.compareAndSet(NEVER, now);
        long since = fullSince.get();
        return since != NEVER && now - since >= PATIENCE.toNanos();
    }

    private void count(long now) {
        long before = counted.get();
        long elapsed = now - before;
        if (elapsed >= PATIENCE.toNanos() && counted.compareAndSet(before, now)) {
            long completed = done.sumThenReset();
            long inTime = (long) ((double) completed * DELAY.toNanos() / elapsed);
            limit = completed == 0 ? Integer.MAX_VALUE : Math.clamp(inTime, LEAST, Integer.MAX_VALUE);
        }
    }
}
