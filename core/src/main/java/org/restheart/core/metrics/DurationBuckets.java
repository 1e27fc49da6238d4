package org.restheart.core.metrics;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Durations counted in the buckets of a Prometheus histogram, which can be added up over servers, unlike quantiles.
/// Each bucket keeps the last request that had a trace, as exemplar. Thread-safe.
final class DurationBuckets {
    /// Upper bounds in seconds, inclusive; a last bucket has no bound.
    private static final double[] BOUNDS = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};

    private final LongAdder[] counts = new LongAdder[BOUNDS.length + 1];
    private final AtomicReferenceArray<@Nullable Exemplar> exemplars = new AtomicReferenceArray<>(BOUNDS.length + 1);

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
