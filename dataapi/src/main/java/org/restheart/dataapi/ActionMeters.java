package org.restheart.dataapi;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/// Counts and times actions. Labels are bounded: actions, versions and outcomes are closed sets. Thread-safe.
final class ActionMeters {
    private final MeterRegistry registry;

    /// Looked up here, since the registry's own look-up costs more than to count.
    private final ConcurrentMap<Outcome, Counter> counters = new ConcurrentHashMap<>();

    private final ConcurrentMap<Action, Timer> timers = new ConcurrentHashMap<>();

    private record Outcome(Action action, String version, String outcome) {}

    ActionMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    void done(Action action, String version, int status, long nanos) {
        var outcome = new Outcome(action, version, status < 400 ? "done" : status < 500 ? "refused" : "failed");
        counters.computeIfAbsent(outcome, this::counter).increment();
        timers.computeIfAbsent(action, this::timer).record(nanos, TimeUnit.NANOSECONDS);
    }

    private Counter counter(Outcome outcome) {
        return Counter.builder("data_api_actions")
                .description("Actions of the Data API")
                .tags("action", outcome.action().name(), "version", outcome.version(), "outcome", outcome.outcome())
                .register(registry);
    }

    private Timer timer(Action action) {
        return Timer.builder("data_api_seconds")
                .description("Duration of actions")
                .tag("action", action.name())
                .register(registry);
    }
}
