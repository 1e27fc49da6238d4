package org.restheart.mongo.coalescing;

import java.util.concurrent.CompletableFuture;
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
