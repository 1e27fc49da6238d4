package org.restheart.mongo.coalescing;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.mongodb.MongoException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoCursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.bson.RawBsonDocument;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Lease;
import org.restheart.http.ProblemException;
import org.restheart.http.RequestStart;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.coalescing.Batching.BatchCommand;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.find.DocumentCursor;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Finder;
import org.restheart.mongo.find.Finder.Use;
import org.restheart.mongo.find.InlineRead;
import org.restheart.mongo.find.QueryKey;

/// Runs equal queries that wait at the same time once, whichever services they come by. Each service
/// takes the documents in a form of its own; requests for one form share that, too. Thread-safe.
final class SharedFinds {
    /// The most documents of a page that the thread of a connection finds.
    private static final int SMALL = 100;

    /// How long that thread waits for MongoDB. A query may be slow where others are not, and is sent again then.
    private static final Duration INLINE_LIMIT = Duration.ofMillis(20);

    /// The interval in which it is checked who still waits.
    private static final long CHECK_MILLIS = 250;

    private final Latencies latencies = new Latencies();
    private final BatchQueues<QueryKey, Find, FindResult> queues;

    private final LongSupplier clock;
    private final Duration inlineLimit;

    SharedFinds(Batching batching) {
        this(batching, System::nanoTime, INLINE_LIMIT);
    }

    /// @param clock [System#nanoTime()], or a test's
    /// @param inlineLimit how long the thread of a connection waits for MongoDB
    SharedFinds(Batching batching, LongSupplier clock, Duration inlineLimit) {
        this.queues = batching.queues("query");
        this.clock = clock;
        this.inlineLimit = inlineLimit;
    }

    /// A request for the documents of a query, or for other results.
    ///
    /// @param key what is found depends on this alone
    /// @param small the collection, if a thread that must not wait for long may find them: MongoDB sends one reply
    /// @param timeLimit zero for none
    /// @param form what `read` returns depends on the documents and this alone
    /// @param isInterruptible whether the query ends in MongoDB when no request waits for it any more
    /// @param lease of the request, which joins that of the command
    /// @param read finds the documents and takes them; on a thread that may block
    record Find(
            QueryKey key,
            Optional<MongoNamespace> small,
            Duration timeLimit,
            String form,
            boolean isInterruptible,
            Lease lease,
            Function<Use, FindResult> read) {
        Find(FindQuery query, String form, boolean isInterruptible, Lease lease, Function<Use, FindResult> read) {
            boolean isSmall = query.limit() > 0 && query.limit() <= SMALL && !query.isStaged();
            var small = isSmall ? Optional.of(query.namespace()) : Optional.<MongoNamespace>empty();
            this(query.sharedKey(), small, query.settings().timeLimit(), form, isInterruptible, lease, read);
        }
    }

    /// Adds a request to those waiting for the same query; never blocks.
    PendingRequest<Find, FindResult> submit(Find find) {
        return queues.submit(find.key(), () -> new Command(find.small()), find, 0);
    }

    /// Finds the documents of one query.
    private final class Command implements BatchCommand<Find, FindResult> {
        private final Optional<MongoNamespace> small;

        Command(Optional<MongoNamespace> small) {
            this.small = small;
        }

        @Override
        public void run(List<PendingRequest<Find, FindResult>> requests) {
            long began = clock.getAsLong();
            SharedFinds.run(requests);
            small.ifPresent(namespace -> latencies.record(namespace, clock.getAsLong() - began));
        }

        /// Queries may be repeated, whatever goes wrong.
        @Override
        public Optional<BatchCommand<Find, FindResult>> inline() {
            return small.filter(latencies::areLow).map(namespace -> requests -> attempt(requests, namespace));
        }

        private void attempt(List<PendingRequest<Find, FindResult>> requests, MongoNamespace namespace) {
            var first = requests.getFirst();
            if (requests.size() > 1 || first.request().isInterruptible() || isShorter(limit(first), inlineLimit)) {
                throw new IllegalStateException("not for a thread that must not wait");
            }
            long began = clock.getAsLong();
            try (var lease = first.request().lease().another(List.of(first.caller()))) {
                var taken = found(first.request(), lease, namespace);
                if (!taken.canBeShared()) {
                    taken.discard(); // its cursor has the time limit, too
                    latencies.reset(namespace);
                    throw new IllegalStateException("larger than expected");
                }
                complete(first, taken, 1, lease);
            }
            latencies.record(namespace, clock.getAsLong() - began);
        }

        private FindResult found(Find find, Lease lease, MongoNamespace namespace) {
            try {
                return InlineRead.within(inlineLimit, () -> find.read().apply(Use.alone(lease)));
            } catch (RuntimeException e) {
                latencies.reset(namespace);
                throw e;
            }
        }
    }

