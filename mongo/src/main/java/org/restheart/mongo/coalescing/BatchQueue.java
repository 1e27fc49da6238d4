package org.restheart.mongo.coalescing;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.restheart.http.InlineCommand;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.RequestStart;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.coalescing.Batching.BatchCommand;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Group commit for requests of one shape: a queue and a small number of commands. A request starts a command if
/// fewer than the bound are running, else it joins the next one. A batch therefore grows only while MongoDB is the
/// bottleneck, and a single client is not delayed.
///
/// While batches are small, commands run concurrently, so that a few clients do not wait for each other. Once they
/// are large, or many requests are under way in other queues ([BatchLoad]), there is one at a time, which halves the
/// number of commands. A command that takes long is not waited for, and after some seconds a command of writes does not
/// count among those that may run: its connection is one of its callers' shares, which bounds such commands. One whose
/// server
/// has failed is abandoned: its thread may block in a socket of a frozen server, while another server is elected.
/// Thread-safe.
///
/// @param <R> the request
/// @param <O> the outcome
final class BatchQueue<R, O> {
    private static final Logger LOG = LoggerFactory.getLogger(BatchQueue.class);

    /// Batches of this size are large enough to wait for the running command.
    private static final int LARGE = 8;

    /// Commands that take longer are not waited for: MongoDB or the network is slow.
    private static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /// Commands that take longer are not counted: one statement can take minutes, and a few commands with such
    /// statements would stop everybody else's. Longer than commands wait for documents that a transaction holds.
    private static final long UNCOUNTED_NANOS = TimeUnit.SECONDS.toNanos(3);

    /// After this time it is checked periodically whether the request's client is still connected.
    private static final Duration LONG_WAIT = Duration.ofSeconds(1);

    /// A broken connection may hide a server for less than this.
    private static final Duration UNREACHABLE = Duration.ofSeconds(1);

    private static final long NEVER = Long.MIN_VALUE;

    /// How long after the driver a queue learns that the server of a command has failed.
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(500);

    private static final Problem OUTCOME_UNKNOWN = Problem.of(
                    ProblemCode.DATABASE_UNAVAILABLE,
                    "MongoDB does not answer any more: whether a write took place is not known")
            .with("Retry-After", "5");

    private final BatchCommand<R, O> command;
    private final Optional<BatchCommand<R, O>> inline;
    private final CoalescingConfig limits;
    private final Executor threads;
    private final Deployment deployment;
    private final BatchLoad load;
    private final BatchMeters meters;
    private final LongSupplier clock;

    /// Guarded by this, like all below.
    private final Queue<PendingRequest<R, O>> queue = new ArrayDeque<>();

    private final List<Runner> running = new ArrayList<>();

    /// Those that wait for a connection, or have waited for one: others run as if these did not.
    private final List<Runner> waitingForConnection = new ArrayList<>();

    private long lastStart;

    /// The largest of the latest batches; decays by an eighth with each smaller one.
    private int usualBatch;

    private boolean watched;
    private boolean slowCheckPending;

    /// @param load of all queues
    /// @param clock [System#nanoTime()], or a test's
    BatchQueue(
            BatchCommand<R, O> command,
            CoalescingConfig limits,
            Executor threads,
            Deployment deployment,
            BatchLoad load,
            BatchMeters meters,
            LongSupplier clock) {
        this.clock = clock;
        this.load = load;
        this.deployment = deployment;
        this.command = command;
        this.inline = command.inline();
        this.limits = limits;
        this.threads = threads;
        this.meters = meters;
    }

    /// Queues a request; never blocks.
    ///
    /// @param bytes its size in a batch
    /// @return fails with a 503, too, when it was not sent in time
    /// @throws ProblemException 503 when too many wait already
    PendingRequest<R, O> submit(R request, int bytes) {
        var pending = new PendingRequest<R, O>(this, request, bytes, clock.getAsLong());
        enqueue(List.of(pending));
        return pending;
    }

    /// As [#submit], for several requests without size: no command starts before all are queued.
    List<PendingRequest<R, O>> submitAll(List<R> requests) {
        long now = clock.getAsLong();
        var pending = requests.stream()
                .map(request -> new PendingRequest<R, O>(this, request, 0, now))
                .toList();
        enqueue(pending);
        return pending;
    }

    private void enqueue(List<PendingRequest<R, O>> arriving) {
        Runner runner;
        synchronized (this) {
            if (queue.size() + arriving.size() > limits.maxQueued()) {
                meters.refused();
                throw refusal("too many requests are waiting for MongoDB");
            }
            queue.addAll(arriving);
            load.add(arriving.size(), arriving.getFirst().queuedAt());
            watch();
            if (!mayRun(arriving.getFirst().queuedAt())) {
                checkSlowLater();
                return;
            }
            runner = new Runner();
            running.add(runner);
        }
        if (inline.isEmpty() || !InlineCommand.offer(() -> runner.runInline(inline.get()))) {
            threads.execute(runner);
        }
    }

