package org.restheart.mongo.coalescing;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.restheart.http.RequestStart;
import org.restheart.http.Withdrawable;
import org.restheart.http.access.CallerScope;
import org.restheart.http.trace.TraceScope;
import org.restheart.http.trace.TraceScope.TraceSpan;

/// One queued request and its outcome. A request that was not sent yet can be withdrawn.
///
/// @param <R> the request
/// @param <O> the outcome
final class PendingRequest<R, O> extends CompletableFuture<BatchResult<O>> implements Withdrawable {
    private final BatchQueue<R, O> queue;
    private final R request;
    private final int bytes;
    private final long queuedAt;
    private final long begunAt;
    private final String caller = CallerScope.current();
    private final @Nullable TraceSpan span = TraceScope.current();
    private volatile @Nullable Waiter waiter;
    private volatile boolean handedOver;

    PendingRequest(BatchQueue<R, O> queue, R request, int bytes, long queuedAt) {
        this.queue = queue;
        this.request = request;
        this.bytes = bytes;
        this.queuedAt = queuedAt;
        this.begunAt = RequestStart.or(queuedAt);
    }

    R request() {
        return request;
    }

    /// The size of the request in its batch.
    int bytes() {
        return bytes;
    }

    /// In [System#nanoTime()].
    long queuedAt() {
        return queuedAt;
    }

    /// When the request began that waits for the outcome: it may have waited for something else before.
    long begunAt() {
        return begunAt;
    }

    /// When the first of several requests began, whose time limit is that of their command.
    static long begunAt(List<? extends PendingRequest<?, ?>> batch) {
        long now = System.nanoTime();
        return now
                - batch.stream()
                        .mapToLong(pending -> now - pending.begunAt())
                        .max()
                        .orElse(0);
    }

    /// For whom it is, see [CallerScope].
    String caller() {
        return caller;
    }

    @Nullable
    TraceSpan span() {
        return span;
    }

    /// @param sharing how many requests the command served
    /// @return false if it was complete before
    boolean complete(O outcome, int sharing) {
        return complete(new BatchResult<>(outcome, sharing));
    }

    /// Removes the request from its command, which no longer waits for it: another thread completes it.
    void completeElsewhere(Supplier<BatchResult<O>> outcome) {
        handOver();
        Batching.OUTCOMES.execute(() -> {
            if (isDone()) { // timed out before it was sent
                return;
            }
            RequestStart.during(begunAt, () -> {
                try {
                    complete(TraceScope.call(span, () -> CallerScope.call(caller, outcome::get)));
                } catch (RuntimeException | Error e) {
                    completeExceptionally(e);
                }
            });
        });
    }

    /// Removes the request from its command where another thread completes it by itself.
    void handOver() {
        handedOver = true;
    }

    /// Whether the command need not complete it: it has its outcome, or another thread completes it.
    boolean isSettled() {
        return handedOver || isDone();
    }

    @Override
    public void awaitedBy(Waiter waiter) {
        this.waiter = waiter;
    }

    /// Removes the request from its queue if its client has disconnected.
    void withdrawIfGone() {
        var waiter = this.waiter;
        if (waiter != null) {
            waiter.withdrawIfGone(this::withdraw);
        }
    }

    /// The same for a request that was sent: no client waits for its outcome any more.
    void endIfGone() {
        var waiter = this.waiter;
        if (waiter != null) {
            waiter.withdrawIfGone(() -> cancel(false));
        }
    }

    private boolean withdraw() {
        return queue.takeOut(this) && cancel(false);
    }

    /// The callers for whom a command works: it takes its connection and memory from the share of one of them,
    /// never from the server's, or callers who send the same would have no limit together.
    static <R, O> List<String> callersOf(List<PendingRequest<R, O>> batch) {
        var first = batch.getFirst().caller();
        return batch.stream().allMatch(pending -> pending.caller().equals(first))
                ? List.of(first)
                : batch.stream().map(PendingRequest::caller).distinct().toList();
    }

    /// Fails the requests without an outcome.
    static <R, O> void failRest(List<PendingRequest<R, O>> batch, Throwable failure) {
        for (var pending : batch) {
            if (!pending.isSettled()) {
                pending.completeExceptionally(failure);
            }
        }
    }
}
