package org.restheart.mongo.coalescing;

import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.restheart.mongo.coalescing.CoalescedReads.SharedQueries;
import org.restheart.mongo.coalescing.SharedFinds.Taken;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.Lookups;
import org.restheart.mongo.find.Pages;
import org.restheart.mongo.write.DocumentWrites;
import org.restheart.mongo.write.Inserts;
import org.restheart.mongo.write.TimeLimitedWrites;
import org.restheart.mongo.write.WriteOutcome;
import org.restheart.mongo.write.WriteOutcome.DeleteOutcome;

/// The coalesced operations, as configured. Commands run on separate threads, which complete the waiting requests.
/// Thread-safe.
public final class Coalescer {
    /// Enough for the commands of the few queues that are busy at the same time.
    private static final int PLATFORM_THREADS = 16;

    private final Batching batching;
    private final CoalescingConfig config;
    private final TimeLimitedWrites limited;
    private final BlockedDocuments blocked = new BlockedDocuments();

    private @Nullable PointReads points;
    private @Nullable SharedFinds finds;

    public Coalescer(MongoClient client, CoalescingConfig config, MeterRegistry registry) {
        this.config = config;
        this.limited = new TimeLimitedWrites(client, config.retriesWrites());
        this.batching = new Batching(
                client, config, new BatchThreads(PLATFORM_THREADS), Deployment.of(client), new BatchLoad(), registry);
    }

    public Inserts inserts() {
        return config.inserts() ? coalescedInserts() : Inserts.limited(limited);
    }

    public Inserts bulkInserts() {
        return config.inserts() ? coalescedBulkInserts() : Inserts.limited(limited);
    }

    /// Writes of many documents that are not coalesced.
    public TimeLimitedWrites limited() {
        return limited;
    }

    public DocumentWrites<WriteOutcome> updates() {
        return config.updates() ? coalescedWrites("update") : DocumentWrites.alone();
    }

    public DocumentWrites<DeleteOutcome> deletes() {
        return config.updates() ? coalescedWrites("delete") : DocumentWrites.alone();
    }

    /// Those of a session run alone.
    public Lookups lookups(DriverFinder documents) {
        var alone = Lookups.alone(documents);
        if (!config.reads()) {
            return alone;
        }
        var reads = pointReads();
        return (request, plain, query, answer) ->
                plain && query.settings().session().isEmpty() && PointReads.fits(query)
                        ? batching.defer(reads.submit(query), answer)
                        : alone.one(request, plain, query, answer);
    }

    /// Reads of services other than the data API.
    public CoalescedReads reads(DriverFinder documents) {
        return new CoalescedReads(
                documents,
                config.reads() ? Optional.of(pointReads()) : Optional.empty(),
                config.queries() ? Optional.of(sharedFinds()) : Optional.empty(),
                config.queries() ? Optional.of(new SharedQueries<>(batching)) : Optional.empty());
    }

    /// Equal queries that wait at the same time run once and share the documents, and the encoded page if they have the
    /// same format. Those of a session run alone.
    public Pages pages() {
        var alone = Pages.alone();
        if (!config.queries()) {
            return alone;
        }
        var finds = sharedFinds();
        return (request, page, reading) -> page.query().settings().session().isPresent()
                ? alone.page(request, page, reading)
                : batching.defer(
                        finds.submit(new SharedFinds.Find(
                                page.query(),
                                page.form(),
                                page.isInterruptible(),
                                change -> new Taken.Page(reading.read(change)))),
                        taken -> ((Taken.Page) taken).response());
    }

    CoalescedInserts coalescedInserts() {
        return CoalescedInserts.ofOne(batching, limited, blocked);
    }

    CoalescedInserts coalescedBulkInserts() {
        return CoalescedInserts.ofMany(batching, limited, blocked);
    }

    /// @param command `update` or `delete`
    <O> CoalescedWrites<O> coalescedWrites(String command) {
        return new CoalescedWrites<>(batching, command, blocked);
    }

    /// One instance for all services, so that all reads by `_id` are coalesced.
    synchronized PointReads pointReads() {
        if (points == null) {
            points = new PointReads(batching);
        }
        return points;
    }

    /// One instance for all services, so that all equal queries are shared.
    private synchronized SharedFinds sharedFinds() {
        if (finds == null) {
            finds = new SharedFinds(batching);
        }
        return finds;
    }

    /// The threads of commands: a few platform threads, since these read directly from the socket, while a virtual
    /// thread is woken by a poller and a scheduler; virtual threads beyond that. Never refuses, never queues.
    /// Thread-safe.
    private static final class BatchThreads implements Executor {
        private static final long IDLE_SECONDS = 30;

        private final ThreadFactory more = Thread.ofVirtual().name("command").factory();
        private final ThreadPoolExecutor few;

        /// @param few how many commands may have a platform thread at once
        BatchThreads(int few) {
            this.few = new ThreadPoolExecutor(
                    0,
                    few,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new SynchronousQueue<>(),
                    Thread.ofPlatform().name("command-", 0).daemon().factory(),
                    (command, _) -> more.newThread(command).start());
        }

        @Override
        public void execute(Runnable command) {
            few.execute(command);
        }
    }
}
