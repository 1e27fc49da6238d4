package org.restheart.mongo.coalescing;

import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.find.Lookups;
import org.restheart.mongo.find.Pages;
import org.restheart.mongo.write.BulkInserts;
import org.restheart.mongo.write.Inserts;
import org.restheart.mongo.write.PlainBulkInserts;
import org.restheart.mongo.write.PlainInserts;

/// What leaves for MongoDB together, as the configuration wants it. Flights run on threads of their own and tell the
/// waiting requests from there. Thread-safe.
public final class Coalescer {
    /// Enough for the flights of the few lanes that are busy at a time.
    private static final int PLATFORM_THREADS = 16;

    private final MongoClient client;
    private final CoalescingConfig config;
    private final MeterRegistry registry;
    private final SharingHeader header;
    private final Executor threads = new FlightThreads(PLATFORM_THREADS);

    public Coalescer(MongoClient client, CoalescingConfig config, MeterRegistry registry) {
        this.client = client;
        this.config = config;
        this.registry = registry;
        this.header = new SharingHeader(config.header());
    }

    public Inserts inserts() {
        var alone = new PlainInserts(client);
        return config.inserts() ? new CoalescedInserts(groupInserts(), alone, header) : alone;
    }

    public BulkInserts bulkInserts() {
        var alone = new PlainBulkInserts(client);
        return config.inserts() ? new CoalescedBulkInserts(groupBulkInserts(), alone, header) : alone;
    }

    public Lookups lookups(Finder finder) {
        var alone = Lookups.alone(finder);
        return config.reads() ? new CoalescedLookups(pointReads(), alone, header) : alone;
    }

    public Pages pages() {
        return config.queries() ? new CoalescedPages(this, header) : Pages.alone();
    }

    GroupInserts groupInserts() {
        return new GroupInserts(client, config, threads, registry);
    }

    GroupBulkInserts groupBulkInserts() {
        return new GroupBulkInserts(client, config, threads, registry);
    }

    PointReads pointReads() {
        return new PointReads(client, config, threads, registry);
    }

    /// @param canBeShared false for an answer that only one request can use
    <K, V> SharedQueries<K, V> sharedQueries(Predicate<V> canBeShared) {
        return new SharedQueries<>(canBeShared, config, threads, registry);
    }
}
