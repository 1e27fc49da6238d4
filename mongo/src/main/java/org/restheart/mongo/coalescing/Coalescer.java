package org.restheart.mongo.coalescing;

import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.find.Documents;
import org.restheart.mongo.find.Lookups;
import org.restheart.mongo.find.Pages;
import org.restheart.mongo.write.BulkInserts;
import org.restheart.mongo.write.DeleteOutcome;
import org.restheart.mongo.write.DocumentWrites;
import org.restheart.mongo.write.Inserts;
import org.restheart.mongo.write.PlainBulkInserts;
import org.restheart.mongo.write.PlainInserts;
import org.restheart.mongo.write.WriteOutcome;

/// The coalesced operations, as configured. Commands run on separate threads, which complete the waiting requests.
/// Thread-safe.
public final class Coalescer {
    /// Enough for the commands of the few queues that are busy at the same time.
    private static final int PLATFORM_THREADS = 16;

    private final MongoClient client;
    private final CoalescingConfig config;
    private final MeterRegistry registry;
    private final SharingHeader header;
    private final Deployment deployment;
    private final Executor threads = new BatchThreads(PLATFORM_THREADS);

    private final BlockedDocuments blocked = new BlockedDocuments();

    private @Nullable PointReads points;

    public Coalescer(MongoClient client, CoalescingConfig config, MeterRegistry registry) {
        this.client = client;
        this.config = config;
        this.registry = registry;
        this.deployment = Deployment.of(client);
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

    public DocumentWrites<WriteOutcome> updates() {
        return writes("update");
    }

    public DocumentWrites<DeleteOutcome> deletes() {
        return writes("delete");
    }

    private <O> DocumentWrites<O> writes(String kind) {
        return config.updates() ? new CoalescedWrites<>(groupWrites(kind), header) : DocumentWrites.alone();
    }

    public Lookups lookups(Documents documents) {
        var alone = Lookups.alone(documents);
        return config.reads() ? new CoalescedLookups(pointReads(), alone, header) : alone;
    }

    /// Reads of services other than the data API.
    public CoalescedReads reads(Documents documents) {
        return new CoalescedReads(
                documents,
                config.reads() ? Optional.of(pointReads()) : Optional.empty(),
                config.queries() ? Optional.of(sharedQueries(_ -> true)) : Optional.empty());
    }

    public Pages pages() {
        return config.queries() ? new CoalescedPages(this, header) : Pages.alone();
    }

    GroupInserts groupInserts() {
        return new GroupInserts(client, config, threads, deployment, registry);
    }

    GroupBulkInserts groupBulkInserts() {
        return new GroupBulkInserts(client, config, threads, deployment, registry);
    }

    <O> GroupWrites<O> groupWrites(String command) {
        return new GroupWrites<>(client, command, blocked, config, threads, deployment, registry);
    }

    /// One instance for all services, so that all reads by `_id` are coalesced.
    synchronized PointReads pointReads() {
        if (points == null) {
            points = new PointReads(client, config, threads, deployment, registry);
        }
        return points;
    }

    /// @param canBeShared false for a result that only one request can use
    <V> SharedQueries<V> sharedQueries(Predicate<V> canBeShared) {
        return new SharedQueries<>(canBeShared, config, threads, deployment, registry);
    }
}
