package org.restheart.mongo.cursor;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/// Metrics of deep pages: of bookmarks and of positioned cursors. Thread-safe.
final class PagingMeters {
    private static final String PAGES = "Deep pages that a bookmark or a positioned cursor was looked for";
    private static final String CHECKS =
            "Exact pages that had to wait for changes to be known, or to be read again after them";
    private static final String BUILDS = "Passes through an index to set bookmarks";
    private static final String LEASES = "Deep pages for which a positioned cursor was looked for";
    private static final String ALLOCATIONS = "Attempts to position a cursor ahead of requests";
    private static final String CLOSED = "Parked cursors that were closed before their result ended";

    /// What is counted.
    enum Event {
        HIT("pages", PAGES, "outcome", "hit"),
        LEASED("pages", PAGES, "outcome", "leased"),
        /// MongoDB skips.
        MISS("pages", PAGES, "outcome", "miss"),
        AWAITED("checks", CHECKS, "outcome", "awaited"),
        REPEATED("checks", CHECKS, "outcome", "repeated"),
        BUILT("builds", BUILDS, "outcome", "complete"),
        UNFIT("builds", BUILDS, "outcome", "unfit"),
        BUILD_FAILED("builds", BUILDS, "outcome", "failed"),
        INVALIDATED("undone", "Exact bookmarks that a change made useless", "", ""),
        EVICTED("evictions", "Queries whose bookmarks were evicted or expired", "", ""),
        LEASE_HIT("leases", LEASES, "outcome", "hit"),
        LEASE_MISS("leases", LEASES, "outcome", "miss"),
        /// MongoDB had closed the cursor.
        LOST("leases", LEASES, "outcome", "lost"),
        POSITIONED("allocations", ALLOCATIONS, "outcome", "positioned"),
        /// The result has no document at the position.
        ENDED_BEFORE("allocations", ALLOCATIONS, "outcome", "ended"),
        ALLOCATION_FAILED("allocations", ALLOCATIONS, "outcome", "failed"),
        CURSOR_EVICTED("closed", CLOSED, "reason", "evicted"),
        CURSOR_EXPIRED("closed", CLOSED, "reason", "expired");

        private final String metric;
        private final String description;
        private final String tag;
        private final String value;

        /// @param tag empty for none
        Event(String metric, String description, String tag, String value) {
            this.metric = metric;
            this.description = description;
            this.tag = tag;
            this.value = value;
        }

        private Counter register(MeterRegistry registry) {
            var counter = Counter.builder("cursor_pool_" + metric).description(description);
            return (tag.isEmpty() ? counter : counter.tag(tag, value)).register(registry);
        }
    }

    private final MeterRegistry registry;
    private final Map<Event, Counter> counters = new EnumMap<>(Event.class);
    private final DistributionSummary skipped;
    private final DistributionSummary passed;

    PagingMeters(MeterRegistry registry) {
        this.registry = registry;
        for (var event : Event.values()) {
            counters.put(event, event.register(registry));
        }
        skipped = summary("skipped", "Documents between the bookmark and the page", 1, 10, 100, 1_000, 10_000, 100_000);
        passed = summary(
                "passed", "Documents that a leased cursor read on its way to the page", 1, 10, 100, 1_000, 10_000);
    }

    void count(Event event) {
        Objects.requireNonNull(counters.get(event)).increment();
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
        count(Event.HIT);
        skipped.record((double) documents);
    }

    /// A page from a leased cursor.
    ///
    /// @param documents between the cursor and the page
    void leaseHit(long documents) {
        count(Event.LEASE_HIT);
        passed.record((double) documents);
    }
}
