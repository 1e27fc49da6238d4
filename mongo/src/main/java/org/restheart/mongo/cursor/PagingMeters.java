package org.restheart.mongo.cursor;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/// Metrics of deep pages: of bookmarks and of positioned cursors. Thread-safe.
final class PagingMeters {
    /// Pages from a cursor that was positioned ahead.
    final Counter leased;

    /// Pages for which MongoDB skips.
    final Counter misses;

    /// Exact pages that waited for changes.
    final Counter awaited;

    /// Exact pages that were read once more.
    final Counter repeated;

    final Counter built;
    final Counter unfit;
    final Counter buildFailed;

    /// Exact bookmarks that a change invalidated.
    final Counter invalidated;

    final Counter evicted;
    final Counter leaseMisses;

    /// Leased cursors that MongoDB had closed.
    final Counter lost;

    final Counter positioned;

    /// Positions at which the result has no document.
    final Counter endedBefore;

    final Counter allocationFailed;
    final Counter cursorEvicted;
    final Counter cursorExpired;

    private final MeterRegistry registry;
    private final Counter hits;
    private final DistributionSummary skipped;
    private final Counter leaseHits;
    private final DistributionSummary passed;

    PagingMeters(MeterRegistry registry) {
        this.registry = registry;
        var pages = "Deep pages that a bookmark or a positioned cursor was looked for";
        hits = counter("pages", pages, "outcome", "hit");
        leased = counter("pages", pages, "outcome", "leased");
        misses = counter("pages", pages, "outcome", "miss");
        skipped = summary("skipped", "Documents between the bookmark and the page", 1, 10, 100, 1_000, 10_000, 100_000);
        var checks = "Exact pages that had to wait for changes to be known, or to be read again after them";
        awaited = counter("checks", checks, "outcome", "awaited");
        repeated = counter("checks", checks, "outcome", "repeated");
        var builds = "Passes through an index to set bookmarks";
        built = counter("builds", builds, "outcome", "complete");
        unfit = counter("builds", builds, "outcome", "unfit");
        buildFailed = counter("builds", builds, "outcome", "failed");
        invalidated = counter("undone", "Exact bookmarks that a change made useless");
        evicted = counter("evictions", "Queries whose bookmarks were evicted or expired");
        var leases = "Deep pages for which a positioned cursor was looked for";
        leaseHits = counter("leases", leases, "outcome", "hit");
        leaseMisses = counter("leases", leases, "outcome", "miss");
        lost = counter("leases", leases, "outcome", "lost");
        passed = summary(
                "passed", "Documents that a leased cursor read on its way to the page", 1, 10, 100, 1_000, 10_000);
        var allocations = "Attempts to position a cursor ahead of requests";
        positioned = counter("allocations", allocations, "outcome", "positioned");
        endedBefore = counter("allocations", allocations, "outcome", "ended");
        allocationFailed = counter("allocations", allocations, "outcome", "failed");
        var closed = "Parked cursors that were closed before their result ended";
        cursorEvicted = counter("closed", closed, "reason", "evicted");
        cursorExpired = counter("closed", closed, "reason", "expired");
    }

    private Counter counter(String name, String description, String... tags) {
        return Counter.builder("cursor_pool_" + name)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private DistributionSummary summary(String name, String description, double... buckets) {
        return DistributionSummary.builder("cursor_pool_" + name)
                .description(description)
                .serviceLevelObjectives(buckets)
                .register(registry);
    }

    void observe(Collection<QueryBookmarks> queries) {
        gauge("queries", "Queries that are remembered", queries::size);
        gauge("bookmarks", "Bookmarks of all queries", () -> sum(queries, Bookmarks::size));
        gauge("bytes", "Memory that bookmarks take", () -> sum(queries, Bookmarks::bytes));
        gauge("streams", "Change streams that keep bookmarks exact", () -> sum(queries, _ -> 1));
    }

    void observe(ParkedCursors cursors) {
        gauge("cursors", "Cursors of MongoDB that are kept open", cursors::parked, "state", "parked");
        gauge("cursors", "Cursors of MongoDB that are kept open", cursors::leased, "state", "leased");
    }

    private void gauge(String name, String description, Supplier<Number> value, String... tags) {
        Gauge.builder("cursor_pool_" + name, value)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    private static long sum(Collection<QueryBookmarks> queries, ToLongFunction<Bookmarks> value) {
        return queries.stream()
                .map(QueryBookmarks::bookmarks)
                .flatMap(Optional::stream)
                .mapToLong(value)
                .sum();
    }

    /// A page from a bookmark.
    ///
    /// @param documents between the bookmark and the page
    void hit(long documents) {
        hits.increment();
        skipped.record((double) documents);
    }

    /// A page from a leased cursor.
    ///
    /// @param documents between the cursor and the page
    void leaseHit(long documents) {
        leaseHits.increment();
        passed.record((double) documents);
    }
}
