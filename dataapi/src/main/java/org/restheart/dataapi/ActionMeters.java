package org.restheart.dataapi;

import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.TimeUnit;

/// Counts and times actions. Their labels are few: actions, versions and outcomes are closed sets.
record ActionMeters(MeterRegistry registry) {
    void done(Action action, String version, int status, long nanos) {
        var outcome = status < 400 ? "done" : status < 500 ? "refused" : "failed";
        registry.counter("data_api_actions", "action", action.name(), "version", version, "outcome", outcome)
                .increment();
        registry.timer("data_api_seconds", "action", action.name()).record(nanos, TimeUnit.NANOSECONDS);
    }
}
