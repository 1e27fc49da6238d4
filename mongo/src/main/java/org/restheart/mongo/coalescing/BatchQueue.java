package org.restheart.mongo.coalescing;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.restheart.http.InlineCommand;
import org.restheart.http.Problem;
import org.restheart.http.ProblemException;
import org.restheart.http.RequestStart;
import org.restheart.http.access.CallerScope;
import org.restheart.http.trace.TraceScope;
import org.restheart.http.trace.TraceScope.TraceSpan;
import org.restheart.mongo.coalescing.BatchQueue.RunningCommands.Running;
import org.restheart.mongo.coalescing.BatchQueues.BatchMeters;
import org.restheart.mongo.coalescing.BatchQueues.QueueChecks;
import org.restheart.mongo.coalescing.Batching.BatchCommand;
import org.restheart.mongo.coalescing.Batching.BatchLoad;
import org.restheart.mongo.error.MongoCodes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Group commit for requests of one shape: a queue, and a small number of commands that [BatchRunner]s run.
/// A request starts a command if fewer than the bound are running, else it joins the next one. A batch
/// therefore grows only while MongoDB is the bottleneck, and a single client is not delayed.
///
/// While batches are small, commands run concurrently, so that a few clients do not wait for each other.
/// Once they are large, or many requests are under way in other queues ([BatchLoad]), there is one at a
/// time, which halves the number of commands. A command that takes long is not waited for, and after some
/// seconds a command of writes does not count among those that may run: its connection is one of its
/// callers' shares, which bounds such commands. One whose server has failed is abandoned: its thread may
/// block in a socket of a frozen server, while another server is elected. Thread-safe.
///
/// @param <R> the request
/// @param <O> the outcome
final class BatchQueue<R, O> {
    /// After this time it is checked periodically whether the request's client is still connected.
    private static final Duration LONG_WAIT = Duration.ofSeconds(1);

    /// How long after the driver a queue learns that the server of a command has failed.
    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final Problem OUTCOME_UNKNOWN =
            MongoCodes.unavailable("MongoDB does not answer any more: whether a write took place is not known");

    private final BatchCommand<R, O> command;
    private final CoalescingConfig limits;
    private final Executor threads;
    private final BatchLoad load;
    private final BatchMeters meters;
    private final QueueChecks checks;
    private final LongSupplier clock;

    @GuardedBy("this")
    private final Queue<PendingRequest<R, O>> queue = new ArrayDeque<>();

    @GuardedBy("this")
    private final RunningCommands<R, O> commands;

    /// Whether a check will follow.
    @GuardedBy("this")
    private boolean checked;

    @GuardedBy("this")
    private boolean slowCheckPending;

    /// @param load of all queues
    /// @param checks of this queue while it has requests: MongoDB may not respond to a command, whose end is
    ///     what the others wait for
    /// @param clock [System#nanoTime()], or a test's
    BatchQueue(
            BatchCommand<R, O> command,
            CoalescingConfig limits,
            Executor threads,
            Deployment deployment,
            BatchLoad load,
            BatchMeters meters,
            QueueChecks checks,
            LongSupplier clock) {
        this.clock = clock;
        this.load = load;
        this.command = command;
        this.commands = new RunningCommands<>(limits, command.mayTakeLong(), deployment, load);
        this.limits = limits;
        this.threads = threads;
        this.meters = meters;
        this.checks = checks;
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
        @Nullable BatchRunner<R, O> runner;
        synchronized (this) {
            if (queue.size() + arriving.size() > limits.maxQueued()) {
                meters.refused();
                throw refusal("too many requests are waiting for MongoDB");
            }
            queue.addAll(arriving);
            load.add(arriving.size(), arriving.getFirst().queuedAt());
            if (!checked) {
                checked = true;
                checks.add(this, nextCheck());
            }
            runner = another(arriving.getFirst().queuedAt());
        }
        if (runner != null && !isLeftToIoThread(runner)) {
            threads.execute(runner);
        }
    }

    private boolean isLeftToIoThread(BatchRunner<R, O> runner) {
        return InlineCommand.isAwaited()
                && command.inline()
                        .filter(inline -> InlineCommand.offer(() -> runner.runInline(inline)))
                        .isPresent();
    }

