package org.restheart.core.metrics;

import java.util.concurrent.atomic.AtomicLongArray;

/// The distribution of recent durations: old ones fade, by half every 46 seconds, so that after five minutes
/// they hardly count. Recording is one atomic addition; values are kept to within 2 percent. Thread-safe.
final class DecayingHistogram {
    /// Buckets per doubling.
    private static final int STEPS = 32;
    private static final int STEP_BITS = 5;

    /// In microseconds; longer ones count as this long, which is 12 days.
    private static final long MAX_MICROS = 1L << 40;
    private static final int BUCKETS = index(MAX_MICROS) + 1;

    /// The weight of a new value, large enough to decay slowly in integers.
    private static final long WEIGHT = 1L << 20;
    private static final double FADING_PER_SECOND = 0.015;

    private final AtomicLongArray weights = new AtomicLongArray(BUCKETS);

    void record(long micros) {
        weights.getAndAdd(index(Math.clamp(micros, 0, MAX_MICROS)), WEIGHT);
    }

    /// Exact below 64, then 32 buckets per doubling.
    private static int index(long micros) {
        int shift = Math.max(0, Long.SIZE - 1 - Long.numberOfLeadingZeros(micros | 1) - STEP_BITS);
        return shift * STEPS + (int) (micros >>> shift);
    }

    private static double middle(int index) {
        int shift = Math.max(0, index / STEPS - 1);
        long low = (long) (index - shift * STEPS) << shift;
        return low + ((1L << shift) - 1) / 2.0;
    }

    /// Decays the recorded values by a number of seconds.
    void fade(double seconds) {
        double factor = Math.exp(-FADING_PER_SECOND * seconds);
        for (int i = 0; i < BUCKETS; i++) {
            if (weights.get(i) > 0) {
                weights.getAndUpdate(i, weight -> (long) (weight * factor));
            }
        }
    }

    /// The values below which the given shares of all durations lie, in microseconds; zeros if there are none.
    ///
    /// @param shares from 0 to 1, ascending
    double[] quantiles(double[] shares) {
        var snapshot = new long[BUCKETS];
        long total = 0;
        for (int i = 0; i < BUCKETS; i++) {
            snapshot[i] = weights.get(i);
            total += snapshot[i];
        }
        var values = new double[shares.length];
        int bucket = -1;
        long below = 0;
        for (int s = 0; s < shares.length && total > 0; s++) {
            while (bucket < BUCKETS - 1 && (below < shares[s] * total || bucket < 0)) {
                below += snapshot[++bucket];
            }
            values[s] = middle(bucket);
        }
        return values;
    }
}
