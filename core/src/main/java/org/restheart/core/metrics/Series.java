package org.restheart.core.metrics;

import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/// The requests of one set of labels. Recording takes no lock. Thread-safe.
final class Series {
    /// How often [#tick()] is to be called.
    static final int TICK_SECONDS = 5;

    private final String labels;
    private final LongAdder count = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final DecayingHistogram durations = new DecayingHistogram();
    private final DurationBuckets buckets = new DurationBuckets();
    private final MovingRate perOneMinute = new MovingRate(1);
    private final MovingRate perFiveMinutes = new MovingRate(5);
    private final MovingRate perFifteenMinutes = new MovingRate(15);
    private final LongSupplier nanoTime;
    private final long began;
    private long countAtTick;

    /// @param labels as the Prometheus text format has them, each with a comma behind it
    Series(String labels, LongSupplier nanoTime) {
        this.labels = labels;
        this.nanoTime = nanoTime;
        this.began = nanoTime.getAsLong();
    }

    /// @param trace the id of the request's trace, if it has one
    void record(long durationNanos, Optional<String> trace) {
        count.increment();
        nanos.add(durationNanos);
        durations.record(TimeUnit.NANOSECONDS.toMicros(durationNanos));
        buckets.record(durationNanos / 1e9, trace);
    }

    /// To be called by one thread.
    void tick() {
        long now = count.sum();
        long events = now - countAtTick;
        countAtTick = now;
        perOneMinute.tick(events);
        perFiveMinutes.tick(events);
        perFifteenMinutes.tick(events);
        durations.fade(TICK_SECONDS);
    }

    String labels() {
        return labels;
    }

    double count() {
        return count.sum();
    }

    double seconds() {
        return nanos.sum() / 1e9;
    }

    /// In seconds.
    double[] quantiles(double[] shares) {
        var values = durations.quantiles(shares);
        for (int i = 0; i < values.length; i++) {
            values[i] /= 1e6;
        }
        return values;
    }

    DurationBuckets.Bucket[] buckets() {
        return buckets.cumulative();
    }

    double perFifteenMinutes() {
        return perFifteenMinutes.perSecond();
    }

    double perFiveMinutes() {
        return perFiveMinutes.perSecond();
    }

    double perOneMinute() {
        return perOneMinute.perSecond();
    }

    /// Since the first request.
    double overall() {
        double seconds = (nanoTime.getAsLong() - began) / 1e9;
        return seconds > 0 ? count() / seconds : 0;
    }

    /// Events per second, averaged with exponentially fading weights, as the load average of Unix is. Ticked by one
    /// thread, read by any.
    private static final class MovingRate {
        private final double weight;
        private volatile double perSecond = Double.NaN;

        /// @param minutes over which to average
        MovingRate(int minutes) {
            this.weight = 1 - Math.exp(-Series.TICK_SECONDS / 60.0 / minutes);
        }

        /// @param events since the tick before
        void tick(long events) {
            double now = (double) events / Series.TICK_SECONDS;
            perSecond = Double.isNaN(perSecond) ? now : perSecond + weight * (now - perSecond);
        }

        /// Zero before the first tick.
        double perSecond() {
            return Double.isNaN(perSecond) ? 0 : perSecond;
        }
    }
}
