package org.restheart.core.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.restheart.core.observation.Observation;
import org.restheart.core.observation.Observer;
import org.restheart.http.Traffic;

/// Measures requests for files and of proxies, which are not those of the API. Thread-safe.
final class OtherTraffic implements Observer {
    private final MeterRegistry meters;
    private final Map<Labels, Timer> timers = new ConcurrentHashMap<>();

    private record Labels(Traffic kind, String method, int status) {}

    OtherTraffic(MeterRegistry meters) {
        this.meters = meters;
    }

    @Override
    public void completed(Observation observation) {
        observation
                .request()
                .attribute(Traffic.KEY)
                .ifPresent(kind -> timers.computeIfAbsent(
                                new Labels(kind, observation.method(), observation.status()), this::timer)
                        .record(observation.nanos(), TimeUnit.NANOSECONDS));
    }

    private Timer timer(Labels labels) {
        return Timer.builder("gateway_other_requests_seconds")
                .description("Duration of requests for files and of proxies")
                .tags("kind", labels.kind.label(), "method", labels.method, "status", Integer.toString(labels.status))
                .register(meters);
    }
}