    /// In which collections pages are found quickly. Thread-safe.
    private static final class Latencies {
        /// Where so many pages in a row were quick, the next one probably is.
        private static final int ENOUGH = 16;

        private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
        private static final int MAX_COLLECTIONS = 1_000;

        /// How many pages in a row were quick.
        private final Cache<MongoNamespace, AtomicInteger> quick = Caffeine.newBuilder()
                .maximumSize(MAX_COLLECTIONS)
                .executor(Runnable::run)
                .build();

        boolean areLow(MongoNamespace collection) {
            var number = quick.getIfPresent(collection);
            return number != null && number.get() >= ENOUGH;
        }

        void record(MongoNamespace collection, long nanos) {
            if (nanos > QUICK_NANOS) {
                reset(collection);
            } else if (!areLow(collection)) {
                quick.get(collection, _ -> new AtomicInteger()).incrementAndGet();
            }
        }

        void reset(MongoNamespace collection) {
            var number = quick.getIfPresent(collection);
            if (number != null) {
                number.set(0);
            }
        }
    }

    private static void run(List<PendingRequest<Find, FindResult>> requests) {
        if (requests.stream().allMatch(pending -> pending.request().isInterruptible())) {
            runInterruptibly(requests, () -> answer(requests));
        } else {
            answer(requests);
        }
    }

    /// With the longest time limit of all: a request with a shorter one waits no longer than that.
    private static void answer(List<PendingRequest<Find, FindResult>> requests) {
        var first = withLongestLimit(requests);
        requests.forEach(pending -> {
            if (isShorter(limit(pending), limit(first))) {
                endAfter(limit(pending), pending);
            }
        });
        var forms = new LinkedHashMap<String, List<PendingRequest<Find, FindResult>>>();
        forms.computeIfAbsent(first.request().form(), _ -> new ArrayList<>()).add(first);
        requests.stream()
                .filter(pending -> pending != first)
                .forEach(pending -> forms.computeIfAbsent(pending.request().form(), _ -> new ArrayList<>())
                        .add(pending));
        if (forms.size() == 1) {
            take(forms.firstEntry().getValue(), UnaryOperator.identity(), requests.size());
        } else {
            takeInForms(List.copyOf(forms.values()), requests.size());
        }
    }

    /// Each form is made of the documents that were found for the first one, unless these are too many to keep.
    private static void takeInForms(List<List<PendingRequest<Find, FindResult>>> forms, int sharing) {
        var documents = new RecordedDocuments();
        boolean found = false;
        for (var requests : forms) {
            try {
                if (!found) {
                    found = true;
                    take(requests, documents::recording, sharing);
                    documents.end();
                } else if (documents.isComplete()) {
                    take(requests, _ -> documents.replaying(), sharing);
                } else {
                    take(requests, UnaryOperator.identity(), requests.size());
                }
            } catch (MongoException e) {
                throw e;
            } catch (RuntimeException e) { // of this form alone, such as memory that its caller has used up
                documents.end();
                requests.forEach(pending -> pending.completeExceptionally(e));
            }
        }
    }

    private static void take(
            List<PendingRequest<Find, FindResult>> requests, UnaryOperator<Finder> change, int sharing) {
        var first = requests.getFirst();
        boolean isShared = requests.size() > 1;
        var leases = requests.stream().map(pending -> pending.request().lease()).toList();
        try (var lease = first.request().lease().another(PendingRequest.callersOf(requests), leases)) {
            var taken =
                    ConnectionRetry.repeatedSoon(() -> first.request().read().apply(new Use(lease, isShared, change)));
            if (taken.canBeShared()) {
                requests.forEach(pending -> complete(pending, taken, sharing, lease));
                return;
            }
            complete(first, taken, 1, lease);
        }
        for (var pending : requests.subList(1, requests.size())) {
            if (pending.request().isInterruptible()) {
                takeAlone(pending); // with this command it ends
            } else { // whoever waits for memory does not let the others wait
                pending.completeElsewhere(() -> {
                    takeAlone(pending);
                    return pending.join();
                });
            }
        }
    }

    private static void takeAlone(PendingRequest<Find, FindResult> pending) {
        if (pending.isDone()) {
            return;
        }
        try (var lease = pending.request().lease().another(List.of(pending.caller()))) {
            var taken = pending.request().read().apply(Use.alone(lease));
            complete(pending, taken, 1, lease);
        } catch (ProblemException e) { // such as memory that its caller has used up
            pending.completeExceptionally(e);
        }
    }