    private static ProblemException refusal(String message) {
        return Problem.of(ProblemCode.OVERLOADED, message)
                .with("Retry-After", "1")
                .raise();
    }

    /// Called with the lock held. The queue is normally processed when commands complete; this handles the case that
    /// MongoDB does not respond.
    private void watch() {
        if (!watched) {
            watchFor(limits.maxWait().toNanos());
        }
    }

    private void watchFor(long nanos) {
        watched = true;
        CompletableFuture.delayedExecutor(Math.min(nanos, CHECK_INTERVAL.toNanos()), TimeUnit.NANOSECONDS, threads)
                .execute(this::checkCommands);
    }

    /// Called with the lock held. Where requests arrive often, the next one finds that a command is slow; the others
    /// would wait for its end.
    private void checkSlowLater() {
        if (usualBatch < LARGE && !slowCheckPending) {
            slowCheckPending = true;
            CompletableFuture.delayedExecutor(LONG_NANOS + 1, TimeUnit.NANOSECONDS, Runnable::run)
                    .execute(this::startIfSlow); // never blocks, and mostly finds nothing to do
        }
    }

    private void startIfSlow() {
        Runner runner;
        synchronized (this) {
            slowCheckPending = false;
            if (queue.isEmpty()) {
                return;
            }
            if (!mayRun(clock.getAsLong())) {
                checkSlowLater();
                return;
            }
            runner = new Runner();
            running.add(runner);
        }
        threads.execute(runner);
    }

    private void checkCommands() {
        var late = new ArrayList<PendingRequest<R, O>>();
        var waiting = new ArrayList<PendingRequest<R, O>>();
        var lost = new ArrayList<PendingRequest<R, O>>();
        Runner successor = null;
        synchronized (this) {
            long now = clock.getAsLong();
            long maxWait = limits.maxWait().toNanos();
            var next = queue.peek();
            while (next != null && now - next.queuedAt() >= maxWait) {
                late.add(queue.remove());
                next = queue.peek();
            }
            for (var pending : queue) {
                if (now - pending.queuedAt() < LONG_WAIT.toNanos()) {
                    break;
                }
                waiting.add(pending);
            }
            abandonLost(now, lost);
            if (next != null && mayRun(now)) {
                successor = new Runner();
                running.add(successor);
            }
            watched = false;
            if (next != null || !running.isEmpty() || !waitingForConnection.isEmpty()) {
                watchFor(next == null ? CHECK_INTERVAL.toNanos() : maxWait - (now - next.queuedAt()));
            }
        }
        load.remove(late.size());
        for (var pending : late) {
            meters.refused();
            pending.completeExceptionally(refusal("MongoDB does not answer in time"));
        }
        failRest(lost, OUTCOME_UNKNOWN.raise());
        waiting.forEach(PendingRequest::withdrawIfGone);
        if (successor != null) {
            threads.execute(successor);
        }
    }

    /// Called with the lock held. The threads of these commands continue to wait; their results are ignored.
    private void abandonLost(long now, List<PendingRequest<R, O>> lost) {
        for (var runners : List.of(running, waitingForConnection)) {
            runners.removeIf(runner -> {
                boolean isLost = runner.isLost(now);
                if (isLost) {
                    lost.addAll(runner.batch);
                    load.remove(runner.batch.size());
                    runner.batch = List.of();
                }
                return isLost;
            });
        }
    }

    /// @return false if the request was already sent
    boolean takeOut(PendingRequest<R, O> pending) {
        synchronized (this) {
            if (!queue.remove(pending)) {
                return false;
            }
        }
        load.remove(1);
        meters.abandoned();
        return true;
    }

    /// Runs one command after the other, while requests are queued.
    private final class Runner implements Runnable {
        /// Guarded by the queue, like all below.
        private List<PendingRequest<R, O>> batch = List.of();

        private ServerOfCommand server = new ServerOfCommand();
        private long suspectSince = NEVER;
        private long began;

        @Override
        public void run() {
            for (var next = nextBatch(this); !next.isEmpty(); next = nextBatch(this)) {
                run(next);
            }
        }

        private void run(List<PendingRequest<R, O>> batch) {
            long sent = clock.getAsLong();
            try {
                meters.sent(batch, sent);
                send(batch, sent, command, this::onConnectionWait);
            } catch (RuntimeException | Error e) {
                failRest(batch, e);
            } finally {
                ended();
            }
        }

        /// @param onWait called before the command waits for a connection
        private void send(List<PendingRequest<R, O>> batch, long sent, BatchCommand<R, O> command, Runnable onWait) {
            RequestStart.during(
                    batch.getFirst().queuedAt(),
                    () -> CallerScope.run(
                            callersOf(batch), onWait, () -> server.during(() -> BatchTrace.run(batch, sent, command))));
            requireOutcomes(batch);
        }

