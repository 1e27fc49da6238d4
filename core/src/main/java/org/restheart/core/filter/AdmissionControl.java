package org.restheart.core.filter;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.restheart.http.access.CallerScope;

/// Counts the requests in progress by caller, and decides which ones to refuse when requests arrive faster than
/// they are completed. Thread-safe.
///
/// The limit is the number of requests that are completed in [#DELAY] and [LatencyWithoutQueue], so that by Little's
/// law each waits for others about [#DELAY], and at least that of [ConcurrencyFloor]. It may be exceeded for
/// [#MAX_BURST], or less ([#SHORT_BURST]). After that each caller has an equal share of the limit: a caller with few
/// concurrent requests is never refused, however many another one sends. One client may have many addresses, but not
/// many accounts: all callers without an account have half of the limit together while accounts have requests in
/// progress. While no request is completed at all, and there was no overload before, none is refused: that is a
/// failure, and requests have time limits.
final class AdmissionControl {
    /// The number of completed requests that ends a period of [ConcurrencyFloor], unless [#LONGEST_PERIOD]
    /// does.
    private static final int PERIOD = 100;

    /// Shorter ones tell nothing about callers whose requests are few.
    private static final Duration SHORTEST_PERIOD = Duration.ofSeconds(1);

    private static final Duration LONGEST_PERIOD = Duration.ofSeconds(3);

    /// A trial of [ConcurrencyFloor] that could not be judged until then has failed: requests that were in
    /// progress before may stay for as long as their callers like, and a low floor with them.
    private static final Duration LONGEST_TRIAL = Duration.ofSeconds(20);

    /// A trial of fewer requests has failed if after this time less than half was completed, also while their number
    /// still falls: where requests wait for each other, as many are completed as before.
    private static final Duration CERTAIN_LOSS = Duration.ofSeconds(2);

    /// Callers whose throughput is compared in a trial.
    private static final int MAX_COMPARED = 1_000;

    private static final int NO_LIMIT = Integer.MAX_VALUE / 2;

    private static final Duration DELAY = Duration.ofMillis(200);

    /// How long the limit may be exceeded; also the interval in which it is computed.
    private static final Duration MAX_BURST = Duration.ofMillis(500);

    /// The limit may be exceeded for this time only, if what is completed meanwhile shows that requests will wait for
    /// each other for longer than [#LONGEST_WAIT].
    private static final Duration SHORT_BURST = Duration.ofMillis(200);

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    /// For this time after a refusal the limit must not be exceeded.
    private static final Duration AFTER_REFUSAL = Duration.ofSeconds(5);

    /// The floor is kept for this time after a refusal.
    private static final Duration KEEP_FLOOR = Duration.ofSeconds(30);

    private static final long NEVER = Long.MIN_VALUE;

    private final LongSupplier clock;

    /// Requests in progress, by account and by address.
    private final ConcurrentMap<String, Integer> accounts = new ConcurrentHashMap<>();

    private final ConcurrentMap<String, Integer> addresses = new ConcurrentHashMap<>();
    private final AtomicInteger inProgress = new AtomicInteger();
    private final LatencyWithoutQueue latency = new LatencyWithoutQueue();
    private final LongAdder done = new LongAdder();

    /// In the current period, while there is one.
    private final ConcurrentMap<String, Integer> doneByCaller = new ConcurrentHashMap<>();

    private volatile boolean countsByCaller;
    private final AtomicLong counted;
    private final AtomicLong fullSince = new AtomicLong(NEVER);

    /// Of [#done], at that moment.
    private volatile long doneWhenFull;

    private volatile long lastRefusal = NEVER;
    private volatile int limit = ConcurrencyFloor.INITIAL;

    @GuardedBy("floor")
    private final ConcurrencyFloor floor = new ConcurrencyFloor();

    /// Whether requests were refused when the last one was completed.
    @GuardedBy("floor")
    private boolean wasOverloaded;

    @GuardedBy("floor")
    private long countedDone;

    @GuardedBy("floor")
    private long periodBegan = NEVER;

    @GuardedBy("floor")
    private long doneInPeriod;

    @GuardedBy("floor")
    private long trialBegan = NEVER;

    @GuardedBy("floor")
    private long doneBeforeTrial;

    /// @param clock [System#nanoTime()], or a test's
    AdmissionControl(LongSupplier clock) {
        this.clock = clock;
        this.counted = new AtomicLong(clock.getAsLong());
    }

    /// Admits a request, for which [#leave] or [#leaveUndone] must be called later.
    ///
    /// @param caller see [CallerScope]
    /// @return false if the request must be refused; it is not counted then
    boolean enter(String caller) {
        int own = of(caller).merge(caller, 1, Integer::sum);
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
        if (!isOverloaded(now) || own <= Math.max(1, share(caller, limit))) {
            return true;
        }
        lastRefusal = now;
        leaveUndone(caller);
        return false;
    }

