package org.restheart.mongo.coalescing;

import java.util.List;

/// Runs one command for several requests. Thread-safe: a queue's commands run concurrently.
///
/// @param <R> the request
/// @param <O> the outcome
@FunctionalInterface
interface BatchCommand<R, O> {
    /// Completes every pending request with its own outcome, or leaves that to another thread
    /// ([PendingRequest#completeOn]). An exception fails every request that has no outcome yet.
    void run(List<PendingRequest<R, O>> requests);
}
