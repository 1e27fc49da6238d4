package org.restheart.perftest.measure;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/// What one thread has counted within the recorded time. Confined to that thread until it has ended.
public final class Tally {
    private final Histogram latencies = Latency.histogram();
    private final Map<String, Long> errors = new TreeMap<>();
    private long last = Long.MIN_VALUE;

    public void success(long now, long nanos) {
        Latency.record(latencies, nanos);
        last = now;
    }

    public void failure(long now, String kind) {
        errors.merge(kind, 1L, Long::sum);
        last = now;
    }

    public void add(Tally other) {
        latencies.add(other.latencies);
        other.errors.forEach((kind, count) -> errors.merge(kind, count, Long::sum));
        last = Math.max(last, other.last);
    }

    public Measurement measurement(Clock clock, CpuUse cpu) {
        return measurement(clock.seconds(last), Optional.empty(), cpu);
    }

    public Measurement measurement(double seconds, Optional<Double> busy, CpuUse cpu) {
        return new Measurement(seconds, latencies.getTotalCount(), Latency.of(latencies), errors, 0, busy, cpu);
    }
}
