package org.restheart.mongo.coalescing;

import java.util.concurrent.CompletableFuture;

/// One request's place in a lane, and its outcome when it is there. Cancelling a ticket that has not left yet takes it
/// out of the queue; one that is under way cannot be called back.
///
/// @param <R> what is asked
/// @param <O> the outcome
final class Ticket<R, O> extends CompletableFuture<O> {
    private final R request;
    private final int bytes;
    private final long queuedAt;

    Ticket(R request, int bytes, long queuedAt) {
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
}
