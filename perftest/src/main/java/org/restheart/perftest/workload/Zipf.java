package org.restheart.perftest.workload;

import java.util.SplittableRandom;

/// YCSB's scrambled Zipfian distribution (Gray et al., "Quickly generating billion-record synthetic databases", 1994).
/// Immutable.
public final class Zipf {
    private static final double THETA = 0.99;

    /// A prime, so that ranks which follow each other are far apart.
    private static final long SCRAMBLE = 2_654_435_761L;

    private final int items;
    private final double zeta;
    private final double eta;

    public Zipf(int items) {
        this.items = items;
        double sum = 0;
        for (int i = 1; i <= items; i++) {
            sum += 1 / Math.pow(i, THETA);
        }
        zeta = sum;
        eta = (1 - Math.pow(2.0 / items, 1 - THETA)) / (1 - (1 + Math.pow(0.5, THETA)) / zeta);
    }

    /// From 0 to the number of items, exclusive.
    public int next(SplittableRandom random) {
        return (int) (rank(random.nextDouble()) * SCRAMBLE % items);
    }

    private long rank(double u) {
        if (u * zeta < 1) {
            return 0;
        }
        if (u * zeta < 1 + Math.pow(0.5, THETA)) {
            return 1;
        }
        return Math.min(items - 1, (long) (items * Math.pow(eta * u - eta + 1, 1 / (1 - THETA))));
    }
}