    /// Completes a request with what it alone can use, unless it has ended meanwhile: by its time limit, because
    /// its client has gone, or with the server of the command.
    ///
    /// @param lease owns the memory of the result, which the request keeps
    private static void complete(PendingRequest<Find, FindResult> pending, FindResult taken, int sharing, Lease lease) {
        boolean isKept = pending.request().lease().tryJoin(lease);
        boolean isComplete = isKept ? pending.complete(taken, sharing) : pending.completeExceptionally(Lease.full());
        if ((!isKept || !isComplete) && !taken.canBeShared()) {
            taken.discard();
        }
    }

    private static Duration limit(PendingRequest<Find, ?> pending) {
        return pending.request().timeLimit();
    }

    private static PendingRequest<Find, FindResult> withLongestLimit(List<PendingRequest<Find, FindResult>> requests) {
        var longest = requests.getFirst();
        for (var pending : requests) {
            if (isShorter(limit(longest), limit(pending))) {
                longest = pending;
            }
        }
        return longest;
    }

    /// Zero is no limit.
    private static boolean isShorter(Duration limit, Duration other) {
        return !limit.isZero() && (other.isZero() || limit.compareTo(other) < 0);
    }

    /// With the error that MongoDB would send.
    private static void endAfter(Duration limit, PendingRequest<?, ?> pending) {
        var timer = new CompletableFuture<Boolean>().orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS);
        var _ = timer.whenComplete((_, late) -> {
            if (late != null) {
                pending.completeExceptionally(new MongoExecutionTimeoutException(
                        MongoCodes.MAX_TIME_EXPIRED, "operation exceeded time limit"));
            }
        });
        var _ = pending.whenComplete((_, _) -> timer.complete(true)); // which cancels it
    }

    /// Runs a command that is given up when no request waits for it any more, and returns when it has ended. It
    /// runs on a virtual thread: interrupting that closes the connection to MongoDB on which it waits, which ends
    /// the operation there.
    private static void runInterruptibly(List<? extends PendingRequest<?, ?>> requests, Runnable command) {
        var ended = new CountDownLatch(1);
        var failure = new AtomicReference<@Nullable RuntimeException>();
        Runnable task = () -> RequestStart.during(PendingRequest.begunAt(requests), () -> {
            try {
                command.run();
            } catch (RuntimeException e) {
                failure.set(e);
            } finally {
                ended.countDown();
            }
        });
        var thread =
                Thread.ofVirtual().name("interruptible-command").start(ServerOfCommand.lent(CallerScope.lent(task)));
        boolean interrupted = false;
        while (!isOver(ended, thread)) {
            requests.forEach(PendingRequest::endIfGone);
            if (!interrupted && requests.stream().allMatch(CompletableFuture::isCompletedExceptionally)) {
                interrupted = true; // once, so that its clean-up is not interrupted
                thread.interrupt();
            }
        }
        var thrown = failure.get();
        if (thrown != null) {
            throw thrown;
        }
    }

    private static boolean isOver(CountDownLatch ended, Thread thread) {
        try {
            return ended.await(CHECK_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            thread.interrupt();
            throw new IllegalStateException("threads of commands are not interrupted", e);
        }
    }

    /// The documents of one query, kept while they are read for the first time, so that they can be read
    /// again. Confined to one command.
    static final class RecordedDocuments {
        private final List<RawBsonDocument> documents = new ArrayList<>();
        private boolean complete;
        private boolean ended;

        /// A finder that keeps what it finds.
        Finder recording(Finder finder) {
            return (query, batchSize) -> {
                documents.clear();
                return new Recording(query, finder.find(query, batchSize));
            };
        }

        /// A finder of what was kept.
        Finder replaying() {
            return (_, _) -> DocumentCursor.of(documents);
        }

        /// Keeps no more, and nothing of a result that has not been read to its end: such a one can be
        /// large.
        void end() {
            ended = true;
            if (!complete) {
                documents.clear();
            }
        }

        /// Whether the whole result was kept.
        boolean isComplete() {
            return complete;
        }

        private final class Recording extends DocumentCursor.Wrapper {
            private final FindQuery query;

            Recording(FindQuery query, MongoCursor<RawBsonDocument> cursor) {
                super(cursor);
                this.query = query;
            }

            @Override
            public boolean hasNext() {
                boolean hasNext = super.hasNext();
                complete = complete || (!hasNext && !ended);
                return hasNext;
            }

            @Override
            public RawBsonDocument next() {
                var next = super.next();
                if (!ended) {
                    documents.add(next);
                    complete = documents.size() == query.limit();
                }
                return next;
            }
        }
    }
}
