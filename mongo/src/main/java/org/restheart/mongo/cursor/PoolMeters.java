package org.restheart.mongo.cursor;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.Optional;

/// What operators see of the bookmarks. Thread-safe.
final class PoolMeters {
    private final MeterRegistry registry;
    private final Counter hits;
    private final Counter misses;
    private final DistributionSummary residual;
    private final Counter built;
    private final Counter unfit;
    private final Counter failed;
    private final Counter undone;
    private final Counter evicted;

    PoolMeters(MeterRegistry registry) {
        this.registry = registry;
        hits = pages("hit");
        misses = pages("miss");
        residual = DistributionSummary.builder("cursor_pool_skipped")
                .description("Documents between the bookmark and the page")
                .serviceLevelObjectives(1, 10, 100, 1_000, 10_000, 100_000)
                .register(registry);
        built = builds("complete");
        unfit = builds("unfit");
        failed = builds("failed");
        undone = Counter.builder("cursor_pool_undone")
                .description("Exact bookmarks that a change made useless")
                .register(registry);
        evicted = Counter.builder("cursor_pool_evictions")
                .description("Queries whose bookmarks were forgotten for others' sake")
                .register(registry);
    }

    private Counter pages(String outcome) {
        return Counter.builder("cursor_pool_pages")
                .description("Deep pages that a bookmark was looked for")
                .tag("outcome", outcome)
                .register(registry);
    }

    private Counter builds(String outcome) {
        return Counter.builder("cursor_pool_builds")
                .description("Passes through an index to set bookmarks")
                .tag("outcome", outcome)
                .register(registry);
    }

    void observe(Collection<Traversal> traversals) {
        Gauge.builder("cursor_pool_queries", traversals, Collection::size)
                .description("Queries that are remembered")
                .register(registry);
        Gauge.builder(
                        "cursor_pool_bookmarks",
                        traversals,
                        all -> all.stream()
                                .map(Traversal::bookmarks)
                                .flatMap(Optional::stream)
                                .mapToLong(Bookmarks::size)
                                .sum())
                .description("Bookmarks of all queries")
                .register(registry);
        Gauge.builder(
                        "cursor_pool_bytes",
                        traversals,
                        all -> all.stream()
                                .map(Traversal::bookmarks)
                                .flatMap(Optional::stream)
                                .mapToLong(Bookmarks::bytes)
                                .sum())
                .description("Memory that bookmarks take")
                .register(registry);
    }

    void hit(long skipped) {
        hits.increment();
        residual.record((double) skipped);
    }

    void miss() {
        misses.increment();
    }

    void built() {
        built.increment();
    }

    void unfit() {
        unfit.increment();
    }

    void failed() {
        failed.increment();
    }

    void undone() {
        undone.increment();
    }

    void evicted() {
        evicted.increment();
    }
}
