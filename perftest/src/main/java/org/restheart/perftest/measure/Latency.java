package org.restheart.perftest.measure;

import org.HdrHistogram.Histogram;

/// Latencies in microseconds. Immutable. All zero when nothing was recorded.
public record Latency(
        double mean, double p50, double p75, double p90, double p95, double p99, double p999, double max) {

    public static final Latency NONE = new Latency(0, 0, 0, 0, 0, 0, 0, 0);

    /// A histogram for nanoseconds from a microsecond to two minutes, exact to 0.1 %. Not thread-safe.
    public static Histogram histogram() {
        return new Histogram(1_000, 120_000_000_000L, 3);
    }

    /// Longer than the histogram's end counts as its end.
    public static void record(Histogram histogram, long nanos) {
        histogram.recordValue(Math.clamp(nanos, 0, histogram.getHighestTrackableValue()));
    }

    public static Latency of(Histogram nanos) {
        if (nanos.getTotalCount() == 0) {
            return NONE;
        }
        return new Latency(
                nanos.getMean() / 1000,
                percentile(nanos, 50),
                percentile(nanos, 75),
                percentile(nanos, 90),
                percentile(nanos, 95),
                percentile(nanos, 99),
                percentile(nanos, 99.9),
                nanos.getMaxValue() / 1000.0);
    }

    private static double percentile(Histogram nanos, double percent) {
        return nanos.getValueAtPercentile(percent) / 1000.0;
    }
}
