package org.restheart.core.metrics;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/// The requests of one set of labels. Recording takes no lock. Thread-safe.
final class Series {
    /// How often [#tick()] is to be called.
    static final int TICK_SECONDS = 5;

    private final String labels;
    private final LongAdder count = new LongAdder();
    private final LongAdder nanos = new LongAdder();
    private final DecayingHistogram durations = new DecayingHistogram();
    private final DurationBuckets buckets = new DurationBuckets();
    private final List<MovingRate> rates = List.of(new MovingRate(15), new MovingRate(5), new MovingRate(1));
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
        rates.forEach(rate -> rate.tick(events));
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

    List<MovingRate> rates() {
        return rates;
    }

    /// Since the first request.
    double overall() {
        double seconds = (nanoTime.getAsLong() - began) / 1e9;
        return seconds > 0 ? count() / seconds : 0;
    }

    /// Events per second, averaged with exponentially fading weights, as the load average of Unix is. Ticked by one
    /// thread, read by any.
    static final class MovingRate {
        private final int minutes;
        private final double weight;
        private volatile double perSecond = Double.NaN;

        /// @param minutes over which to average
        MovingRate(int minutes) {
            this.minutes = minutes;
            this.weight = 1 - Math.exp(-Series.TICK_SECONDS / 60.0 / minutes);
        }

        String period() {
            return minutes + (minutes == 1 ? " minute" : " minutes");
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

    /// Durations counted in the buckets of a Prometheus histogram, which can be added up over servers, unlike
    /// quantiles. Each bucket keeps the last request that had a trace, as exemplar. Thread-safe.
    static final class DurationBuckets {
        /// Upper bounds in seconds, inclusive; a last bucket has no bound.
        private static final double[] BOUNDS = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

        private final LongAdder[] counts = new LongAdder[BOUNDS.length + 1];
        private final AtomicReferenceArray<@Nullable Exemplar> exemplars =
                new AtomicReferenceArray<>(BOUNDS.length + 1);

        /// @param trace the id of the trace, in hexadecimal digits
        /// @param seconds the duration
        /// @param at seconds since 1970
        record Exemplar(String trace, double seconds, double at) {}

        /// @param bound as the label `le` has it
        /// @param count of requests that took at most this long
        record Bucket(String bound, long count, Optional<Exemplar> exemplar) {}

        DurationBuckets() {
            for (int i = 0; i < counts.length; i++) {
                counts[i] = new LongAdder();
            }
        }

        void record(double seconds, Optional<String> trace) {
            int bucket = 0;
            while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]) {
                bucket++;
            }
            counts[bucket].increment();
            if (trace.isPresent()) {
                exemplars.setPlain(bucket, new Exemplar(trace.get(), seconds, System.currentTimeMillis() / 1e3));
            }
        }

        /// Cumulative, ascending; the last one is that without a bound.
        Bucket[] cumulative() {
            var buckets = new Bucket[counts.length];
            long total = 0;
            for (int i = 0; i < buckets.length; i++) {
                total += counts[i].sum();
                var bound = i < BOUNDS.length ? Double.toString(BOUNDS[i]) : "+Inf";
                buckets[i] = new Bucket(bound, total, Optional.ofNullable(exemplars.get(i)));
            }
            return buckets;
        }
    }
}
