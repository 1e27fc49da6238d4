package org.restheart.perftest.measure;

import java.util.Map;
import java.util.Optional;

/// What one run of one subject showed. Immutable.
///
/// @param operations that succeeded within the recorded time
/// @param latency of those, from the moment they were due (open loop) or sent (closed loop)
/// @param errors failed operations by kind: a status such as `HTTP 503`, `timeout`, `connection reset`; never in
/// `operations`
/// @param bytes response bytes received, where the subject can tell; else 0
/// @param clientBusy share of the recorded time in which the load client's busiest thread ran; absent where
/// many threads share the work. Near 1 the client is what is measured
/// @param cpu what the processes and the machine spent meanwhile
public record Measurement(
        double seconds,
        long operations,
        Latency latency,
        Map<String, Long> errors,
        long bytes,
        Optional<Double> clientBusy,
        CpuUse cpu) {

    public Measurement {
        errors = Map.copyOf(errors);
    }

    public double rate() {
        return seconds == 0 ? 0 : operations / seconds;
    }

    public long failed() {
        return errors.values().stream().mapToLong(Long::longValue).sum();
    }
}
