package org.restheart.mongo.coalescing;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import org.restheart.http.RequestStart;
import org.restheart.http.access.CallerScope;
import org.restheart.http.trace.TraceScope;
import org.restheart.http.trace.TraceScope.TraceSpan;
import org.restheart.mongo.coalescing.BatchQueues.BatchMeters;
import org.restheart.mongo.coalescing.Batching.BatchCommand;
import org.restheart.mongo.coalescing.RunningCommands.Running;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Runs commands of a [BatchQueue] one after the other, while requests are queued: for their callers, with the time
/// limit of the oldest request, and as a part of their traces. Confined to one thread at a time.
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

    /// Runs one command on a thread that must not wait for long. If it fails, for whatever reason, it is run again
    /// by another thread, as are all that follow.
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
                batch.getFirst().queuedAt(),
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

    /// Runs the command of a batch, of which some requests or none are traced. Each request's span has a part for
    /// its wait in the queue. The command is a part of the first request's span, and linked to the parts that stand
    /// for it in the spans of the others.
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