        /// Runs one command on a thread that must not wait for long. If it fails, for whatever reason, it is run again
        /// by another thread, as are all that follow.
        void runInline(BatchCommand<R, O> inline) {
            var batch = nextBatch(this);
            if (batch.isEmpty()) {
                return;
            }
            long sent = clock.getAsLong();
            try {
                send(batch, sent, inline, () -> {
                    throw new IllegalStateException("other requests of the caller hold its connections");
                });
                meters.sent(batch, sent);
            } catch (RuntimeException | Error e) {
                LOG.debug("a command is run again by a thread that may wait", e);
                threads.execute(() -> {
                    run(batch);
                    run();
                });
                return;
            }
            ended();
            if (!endsIdle()) {
                threads.execute(this);
            }
        }

        /// Ends this runner, unless requests are queued.
        private boolean endsIdle() {
            synchronized (BatchQueue.this) {
                if (!queue.isEmpty() && running.contains(this)) {
                    return false;
                }
                running.remove(this);
                return true;
            }
        }

        private void ended() {
            synchronized (BatchQueue.this) {
                load.remove(batch.size()); // empty if the command was abandoned
                batch = List.of();
            }
        }

        /// Requests of other callers do not wait until this one may have another connection.
        private void onConnectionWait() {
            Runner successor;
            synchronized (BatchQueue.this) {
                if (running.remove(this)) {
                    waitingForConnection.add(this);
                }
                if (queue.isEmpty() || !mayRun(clock.getAsLong())) {
                    return;
                }
                successor = new Runner();
                running.add(successor);
            }
            threads.execute(successor);
        }

        private void begin(List<PendingRequest<R, O>> requests, long now) {
            batch = requests;
            began = now;
            server = new ServerOfCommand();
            suspectSince = NEVER;
        }

        private boolean isUncounted(long now) {
            return command.mayTakeLong() && !batch.isEmpty() && now - began > UNCOUNTED_NANOS;
        }

        /// Whether its command is abandoned: its server does not respond, or has been unreachable for a while. A
        /// broken connection may hide a server for a moment. A command that waits for a server is not lost:
        /// one may be elected until the requests time out.
        private boolean isLost(long now) {
            if (batch.isEmpty()) {
                return false;
            }
            if (now - batch.getFirst().queuedAt() >= limits.maxWait().toNanos() && !deployment.takesWrites()) {
                return true;
            }
            var address = server.address();
            if (address == null || !deployment.hasLost(address)) {
                suspectSince = NEVER;
                return false;
            }
            if (suspectSince == NEVER) {
                suspectSince = now;
            }
            return now - suspectSince >= UNREACHABLE.toNanos() || deployment.isSilent(address);
        }
    }

    /// The callers for whom a command works: it takes its connection and memory from the share of one of them,
    /// never from the server's, or callers who send the same would have no limit together.
    static <R, O> List<String> callersOf(List<PendingRequest<R, O>> batch) {
        var first = batch.getFirst().caller();
        return batch.stream().allMatch(pending -> pending.caller().equals(first))
                ? List.of(first)
                : batch.stream().map(PendingRequest::caller).distinct().toList();
    }

    private static <R, O> void requireOutcomes(List<PendingRequest<R, O>> batch) {
        for (var pending : batch) {
            if (!pending.isSettled()) {
                throw new IllegalStateException("a command result without this outcome");
            }
        }
    }

    private static <R, O> void failRest(List<PendingRequest<R, O>> batch, Throwable failure) {
        for (var pending : batch) {
            if (!pending.isSettled()) {
                pending.completeExceptionally(failure);
            }
        }
    }

    /// Whether another command may run now. Called with the lock held.
    private boolean mayRun(long now) {
        int others = 0;
        for (var runner : running) {
            others += runner.isUncounted(now) ? 0 : 1;
        }
        boolean oneAtATime = usualBatch >= LARGE || load.isHigh(now);
        return others == 0 || (others < limits.commands() && (!oneAtATime || now - lastStart > LONG_NANOS));
    }

    /// Takes queued requests, up to the bounds; an empty batch ends the command's thread.
    private synchronized List<PendingRequest<R, O>> nextBatch(Runner runner) {
        if (!running.remove(runner)) { // it waits for a connection, or was abandoned
            waitingForConnection.remove(runner);
            return List.of();
        }
        long now = clock.getAsLong();
        if (!mayRun(now)) {
            if (!queue.isEmpty()) {
                checkSlowLater();
            }
            return List.of();
        }
        var batch = new ArrayList<PendingRequest<R, O>>(Math.min(queue.size(), limits.maxBatch()));
        long bytes = 0;
        for (var next = queue.peek(); next != null && batch.size() < limits.maxBatch(); next = queue.peek()) {
            if (!next.isDone()) {
                bytes += next.bytes();
                if (bytes > limits.maxBatchBytes() && !batch.isEmpty()) {
                    break;
                }
                batch.add(next);
            } else {
                load.remove(1);
            }
            queue.remove();
        }
        if (!batch.isEmpty()) {
            running.add(runner);
            runner.begin(batch, now);
            lastStart = now;
            usualBatch = Math.max(batch.size(), usualBatch - (usualBatch + 7) / 8);
        }
        return batch;
    }
}