    /// @return runs a command for queued requests; null if there are none, or if no other command may run now
    @GuardedBy("this")
    private @Nullable BatchRunner<R, O> another(long now) {
        if (queue.isEmpty()) {
            return null;
        }
        if (!commands.mayRun(now)) {
            checkSlowLater();
            return null;
        }
        return new BatchRunner<>(this, commands.add(), command, threads, meters, clock);
    }

    private void start(@Nullable BatchRunner<R, O> runner) {
        if (runner != null) {
            threads.execute(runner);
        }
    }

    private static ProblemException refusal(String message) {
        return Problem.overloaded(message).raise();
    }

    private long nextCheck() {
        return Math.min(limits.maxWait().toNanos(), CHECK_NANOS);
    }

    /// Where requests arrive often, the next one finds that a command is slow; the others would wait for its
    /// end.
    @GuardedBy("this")
    private void checkSlowLater() {
        if (!commands.areLarge() && !slowCheckPending) {
            slowCheckPending = true;
            CompletableFuture.delayedExecutor(RunningCommands.LONG_NANOS + 1, TimeUnit.NANOSECONDS, Runnable::run)
                    .execute(this::startIfSlow); // never blocks, and mostly finds nothing to do
        }
    }

    private void startIfSlow() {
        @Nullable BatchRunner<R, O> runner;
        synchronized (this) {
            slowCheckPending = false;
            runner = another(clock.getAsLong());
        }
        start(runner);
    }

    /// Whether there is nothing to check any more before another request is queued.
    synchronized boolean endsChecks() {
        checked = !queue.isEmpty() || !commands.areNone();
        return !checked;
    }

