package org.restheart.mongo.coalescing;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import org.restheart.http.trace.TraceScope;
import org.restheart.http.trace.TraceSpan;
import org.restheart.mongo.coalescing.Batching.BatchCommand;

/// Adds batch commands to the traces of their requests: each request's span has a part for its wait in the queue.
/// The command is a part of the first request's span, and linked to the parts that stand for it in the spans of the
/// others.
final class BatchTrace {
    private BatchTrace() {}

    /// Runs the command of a batch, of which some requests or none are traced.
    ///
    /// @param sent when the batch was taken from the queue, in [System#nanoTime()]
    static <R, O> void run(List<PendingRequest<R, O>> batch, long sent, BatchCommand<R, O> command) {
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
        } else {
            runShared(first, new ArrayList<>(spans), batch.size(), sent, () -> command.run(batch));
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

    private static void runShared(TraceSpan first, List<TraceSpan> others, int requests, long sent, Runnable command) {
        var shared = first.share("shared command", requests, others, sent);
        try {
            TraceScope.run(shared, command);
        } finally {
            long ended = System.nanoTime();
            shared.end(ended);
            others.forEach(span -> span.add("shared command", sent, ended, shared));
        }
    }
}
