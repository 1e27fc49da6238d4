package org.restheart.mongo.coalescing;

import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
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
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.restheart.http.Lease;
import org.restheart.http.RequestStart;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.coalescing.Batching.BatchLoad;
import org.restheart.mongo.coalescing.CoalescedWrites.Statement;
import org.restheart.mongo.coalescing.KeyReads.KeyRead;
import org.restheart.mongo.find.DocumentQuery;
import org.restheart.mongo.find.DocumentSizes;
import org.restheart.mongo.find.DocumentSizes.Size;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder.Use;
import org.restheart.mongo.find.QueryKey;
import org.restheart.mongo.write.BulkWrites.Writes;
import org.restheart.mongo.write.DocumentWrite;
import org.restheart.mongo.write.DocumentWrite.Change;
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
    private final DocumentSizes sizes;
    private final CoalescedInserts inserts;
    private final CoalescedInserts bulkInserts;
    private final CoalescedWrites updates;
    private final CoalescedWrites deletes;

    /// One instance for all services, so that all reads by `_id` are coalesced.
    private final Optional<PointReads> points;

    /// One instance for all services, so that all equal queries and pipelines are shared.
    private final Optional<SharedFinds> finds;

    /// As the one before, for documents to which others refer.
    private final Optional<KeyReads> keys;

    private final DriverFinder documents;

    public Coalescer(MongoClient client, CoalescingConfig config, MeterRegistry registry) {
        this.config = config;
        this.limited = new TimeLimitedWrites(client, config.retriesWrites());
        this.batching = new Batching(client, config, threads(), Deployment.of(client), new BatchLoad(), registry);
        this.inserts = CoalescedInserts.ofOne(batching, limited, blocked);
        this.bulkInserts = CoalescedInserts.ofMany(batching, limited, blocked);
        this.updates = new CoalescedWrites(batching, "update", blocked);
        this.deletes = new CoalescedWrites(batching, "delete", blocked);
        this.documents = new DriverFinder(client);
        this.sizes = new DocumentSizes(documents::averageSize);
        this.points = config.reads() ? Optional.of(new PointReads(batching, sizes, this::alone)) : Optional.empty();
        this.finds = config.queries() ? Optional.of(new SharedFinds(batching)) : Optional.empty();
        this.keys = config.queries() ? Optional.of(new KeyReads(batching)) : Optional.empty();
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

    /// Writes of many documents that are not coalesced.
    public TimeLimitedWrites limited() {
        return limited;
    }

    /// Carries out small inserts with those of others; never blocks. Empty if the writes go alone, on a thread of their
    /// own ([#onThread]).
    ///
    /// @param isArray whether they are the elements of an array, however many
    /// @return completes with the errors of single documents, or fails with [com.mongodb.MongoException] if more
    ///     failed, or if the outcome is unknown
    public Optional<CompletionStage<BatchResult<List<BulkWriteError>>>> together(Writes writes, boolean isArray) {
        var shared = isArray ? bulkInserts : inserts;
        var documents = config.inserts() ? writes.shareable() : List.<RawBsonDocument>of();
        var namespace = writes.collection().getNamespace();
        return shared.take(namespace, documents)
                ? Optional.of(shared.submit(namespace, writes.collection().getWriteConcern(), documents))
                : Optional.empty();
    }

    /// Carries out a write of one document, with those of other requests or in a command of its own; never blocks.
    ///
    /// @param plain as `ResourceMetadata.plain` of the collection
    /// @return fails with [com.mongodb.MongoException] if MongoDB refuses the write or its outcome is unknown,
    ///     and with what its judge throws
    public CompletionStage<BatchResult<WriteOutcome>> write(DocumentWrite write, boolean plain) {
        var shared = write.change() instanceof Change.Removal ? deletes : updates;
        var statement = plain && config.updates() ? shared.statement(write) : Optional.<Statement>empty();
        return statement.isPresent() && write.judge().isEmpty()
                ? shared.submit(statement.get())
                : onThread("write", () -> {
                    if (statement.isEmpty()) {
                        return new BatchResult<>(write.alone(), 0);
                    }
                    write.judgeKnown();
                    return shared.submit(statement.get()).join();
                });
    }

    public DocumentSizes sizes() {
        return sizes;
    }

    /// Does something that may block for the callers of the current thread.
    public static <O> CompletableFuture<BatchResult<O>> onThread(String name, Supplier<BatchResult<O>> task) {
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
    /// @param lease of the request, which holds as many bytes as are [#held]
    public CompletionStage<BatchResult<Optional<RawBsonDocument>>> one(
            DocumentQuery query, boolean plain, Lease lease) {
        return plain && canShare(query)
                ? points.orElseThrow().submit(query, lease)
                : onThread("read", () -> new BatchResult<>(alone(query, lease), 0));
    }

    /// The memory of a document that was found.
    public static long held(Optional<RawBsonDocument> found) {
        return PointReads.held(found);
    }

    /// Whether a read from a plain collection can share a command with others.
    private boolean canShare(DocumentQuery query) {
        return points.isPresent() && query.settings().session().isEmpty() && PointReads.fits(query);
    }

    /// Reads one document as [#one]; blocks until it is there.
    ///
    /// @param lease owns the document until it is closed
    public Optional<RawBsonDocument> find(DocumentQuery query, boolean plain, Lease lease) {
        return plain && canShare(query)
                ? points.orElseThrow().submit(query, lease).join().outcome()
                : alone(query, lease);
    }

    /// What [PointReads] does, by a command of its own.
    private Optional<RawBsonDocument> alone(DocumentQuery query, Lease lease) {
        var size = sizes.of(query.namespace());
        if (!lease.tryRetain()) {
            throw Lease.full(); // its client has gone
        }
        try {
            return size.reading(() -> alone(query, lease, size));
        } finally {
            lease.close();
        }
    }

    private Optional<RawBsonDocument> alone(DocumentQuery query, Lease lease, Size size) {
        long expected = size.reading(1);
        var found = Optional.<RawBsonDocument>empty();
        lease.await(expected);
        try {
            found = documents.one(query);
            found.ifPresent(document -> size.saw(document.getByteLength(), 1));
            return found;
        } finally {
            lease.correct(expected, PointReads.held(found));
        }
    }

    /// Reads from a plain collection that differ only in their ids, in one command.
    ///
    /// @param lease owns the documents until it is closed
    public List<? extends CompletionStage<Optional<RawBsonDocument>>> all(List<DocumentQuery> queries, Lease lease) {
        var answers = new ArrayList<CompletionStage<Optional<RawBsonDocument>>>(queries.size());
        if (points.isPresent() && queries.stream().allMatch(PointReads::fits)) {
            points.get()
                    .submitAll(queries, lease)
                    .forEach(pending -> answers.add(pending.thenApply(BatchResult::outcome)));
        } else {
            queries.forEach(query -> answers.add(CompletableFuture.supplyAsync(() -> alone(query, lease), READS)));
        }
        return answers.stream()
                .map(answer -> answer.thenApply(found -> {
                    long bytes = found.map(RawBsonDocument::getByteLength).orElse(0);
                    lease.correct(PointReads.held(found), bytes);
                    return found;
                }))
                .toList();
    }

    /// The documents of each list of keys, read by one command with those of other requests that wait for documents of
    /// the same shape; blocks until they are there.
    ///
    /// @param shape what is found depends on this and the keys alone
    /// @param bytes of the keys, as they count in a batch
    /// @param work of which this is a part
    /// @param lease holds the documents until it is closed
    public List<List<RawBsonDocument>> byKeys(
            QueryKey shape, KeyReader reader, List<List<BsonValue>> all, int bytes, Lease work, Lease lease) {
        return keys.map(reads -> reads.submit(shape, reader, new KeyRead(all, bytes, work, lease))
                        .join()
                        .outcome())
                .orElseGet(() -> reader.all(all, lease));
    }

    /// Finds the documents of a query, or shares those of an equal one of any service.
    ///
    /// @param lease owns the documents until it is closed
    /// @param read finds and takes the documents, using what it is given
    public CompletionStage<List<RawBsonDocument>> find(
            FindQuery query, Lease lease, Function<Use, List<RawBsonDocument>> read) {
        return share(new SharedFinds.Find(
                        query, DOCUMENTS, false, lease, use -> new FindResult.Documents(List.of(read.apply(use)))))
                .thenApply(List::getFirst);
    }

    /// Runs commands of the calling service, or shares the results of equal ones.
    ///
    /// @param key those with equal keys share a result
    /// @param lease owns the documents until it is closed
    /// @param run reads into the memory of a lease
    public CompletionStage<List<List<RawBsonDocument>>> share(
            QueryKey key, Lease lease, Function<Lease, List<List<RawBsonDocument>>> run) {
        return share(new SharedFinds.Find(
                key,
                Optional.empty(),
                Duration.ZERO,
                DOCUMENTS,
                false,
                lease,
                use -> new FindResult.Documents(run.apply(use.lease()))));
    }

    private CompletionStage<List<List<RawBsonDocument>>> share(SharedFinds.Find find) {
        return finds.<CompletionStage<FindResult>>map(
                        shared -> shared.submit(find).thenApply(BatchResult::outcome))
                .orElseGet(() -> CompletableFuture.supplyAsync(() -> separately(find), READS))
                .thenApply(result -> ((FindResult.Documents) result).results());
    }

    private static FindResult separately(SharedFinds.Find find) {
        try (var command = find.lease().another(CallerScope.sharers())) {
            var found = find.read().apply(Use.alone(command));
            if (!find.lease().tryJoin(command)) {
                throw Lease.full();
            }
            return found;
        }
    }

    /// Whether equal queries share a page: those of a session run alone.
    public boolean sharesPages(FindQuery query) {
        return finds.isPresent() && query.settings().session().isEmpty();
    }

    /// A page. Equal queries that wait at the same time run once and share the documents, and the encoded page if they
    /// have the same form.
    ///
    /// @param form the content depends on the documents and this alone, such as the name of a JSON mode
    /// @param read finds the documents and encodes them, on a thread that may block
    public CompletionStage<BatchResult<FindResult>> page(
            FindQuery query, String form, boolean isInterruptible, Lease lease, Function<Use, FindResult> read) {
        return finds.orElseThrow().submit(new SharedFinds.Find(query, form, isInterruptible, lease, read));
    }

    CoalescedInserts inserts() {
        return inserts;
    }

    CoalescedInserts bulkInserts() {
        return bulkInserts;
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