    /// Fails what has waited for too long, or is part of a command whose server has failed, and withdraws
    /// the requests of clients that have gone.
    ///
    /// @return the nanoseconds until the next check; zero if none is needed before another request is queued
    long check() {
        var late = new ArrayList<PendingRequest<R, O>>();
        var waiting = new ArrayList<PendingRequest<R, O>>();
        List<PendingRequest<R, O>> lost;
        @Nullable BatchRunner<R, O> successor;
        long nextCheck = 0;
        synchronized (this) {
            long now = clock.getAsLong();
            long maxWait = limits.maxWait().toNanos();
            long longest = 0;
            for (var pending : queue) {
                long waited = now - pending.begunAt();
                if (waited >= maxWait) {
                    late.add(pending);
                } else {
                    longest = Math.max(longest, waited);
                }
            }
            queue.removeIf(pending -> now - pending.begunAt() >= maxWait);
            for (var pending : queue) {
                if (now - pending.queuedAt() < LONG_WAIT.toNanos()) {
                    break;
                }
                waiting.add(pending);
            }
            lost = commands.abandonLost(now);
            successor = another(now);
            checked = !queue.isEmpty() || !commands.areNone();
            if (checked) {
                nextCheck = Math.min(nextCheck(), maxWait - longest);
            }
        }
        load.remove(late.size());
        for (var pending : late) {
            meters.refused();
            pending.completeExceptionally(refusal("MongoDB does not answer in time"));
        }
        PendingRequest.failRest(lost, OUTCOME_UNKNOWN.raise());
        waiting.forEach(PendingRequest::withdrawIfGone);
        start(successor);
        return nextCheck;
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

    void waitsForConnection(Running<R, O> running) {
        @Nullable BatchRunner<R, O> successor;
        synchronized (this) {
            commands.waitForConnection(running);
            successor = another(clock.getAsLong());
        }
        start(successor);
    }

    synchronized void ended(Running<R, O> running) {
        commands.end(running);
    }

    /// Ends a runner, unless requests are queued.
    synchronized boolean endsIdle(Running<R, O> running) {
        if (!queue.isEmpty() && commands.contain(running)) {
            return false;
        }
        commands.remove(running);
        return true;
    }

    /// Takes queued requests, up to the bounds; an empty batch ends the runner.
    synchronized List<PendingRequest<R, O>> nextBatch(Running<R, O> running) {
        if (!commands.remove(running)) { // it waits for a connection, or was abandoned
            return List.of();
        }
        long now = clock.getAsLong();
        if (!commands.mayRun(now)) {
            if (!queue.isEmpty()) {
                checkSlowLater();
            }
            return List.of();
        }
        var batch = new ArrayList<PendingRequest<R, O>>(Math.min(queue.size(), limits.maxBatch()));
        long bytes = 0;
        for (var next = queue.peek(); next != null && batch.size() < limits.maxBatch(); next = queue.peek()) {
            if (!next.isDone()) {
                bytes += next.bytes() + command.bytes();
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
            commands.begin(running, batch, now);
        }
        return batch;
    }

    /// Runs commands of a [BatchQueue] one after the other, while requests are queued: for their callers,
    /// with the time limit of the oldest request, and as a part of their traces. Confined to one thread at a
    /// time.
    ///
    /// @param <R> the request
    /// @param <O> the outcome
    record BatchRunner<R, O>(
            BatchQueue<R, O> queue,
            Running<R, O> running,
            BatchCommand<R, O> command,
            Executor threads,
            BatchMeters meters,
            LongSupplier clock)
            implements Runnable {
        private static final Logger LOG = LoggerFactory.getLogger(BatchRunner.class);

        @Override
        public void run() {
            for (var next = queue.nextBatch(running); !next.isEmpty(); next = queue.nextBatch(running)) {
                run(next);
            }
        }

        private void run(List<PendingRequest<R, O>> batch) {
            long sent = clock.getAsLong();
            try {
                meters.sent(batch, sent);
                // requests of other callers do not wait until this one may have another connection
                send(batch, sent, command, () -> queue.waitsForConnection(running));
            } catch (RuntimeException | Error e) {
                PendingRequest.failRest(batch, e);
            } finally {
                queue.ended(running);
            }
        }

        /// Runs one command on a thread that must not wait for long. If it fails, for whatever reason, it is
        /// run again by another thread, as are all that follow.
        void runInline(BatchCommand<R, O> inline) {
            var batch = queue.nextBatch(running);
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
            queue.ended(running);
            if (!queue.endsIdle(running)) {
                threads.execute(this);
            }
        }

        /// @param onWait called before the command waits for a connection
        private void send(List<PendingRequest<R, O>> batch, long sent, BatchCommand<R, O> command, Runnable onWait) {
            RequestStart.during(
                    PendingRequest.begunAt(batch),
                    () -> CallerScope.run(
                            PendingRequest.callersOf(batch),
                            onWait,
                            () -> running.server().during(() -> trace(batch, sent, command))));
            for (var pending : batch) {
                if (!pending.isSettled()) {
                    throw new IllegalStateException("a command result without this outcome");
                }
            }
        }

        /// Runs the command of a batch, of which some requests or none are traced. Each request's span has a
        /// part for its wait in the queue. The command is a part of the first request's span, and linked to
        /// the parts that stand for it in the spans of the others.
        private void trace(List<PendingRequest<R, O>> batch, long sent, BatchCommand<R, O> command) {
            if (!isTraced(batch)) {
                command.run(batch);
                return;
            }
            var spans = new LinkedHashSet<TraceSpan>(); // several parts of one request may wait
            for (var pending : batch) {
                var span = pending.span();
                if (span != null && spans.add(span)) {
                    span.add("wait for batch", pending.queuedAt(), sent);
                }
            }
            var first = spans.removeFirst();
            if (batch.size() == 1) {
                TraceScope.run(first, () -> command.run(batch));
                return;
            }
            var others = new ArrayList<>(spans);
            var shared = first.share("shared command", batch.size(), others, sent);
            try {
                TraceScope.run(shared, () -> command.run(batch));
            } finally {
                long ended = System.nanoTime();
                shared.end(ended);
                others.forEach(span -> span.add("shared command", sent, ended, shared));
            }
        }

        private static <R, O> boolean isTraced(List<PendingRequest<R, O>> batch) {
            for (var pending : batch) {
                if (pending.span() != null) {
                    return true;
                }
            }
            return false;
        }
    }

    /// The commands of one [BatchQueue], and whether another one may run. Guarded by the queue.
    ///
    /// @param <R> the request
    /// @param <O> the outcome
    static final class RunningCommands<R, O> {
        /// Commands that take longer are not waited for: MongoDB or the network is slow.
        static final long LONG_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

        /// Batches of this size are large enough to wait for the running command.
        private static final int LARGE = 8;

        /// Commands that take longer are not counted: one statement can take minutes, and a few commands
        /// with such statements would stop everybody else's. Longer than commands wait for documents that
        /// a transaction holds.
        private static final long UNCOUNTED_NANOS = TimeUnit.SECONDS.toNanos(3);

        /// A broken connection may hide a server for less than this.
        private static final Duration UNREACHABLE = Duration.ofSeconds(1);

        private static final long NEVER = Long.MIN_VALUE;

        private final CoalescingConfig limits;
        private final boolean mayTakeLong;
        private final Deployment deployment;
        private final BatchLoad load;
        private final List<Running<R, O>> running = new ArrayList<>();

        /// Those that wait for a connection, or have waited for one: others run as if these did not.
        private final List<Running<R, O>> waitingForConnection = new ArrayList<>();

        private long lastStart;

        /// The largest of the latest batches; decays by an eighth with each smaller one.
        private int usualBatch;

        RunningCommands(CoalescingConfig limits, boolean mayTakeLong, Deployment deployment, BatchLoad load) {
            this.limits = limits;
            this.mayTakeLong = mayTakeLong;
            this.deployment = deployment;
            this.load = load;
        }

        /// The command that one thread runs; without requests before the first one and between two.
        static final class Running<R, O> {
            private List<PendingRequest<R, O>> batch = List.of();
            private ServerOfCommand server = new ServerOfCommand();
            private long suspectSince = NEVER;
            private long began;

            ServerOfCommand server() {
                return server;
            }
        }

        boolean areNone() {
            return running.isEmpty() && waitingForConnection.isEmpty();
        }

        /// Whether batches are.
        boolean areLarge() {
            return usualBatch >= LARGE;
        }

        /// Whether another command may run now.
        boolean mayRun(long now) {
            int others = 0;
            for (var command : running) {
                others += isUncounted(command, now) ? 0 : 1;
            }
            boolean oneAtATime = areLarge() || load.isHigh(now);
            return others == 0 || (others < limits.commands() && (!oneAtATime || now - lastStart > LONG_NANOS));
        }

        private boolean isUncounted(Running<R, O> command, long now) {
            return mayTakeLong && !command.batch.isEmpty() && now - command.began > UNCOUNTED_NANOS;
        }

        /// A place for a command that is about to begin.
        Running<R, O> add() {
            var command = new Running<R, O>();
            running.add(command);
            return command;
        }

        void begin(Running<R, O> command, List<PendingRequest<R, O>> batch, long now) {
            running.add(command);
            command.batch = batch;
            command.began = now;
            command.server = new ServerOfCommand();
            command.suspectSince = NEVER;
            lastStart = now;
            usualBatch = Math.max(batch.size(), usualBatch - (usualBatch + 7) / 8);
        }

        /// The command's requests are complete.
        void end(Running<R, O> command) {
            load.remove(command.batch.size()); // empty if the command was abandoned
            command.batch = List.of();
        }

        void waitForConnection(Running<R, O> command) {
            if (running.remove(command)) {
                waitingForConnection.add(command);
            }
        }

        boolean contain(Running<R, O> command) {
            return running.contains(command);
        }

        /// @return whether its thread may run another command: not if it has waited for a connection, or
        ///     if its command was abandoned
        boolean remove(Running<R, O> command) {
            if (running.remove(command)) {
                return true;
            }
            waitingForConnection.remove(command);
            return false;
        }

        /// Abandons commands whose servers have failed. Their threads continue to wait; their results are
        /// ignored.
        ///
        /// @return their requests
        List<PendingRequest<R, O>> abandonLost(long now) {
            var lost = new ArrayList<PendingRequest<R, O>>();
            for (var commands : List.of(running, waitingForConnection)) {
                commands.removeIf(command -> {
                    boolean isLost = isLost(command, now);
                    if (isLost) {
                        lost.addAll(command.batch);
                        end(command);
                    }
                    return isLost;
                });
            }
            return lost;
        }

        /// Whether its server does not respond, or has been unreachable for a while. A broken connection
        /// may hide a server for a moment. A command that waits for a server is not lost: one may be
        /// elected until the requests time out.
        private boolean isLost(Running<R, O> command, long now) {
            if (command.batch.isEmpty()) {
                return false;
            }
            if (now - command.batch.getFirst().queuedAt() >= limits.maxWait().toNanos() && !deployment.takesWrites()) {
                return true;
            }
            var address = command.server.address();
            if (address == null || !deployment.hasLost(address)) {
                command.suspectSince = NEVER;
                return false;
            }
            if (command.suspectSince == NEVER) {
                command.suspectSince = now;
            }
            return now - command.suspectSince >= UNREACHABLE.toNanos() || deployment.isSilent(address);
        }
    }
}
