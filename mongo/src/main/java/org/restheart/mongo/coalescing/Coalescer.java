package org.restheart.mongo.coalescing;

import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.bson.RawBsonDocument;
import org.restheart.data.Executor;
import org.restheart.mongo.coalescing.Batching.BatchLoad;
import org.restheart.mongo.coalescing.Batching.BatchResult;
import org.restheart.mongo.coalescing.SharedFinds.FindResult;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.find.Pages;
import org.restheart.mongo.find.QueryKey;
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

    /// The form of documents that are not encoded.
    private static final String DOCUMENTS = "documents";

    private final Batching batching;
    private final CoalescingConfig config;
    private final TimeLimitedWrites limited;
    private final BlockedDocuments blocked = new BlockedDocuments();

    /// One instance for all services, as of those below: what is equal is shared, whoever asks.
    private final Executor executor;

    private final Optional<SharedFinds> finds;

    private final Optional<BatchQueues<QueryKey, Supplier<List<List<RawBsonDocument>>>, List<List<RawBsonDocument>>>>
            queries;

    public Coalescer(MongoClient client, CoalescingConfig config, MeterRegistry registry) {
        this.config = config;
        this.limited = new TimeLimitedWrites(client, config.retriesWrites());
        this.batching = new Batching(client, config, threads(), Deployment.of(client), new BatchLoad(), registry);
        this.finds = config.queries() ? Optional.of(new SharedFinds(batching)) : Optional.empty();
        var direct = new Direct(new DriverFinder(client));
        this.executor = config.reads() ? new GroupCommit(batching, direct) : direct;
        this.queries = config.queries() ? Optional.of(batching.queues("query")) : Optional.empty();
    }

    /// The threads of commands: a few platform threads, since these read directly from the socket, while a virtual
    /// thread is woken by a poller and a scheduler; virtual threads beyond that. Never refuses, never queues.
    private static java.util.concurrent.Executor threads() {
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

    /// The layers that carry out operations, as configured.
    public Executor executor() {
        return executor;
    }

    /// Finds the documents of a query, or shares those of an equal one of any service. Never blocks.
    ///
    /// @param read finds and takes the documents by a finder, which it changes as asked
    public CompletionStage<List<RawBsonDocument>> find(
            FindQuery query, Function<UnaryOperator<Finder>, List<RawBsonDocument>> read) {
        return finds.<CompletionStage<List<RawBsonDocument>>>map(shared -> shared.submit(new SharedFinds.Find(
                                query, DOCUMENTS, false, change -> new FindResult.Documents(read.apply(change))))
                        .thenApply(result -> ((FindResult.Documents) result.outcome()).documents()))
                .orElseGet(() -> Direct.onThread(() -> read.apply(UnaryOperator.identity()))
                        .stage());
    }

    /// Runs commands of a service, or shares the results of equal ones.
    ///
    /// @param key those with equal keys share a result
    public CompletionStage<List<List<RawBsonDocument>>> share(QueryKey key, Supplier<List<List<RawBsonDocument>>> run) {
        return queries.<CompletionStage<List<List<RawBsonDocument>>>>map(shared ->
                        shared.submit(key, () -> Coalescer::runOnce, run, 0).thenApply(BatchResult::outcome))
                .orElseGet(() -> Direct.onThread(run).stage());
    }

    private static <V> void runOnce(List<PendingRequest<Supplier<V>, V>> requests) {
        var shared = new BatchResult<>(requests.getFirst().request().get(), requests.size());
        requests.forEach(pending -> pending.complete(shared));
    }

    /// Equal queries that wait at the same time run once and share the documents, and the encoded page if they have the
    /// same format. Those of a session run alone.
    public Pages pages() {
        return (request, page, reading) -> {
            if (finds.isEmpty() || page.query().settings().session().isPresent()) {
                request.requireThread();
                return reading.read(UnaryOperator.identity());
            }
            return batching.defer(
                    finds.get()
                            .submit(new SharedFinds.Find(
                                    page.query(),
                                    page.form(),
                                    page.isInterruptible(),
                                    change -> new FindResult.Page(reading.read(change)))),
                    taken -> ((FindResult.Page) taken).response());
        };
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
}
