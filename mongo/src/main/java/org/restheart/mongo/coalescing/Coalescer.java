package org.restheart.mongo.coalescing;

import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.bson.RawBsonDocument;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Response;
import org.restheart.mongo.coalescing.Batching.BatchLoad;
import org.restheart.mongo.coalescing.SharedFinds.FindResult;
import org.restheart.mongo.find.DocumentSizes;
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

    private static final long IDLE_SECONDS = 30;

    private final Batching batching;
    private final CoalescingConfig config;
    private final TimeLimitedWrites limited;
    private final BlockedDocuments blocked = new BlockedDocuments();
    private final DocumentSizes sizes = new DocumentSizes();

    /// One instance for all services, so that all reads by `_id` are coalesced.
    private final Optional<PointReads> points;

    /// One instance for all services, so that all equal queries are shared.
    private final Optional<SharedFinds> finds;

    public Coalescer(MongoClient client, CoalescingConfig config, MeterRegistry registry) {
        this.config = config;
        this.limited = new TimeLimitedWrites(client, config.retriesWrites());
        this.batching = new Batching(client, config, threads(), Deployment.of(client), new BatchLoad(), registry);
        this.points = config.reads() ? Optional.of(new PointReads(batching, sizes)) : Optional.empty();
        this.finds = config.queries() ? Optional.of(new SharedFinds(batching)) : Optional.empty();
    }

    /// The threads of commands: a few platform threads, since these read directly from the socket, while a virtual
    /// thread is woken by a poller and a scheduler; virtual threads beyond that. Never refuses, never queues.
    private static Executor threads() {
        var more = Thread.ofVirtual().name("command").factory();
        return new ThreadPoolExecutor(
                0,
                PLATFORM_THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                Thread.ofPlatform().name("command-", 0).daemon().factory(),
                (command, _) -> more.newThread(command).start());
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
        return config.updates() ? coalescedWrites("update") : DocumentWrites.uncoalesced();
    }

    public DocumentWrites<DeleteOutcome> deletes() {
        return config.updates() ? coalescedWrites("delete") : DocumentWrites.uncoalesced();
    }

    /// What is known of the documents of each collection.
    public DocumentSizes sizes() {
        return sizes;
    }

    /// Those of a session run alone.
    public Lookups lookups(DriverFinder documents) {
        var uncoalesced = Lookups.uncoalesced(documents);
        if (points.isEmpty()) {
            return uncoalesced;
        }
        var reads = points.get();
        return (request, plain, query, answer) ->
                plain && query.settings().session().isEmpty() && PointReads.fits(query)
                        ? batching.defer(
                                reads.submit(query, request.lease()), found -> encoded(request.lease(), found, answer))
                        : uncoalesced.one(request, plain, query, answer);
    }

    /// The request holds its content instead of the document from now on.
    private static Response.Ready encoded(
            Lease lease, Optional<RawBsonDocument> found, Function<Optional<RawBsonDocument>, Response.Ready> answer) {
        long held = 0;
        try {
            var response = answer.apply(found);
            held = response.content() instanceof Content.Bytes bytes ? bytes.length() : 0;
            return response;
        } finally {
            lease.correct(PointReads.held(found), held);
        }
    }

    /// Reads of services other than the data API.
    ///
    /// @param memory of the documents of all commands in progress
    public CoalescedReads reads(DriverFinder documents, MemoryBudget memory) {
        return new CoalescedReads(
                documents,
                memory,
                points,
                finds,
                config.queries() ? Optional.of(batching.queues("query")) : Optional.empty());
    }

    /// Equal queries that wait at the same time run once and share the documents, and the encoded page if they have the
    /// same format. Those of a session run alone.
    public Pages pages() {
        var uncoalesced = Pages.uncoalesced();
        if (finds.isEmpty()) {
            return uncoalesced;
        }
        var shared = finds.get();
        return (request, page, reading) -> page.query().settings().session().isPresent()
                ? uncoalesced.page(request, page, reading)
                : batching.defer(
                        shared.submit(new SharedFinds.Find(
                                page.query(),
                                page.form(),
                                page.isInterruptible(),
                                request.lease(),
                                use -> new FindResult.Page(reading.read(use)))),
                        taken -> ((FindResult.Page) taken).response());
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

    PointReads pointReads() {
        return points.orElseThrow();
    }
}
