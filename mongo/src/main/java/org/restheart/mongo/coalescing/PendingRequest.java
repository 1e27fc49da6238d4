package org.restheart.mongo.coalescing;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Withdrawable;

/// One request's place in a queue, and its outcome when it is there. A request that has not left yet can be withdrawn;
/// one
/// that is under way cannot be called back.
///
/// @param <R> what is asked
/// @param <O> the outcome
final class PendingRequest<R, O> extends CompletableFuture<O> implements Withdrawable {
    private final BatchQueue<R, O> queue;
    private final R request;
    private final int bytes;
    private final long queuedAt;
    private volatile @Nullable Waiter waiter;
    private volatile boolean left;

    PendingRequest(BatchQueue<R, O> queue, R request, int bytes, long queuedAt) {
        this.queue = queue;
        this.request = request;
        this.bytes = bytes;
        this.queuedAt = queuedAt;
    }

    R request() {
        return request;
    }

    /// What the request adds to its batch.
    int bytes() {
        return bytes;
    }

    /// In [System#nanoTime()].
    long queuedAt() {
        return queuedAt;
    }

    /// Takes the request out of its command, which needs not wait for it any longer: another thread brings the outcome.
    void completeOn(Executor threads, Supplier<O> outcome) {
        leave();
        threads.execute(() -> {
            if (isDone()) { // given up before it could leave
                return;
            }
            try {
                complete(outcome.get());
            } catch (RuntimeException | Error e) {
                completeExceptionally(e);
            }
        });
    }

    /// The same where the other thread completes the request by itself.
    void leave() {
        left = true;
    }

    /// Whether the command owes it nothing: it has its outcome, or will get it elsewhere.
    boolean isSettled() {
        return left || isDone();
    }

    @Override
    public void awaitedBy(Waiter waiter) {
        this.waiter = waiter;
    }

    /// Takes the request out of its queue if its client has gone.
    void withdrawIfGone() {
        var waiter = this.waiter;
        if (waiter != null) {
            waiter.withdrawIfGone(this::withdraw);
        }
    }

    private boolean withdraw() {
        return queue.takeOut(this) && cancel(false);
    }
}