    private ConcurrentMap<String, Integer> of(String caller) {
        return CallerScope.isAccount(caller) ? accounts : addresses;
    }

    private int share(String caller, int limit) {
        int part = accounts.isEmpty() || addresses.isEmpty() ? limit : limit / 2;
        return part / Math.max(1, of(caller).size());
    }

    /// Ends a request that was completed, and that has not waited for its client.
    ///
    /// @param nanos since [#enter]
    void leave(String caller, long nanos) {
        latency.add(nanos);
        leave(caller);
    }

    /// Ends a request that was completed.
    void leave(String caller) {
        leaveUndone(caller);
        done.increment();
        if (countsByCaller && (doneByCaller.size() < MAX_COMPARED || doneByCaller.containsKey(caller))) {
            doneByCaller.merge(caller, 1, Integer::sum);
        }
    }

    /// Counts a request again that [#leaveUndone] has ended for a time. It is not refused any more.
    void resume(String caller) {
        of(caller).merge(caller, 1, Integer::sum);
        inProgress.incrementAndGet();
    }

    /// Ends a request that goes on after a wait: it does not count as completed.
    void leaveUndone(String caller) {
        of(caller).computeIfPresent(caller, (_, count) -> count == 1 ? null : count - 1);
        inProgress.decrementAndGet();
    }

    private boolean isOverloaded(long now) {
        if (refusedWithin(AFTER_REFUSAL, now)) {
            return true;
        }
        if (fullSince.compareAndSet(NEVER, now)) {
            doneWhenFull = done.sum();
        }
        long since = fullSince.get();
        return since != NEVER && (now - since >= MAX_BURST.toNanos() || waitsTooLong(now - since));
    }

    /// By Little's law, from what was completed in this time.
    private boolean waitsTooLong(long elapsed) {
        if (elapsed < SHORT_BURST.toNanos()) {
            return false;
        }
        long completed = done.sum() - doneWhenFull;
        long longest = LONGEST_WAIT.toNanos() + latency.nanos();
        return completed > 0 && (double) inProgress.get() * elapsed / completed > longest;
    }

    private boolean refusedWithin(Duration time, long now) {
        long refused = lastRefusal;
        return refused != NEVER && now - refused < time.toNanos();
    }

    private void count(long now) {
        long last = counted.get();
        long elapsed = now - last;
        if (elapsed >= MAX_BURST.toNanos() && counted.compareAndSet(last, now)) {
            long all = done.sum();
            synchronized (floor) {
                long completed = all - countedDone;
                countedDone = all;
                latency.intervalEnded(refusedWithin(KEEP_FLOOR, now));
                judgeFloor(completed, now);
                if (completed > 0) {
                    wasOverloaded = refusedWithin(AFTER_REFUSAL, now);
                    long alone = floor.isTrialOfFewer() ? 0 : latency.nanos();
                    limit = Math.clamp(inTime(completed, elapsed, alone), floor.value(), NO_LIMIT);
                } else if (!wasOverloaded) {
                    limit = NO_LIMIT;
                }
            }
        }
    }

    /// @param completed requests since the last call
    @GuardedBy("floor")
    private void judgeFloor(long completed, long now) {
        if (!refusedWithin(KEEP_FLOOR, now)) {
            floor.reset();
        }
        long tried = now - trialBegan;
        if (floor.isTrial()
                && (tried >= LONGEST_TRIAL.toNanos()
                        || (tried >= CERTAIN_LOSS.toNanos()
                                && floor.isLoss((countedDone - doneBeforeTrial) * 1e9 / tried)))) {
            floor.giveUp();
            periodBegan = NEVER;
        }
        boolean settled = inProgress.get() <= limit + limit / 4; // what the former limit admitted is completed
        countsByCaller = settled && refusedWithin(AFTER_REFUSAL, now);
        if (!countsByCaller || periodBegan == NEVER) {
            periodBegan = countsByCaller ? now : NEVER;
            doneInPeriod = 0;
            doneByCaller.clear();
            return;
        }
        doneInPeriod += completed;
        long elapsed = now - periodBegan;
        boolean enough = doneInPeriod >= PERIOD && elapsed >= SHORTEST_PERIOD.toNanos();
        if (enough || elapsed >= LONGEST_PERIOD.toNanos()) {
            var rate = ConcurrencyFloor.Throughput.of(doneByCaller, doneInPeriod, elapsed / 1e9);
            boolean refused = refusedWithin(SHORTEST_PERIOD, now);
            floor.periodEnded(rate, inTime(doneInPeriod, elapsed, 0), latency, refused);
            periodBegan = NEVER;
            trialBegan = now;
            doneBeforeTrial = countedDone;
        }
    }

    /// The number of requests that are completed in [#DELAY] and the time that each takes by itself.
    private static int inTime(long completed, long elapsed, long alone) {
        return (int) Math.min(NO_LIMIT, (double) completed * (DELAY.toNanos() + alone) / elapsed);
    }
}
