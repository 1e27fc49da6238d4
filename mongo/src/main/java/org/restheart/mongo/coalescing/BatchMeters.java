package org.restheart.mongo.coalescing;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// Metrics of all queues of one kind. Thread-safe.
final class BatchMeters {
    private final DistributionSummary batchSize;
    private final Timer wait;
    private final Counter refused;
    private final Counter abandoned;

    /// @param kind such as `insert`
    BatchMeters(MeterRegistry registry, String kind) {
        batchSize = DistributionSummary.builder("coalescing_batch_size")
                .description("Requests that left together")
                .tag("kind", kind)
                .serviceLevelObjectives(1, 2, 4, 8, 16, 32, 64, 128, 256)
                .register(registry);
        wait = Timer.builder("coalescing_wait")
                .description("How long the longest waiting request of a batch was queued")
                .tag("kind", kind)
                .serviceLevelObjectives(
                        Duration.ofNanos(100_000),
                        Duration.ofMillis(1),
                        Duration.ofMillis(5),
                        Duration.ofMillis(20),
                        Duration.ofMillis(100),
                        Duration.ofSeconds(1))
                .register(registry);
        refused = Counter.builder("coalescing_refused")
                .description("Requests refused because too many waited")
                .tag("kind", kind)
                .register(registry);
        abandoned = Counter.builder("coalescing_abandoned")
                .description("Requests whose client had gone before they left")
                .tag("kind", kind)
                .register(registry);
    }

    /// @param now in [System#nanoTime()]
    void sent(List<? extends PendingRequest<?, ?>> batch, long now) {
        batchSize.record(batch.size());
        wait.record(now - batch.getFirst().queuedAt(), TimeUnit.NANOSECONDS);
    }

    void refused() {
        refused.increment();
    }

    void abandoned() {
        abandoned.increment();
    }
}
