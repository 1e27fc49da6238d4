package org.restheart.mongo.coalescing;

import java.util.List;

/// Runs one command for several requests. Thread-safe: a queue's commands run side by side.
///
/// @param <R> what is asked
/// @param <O> the outcome
@FunctionalInterface
interface BatchCommand<R, O> {
    /// Completes every pending, each with its own outcome, or leaves it to another thread
    /// ([PendingRequest#completeOn]). An exception is handed to every pending that has none yet.
    void run(List<PendingRequest<R, O>> requests);
}
