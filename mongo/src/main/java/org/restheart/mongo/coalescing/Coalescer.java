package org.restheart.mongo.coalescing;

import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.bson.RawBsonDocument;
import org.restheart.http.RequestStart;
import org.restheart.http.Response;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.coalescing.Batching.BatchLoad;
import org.restheart.mongo.coalescing.Batching.BatchResult;
import org.restheart.mongo.coalescing.CoalescedWrites.Statement;
import org.restheart.mongo.coalescing.SharedFinds.FindResult;
import org.restheart.mongo.find.DocumentQuery;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.find.Pages;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.write.DocumentWrite;
import org.restheart.mongo.write.DocumentWrite.Change;
import org.restheart.mongo.write.Inserts;
import org.restheart.mongo.write.TimeLimitedWrites;
import org.restheart.mongo.write.WriteOutcome;

/// The coalesced operations, as configured. Commands run on separate threads, which complete the waiting requests.
/// Thread-safe.
public final class Coalescer {
    /// Enough for the commands of the few queues that are busy at the same time.
    private static final int PLATFORM_THREADS = 16;

    private static final long IDLE_SECONDS = 30;

    /// The form of documents that are not encoded.
    private static final String DOCUMENTS = "documents";

    private static final Executor READS =
            task -> Thread.ofVirtual().name("read").start(CallerScope.carried(task));

    private final Batching batching;
    private final CoalescingConfig config;
    private final TimeLimitedWrites limited;
    private final BlockedDocuments blocked = new BlockedDocuments();
    private final CoalescedWrites updates;
    private final CoalescedWrites deletes;

    /// One instance for all services, so that all reads by `_id` are coalesced.
    private final Optional<PointReads> points;

    /// One instance for all services, so that all equal queries are shared.
    private final Optional<SharedFinds> finds;

    private final Optional<BatchQueues<QueryKey, Supplier<List<List<RawBsonDocument>>>, List<List<RawBsonDocument>>>>
            queries;

    private final DriverFinder documents;

    public Coalescer(MongoClient client, CoalescingConfig config, MeterRegistry registry) {
        this.config = config;
        this.limited = new TimeLimitedWrites(client, config.retriesWrites());
        this.batching = new Batching(client, config, threads(), Deployment.of(client), new BatchLoad(), registry);
        this.updates = new CoalescedWrites(batching, "update", blocked);
        this.deletes = new CoalescedWrites(batching, "delete", blocked);
        this.points = config.reads() ? Optional.of(new PointReads(batching)) : Optional.empty();
        this.documents = new DriverFinder(client);
        this.queries = config.queries() ? Optional.of(batching.queues("query")) : Optional.empty();
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

    /// Carries out a write of one document, with those of other requests or in a command of its own; never blocks.
    ///
    /// @param plain as `ResourceMetadata.plain` of the collection
    /// @param answer builds the response; called once, on the thread that sends it, which it must not block
    /// @return fails with [com.mongodb.MongoException] if MongoDB refuses the write or its outcome is unknown,
    ///     and with what its judge throws
    public Response write(DocumentWrite write, boolean plain, Function<WriteOutcome, Response.Ready> answer) {
        var shared = write.change() instanceof Change.Removal ? deletes : updates;
        var statement = plain && config.updates() ? shared.statement(write) : Optional.<Statement>empty();
        return batching.defer(
                statement.isPresent() && write.judge().isEmpty()
                        ? shared.submit(statement.get())
                        : onThread("write", () -> {
                            if (statement.isEmpty()) {
                                return new BatchResult<>(write.alone(), 0);
                            }
                            write.judgeKnown();
                            return shared.submit(statement.get()).join();
                        }),
                answer);
    }

    /// Does something that may block for the callers of the current thread.
    private static <O> CompletableFuture<BatchResult<O>> onThread(String name, Supplier<BatchResult<O>> task) {
        var outcome = new CompletableFuture<BatchResult<O>>();
        Thread.ofVirtual().name(name).start(RequestStart.carried(CallerScope.carried(() -> {
            try {
                outcome.complete(task.get());
            } catch (CompletionException e) {
                outcome.completeExceptionally(Objects.requireNonNullElse(e.getCause(), e));
            } catch (RuntimeException | Error e) {
                outcome.completeExceptionally(e);
            }
        })));
        return outcome;
    }

    /// Reads one document, with the reads of other requests or, in a session, by a command of its own; never blocks.
    ///
    /// @param plain as `ResourceMetadata.plain` of the collection
    /// @param answer as that of [#write]
    public Response one(
            DocumentQuery query, boolean plain, Function<Optional<RawBsonDocument>, Response.Ready> answer) {
        boolean shares =
                points.isPresent() && plain && query.settings().session().isEmpty() && PointReads.fits(query);
        return batching.defer(
                shares
                        ? points.get().submit(query)
                        : onThread("read", () -> new BatchResult<>(documents.one(query), 0)),
                answer);
    }

    /// A read from a plain collection.
    public CompletionStage<Optional<RawBsonDocument>> one(DocumentQuery query) {
        return all(List.of(query)).getFirst();
    }

    /// Reads from a plain collection that differ only in their ids, in one command.
    public List<? extends CompletionStage<Optional<RawBsonDocument>>> all(List<DocumentQuery> queries) {
        if (points.isEmpty() || !queries.stream().allMatch(PointReads::fits)) {
            var answers = new ArrayList<CompletionStage<Optional<RawBsonDocument>>>();
            for (var query : queries) {
                answers.add(CompletableFuture.supplyAsync(() -> documents.one(query), READS));
            }
            return answers;
        }
        return points.get().submitAll(queries).stream()
                .map(pending -> pending.thenApply(BatchResult::outcome))
                .toList();
    }

    /// Finds the documents of a query, or shares those of an equal one of any service.
    ///
    /// @param read finds and takes the documents by a finder, which it changes as asked
    public CompletionStage<List<RawBsonDocument>> find(
            FindQuery query, Function<UnaryOperator<Finder>, List<RawBsonDocument>> read) {
        return finds.<CompletionStage<List<RawBsonDocument>>>map(shared -> shared.submit(new SharedFinds.Find(
                                query, DOCUMENTS, false, change -> new FindResult.Documents(read.apply(change))))
                        .thenApply(result -> ((FindResult.Documents) result.outcome()).documents()))
                .orElseGet(() -> CompletableFuture.supplyAsync(() -> read.apply(UnaryOperator.identity()), READS));
    }

    /// Runs commands of the calling service, or shares the results of equal ones.
    ///
    /// @param key those with equal keys share a result
    public CompletionStage<List<List<RawBsonDocument>>> share(QueryKey key, Supplier<List<List<RawBsonDocument>>> run) {
        return queries.<CompletionStage<List<List<RawBsonDocument>>>>map(shared ->
                        shared.submit(key, () -> Coalescer::runOnce, run, 0).thenApply(BatchResult::outcome))
                .orElseGet(() -> CompletableFuture.supplyAsync(run, READS));
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

    CoalescedWrites updates() {
        return updates;
    }

    CoalescedWrites deletes() {
        return deletes;
    }

    PointReads pointReads() {
        return points.orElseThrow();
    }
}
