package org.restheart.perftest.measure;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/// What one thread has counted within the recorded time. Confined to that thread until it has ended.
public final class Tally {
    private final Histogram latencies = Latency.histogram();
    private final Map<String, Long> errors = new TreeMap<>();
    private long bytes;
    private long behind;
    private Optional<Double> busy = Optional.empty();
    private long last = Long.MIN_VALUE;

    public void success(long now, long nanos) {
        Latency.record(latencies, nanos);
        last = now;
    }

    public void failure(long now, String kind) {
        errors.merge(kind, 1L, Long::sum);
        last = now;
    }

    public void received(int n) {
        bytes += n;
    }

    public void behind(long requests) {
        behind = requests;
    }

    /// @param share of the recorded time in which the thread ran
    public void busy(double share) {
        busy = Optional.of(share);
    }

    public void add(Tally other) {
        latencies.add(other.latencies);
        other.errors.forEach((kind, count) -> errors.merge(kind, count, Long::sum));
        bytes += other.bytes;
        behind += other.behind;
        if (other.busy.orElse(0.0) >= busy.orElse(0.0)) {
            busy = other.busy;
        }
        last = Math.max(last, other.last);
    }

    public Measurement measurement(Clock clock, CpuUse cpu) {
        return new Measurement(
                clock.seconds(last),
                latencies.getTotalCount(),
                Latency.of(latencies),
                errors,
                bytes,
                behind,
                busy,
                cpu);
    }
}
