package org.restheart.mongo.coalescing;

import java.util.List;

/// Runs one command for several requests. Thread-safe: a lane's flights run side by side.
///
/// @param <R> what is asked
/// @param <O> the outcome
@FunctionalInterface
interface Flight<R, O> {
    /// Completes every ticket, each with its own outcome. An exception is handed to every ticket that has none yet.
    void fly(List<Ticket<R, O>> tickets);
}
