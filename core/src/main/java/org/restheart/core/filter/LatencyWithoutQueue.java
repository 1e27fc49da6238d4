package org.restheart.core.filter;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/// An estimate of how long requests take that do not wait for each other: the tenth percentile of the last interval in
/// which none was refused, or a lower one since. While requests begin to wait for each other, the estimate follows more
/// slowly than their number grows, and it is bounded. A few requests that are answered at once do not lower it.
/// Thread-safe.
final class LatencyWithoutQueue {
    /// Of an interval; the first ones.
    private static final int SAMPLES = 64;

    /// Fewer have no tenth percentile.
    private static final int ENOUGH = 10;

    private static final Duration HIGHEST = Duration.ofSeconds(1);

    private final AtomicLongArray samples = new AtomicLongArray(SAMPLES);
    private final AtomicInteger count = new AtomicInteger();
    private volatile long estimate;

    void add(long nanos) {
        if (count.get() < SAMPLES) {
            int number = count.getAndIncrement();
            if (number < SAMPLES) {
                samples.set(number, Math.min(nanos, HIGHEST.toNanos()));
            }
        }
    }

    /// Ends an interval. Called by one thread at a time.
    ///
    /// @param overload whether requests are refused
    void intervalEnded(boolean overload) {
        int number = Math.min(count.get(), SAMPLES);
        if (number < ENOUGH) {
            return;
        }
        var sorted = new long[number];
        Arrays.setAll(sorted, samples::get);
        Arrays.sort(sorted);
        long latency = sorted[number / 10];
        estimate = overload ? Math.min(estimate, latency) : latency;
        count.set(0);
    }

    /// Makes the estimate zero until the overload ends.
    void forget() {
        estimate = 0;
    }

    /// Zero while it is unknown.
    long nanos() {
        return estimate;
    }
}
