package org.restheart.mongo.cursor.pool;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.ToIntFunction;

/// What operators see of the cursors. Thread-safe.
final class PoolMeters {
    private final MeterRegistry registry;
    private final Counter hits;
    private final Counter misses;
    private final Counter lost;
    private final DistributionSummary passed;
    private final Counter positioned;
    private final Counter ended;
    private final Counter failed;
    private final Counter evicted;
    private final Counter expired;

    PoolMeters(MeterRegistry registry) {
        this.registry = registry;
        hits = leases("hit");
        misses = leases("miss");
        lost = leases("lost");
        passed = DistributionSummary.builder("cursor_pool_passed")
                .description("Documents that a leased cursor read on its way to the page")
                .serviceLevelObjectives(1, 10, 100, 1_000, 10_000)
                .register(registry);
        positioned = allocations("positioned");
        ended = allocations("ended");
        failed = allocations("failed");
        evicted = closed("evicted");
        expired = closed("expired");
    }

    private Counter leases(String outcome) {
        return Counter.builder("cursor_pool_leases")
                .description("Deep pages for which a positioned cursor was looked for")
                .tag("outcome", outcome)
                .register(registry);
    }

    private Counter allocations(String outcome) {
        return Counter.builder("cursor_pool_allocations")
                .description("Attempts to position a cursor ahead of requests")
                .tag("outcome", outcome)
                .register(registry);
    }

    private Counter closed(String reason) {
        return Counter.builder("cursor_pool_closed")
                .description("Parked cursors that were closed before their result ended")
                .tag("reason", reason)
                .register(registry);
    }

    void observe(ParkedCursors cursors) {
        gauge("parked", cursors, ParkedCursors::parked);
        gauge("leased", cursors, ParkedCursors::leased);
    }

    private void gauge(String state, ParkedCursors cursors, ToIntFunction<ParkedCursors> count) {
        Gauge.builder("cursor_pool_cursors", cursors, count::applyAsInt)
                .description("Cursors of MongoDB that are kept open")
                .tag("state", state)
                .register(registry);
    }

    void hit(long documents) {
        hits.increment();
        passed.record((double) documents);
    }

    void miss() {
        misses.increment();
    }

    /// MongoDB had closed the cursor.
    void lost() {
        lost.increment();
    }

    void positioned() {
        positioned.increment();
    }

    /// The result has no document there.
    void ended() {
        ended.increment();
    }

    void failed() {
        failed.increment();
    }

    void evicted() {
        evicted.increment();
    }

    void expired() {
        expired.increment();
    }
}
