package org.restheart.mongo.cursor;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/// What operators see of the bookmarks. Thread-safe.
final class PoolMeters {
    private final MeterRegistry registry;
    private final Counter hits;
    private final Counter leased;
    private final Counter misses;
    private final DistributionSummary residual;
    private final Counter built;
    private final Counter unfit;
    private final Counter failed;
    private final Counter undone;
    private final Counter evicted;
    private final Counter awaited;
    private final Counter repeated;

    PoolMeters(MeterRegistry registry) {
        this.registry = registry;
        hits = pages("hit");
        leased = pages("leased");
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
        awaited = checks("awaited");
        repeated = checks("repeated");
        evicted = Counter.builder("cursor_pool_evictions")
                .description("Queries whose bookmarks were forgotten for others' sake")
                .register(registry);
    }

    private Counter checks(String outcome) {
        return Counter.builder("cursor_pool_checks")
                .description("Exact pages that had to wait for changes to be known, or to be read again after them")
                .tag("outcome", outcome)
                .register(registry);
    }

    private Counter pages(String outcome) {
        return Counter.builder("cursor_pool_pages")
                .description("Deep pages that a bookmark or a positioned cursor was looked for")
                .tag("outcome", outcome)
                .register(registry);
    }

    private Counter builds(String outcome) {
        return Counter.builder("cursor_pool_builds")
                .description("Passes through an index to set bookmarks")
                .tag("outcome", outcome)
                .register(registry);
    }

    void observe(Collection<Traversal> traversals, Collection<ExactTraversal> exact) {
        gauge("cursor_pool_queries", "Queries that are remembered", traversals::size, exact::size);
        gauge(
                "cursor_pool_bookmarks",
                "Bookmarks of all queries",
                () -> sum(traversals, Traversal::bookmarks, Bookmarks::size),
                () -> sum(exact, ExactTraversal::bookmarks, LiveBookmarks::size));
        gauge(
                "cursor_pool_bytes",
                "Memory that bookmarks take",
                () -> sum(traversals, Traversal::bookmarks, Bookmarks::bytes),
                () -> sum(exact, ExactTraversal::bookmarks, LiveBookmarks::bytes));
        Gauge.builder("cursor_pool_streams", () -> sum(exact, ExactTraversal::bookmarks, _ -> 1))
                .description("Change streams that keep bookmarks exact")
                .register(registry);
    }

    private void gauge(String name, String description, Supplier<Number> kept, Supplier<Number> exact) {
        Gauge.builder(name, () -> kept.get().longValue() + exact.get().longValue())
                .description(description)
                .register(registry);
    }

    private static <T, B> long sum(Collection<T> all, Function<T, Optional<B>> bookmarks, ToLongFunction<B> value) {
        return all.stream()
                .map(bookmarks)
                .flatMap(Optional::stream)
                .mapToLong(value)
                .sum();
    }

    void hit(long skipped) {
        hits.increment();
        residual.record((double) skipped);
    }

    /// From a cursor that was positioned ahead.
    void leased() {
        leased.increment();
    }

    void miss() {
        misses.increment();
    }

    void awaited() {
        awaited.increment();
    }

    void repeated() {
        repeated.increment();
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
