package org.restheart.http;

import java.util.function.BooleanSupplier;

/// A possibly slow outcome that is no longer needed once the client has disconnected. Thread-safe.
public interface Withdrawable {
    /// Sets the waiter. Called once, before the outcome is requested.
    void awaitedBy(Waiter waiter);

    /// Consulted when an outcome takes long. Thread-safe.
    @FunctionalInterface
    interface Waiter {
        /// Runs `withdrawal`, now or soon, if the outcome is no longer waited for. Does not block.
        ///
        /// @param withdrawal returns whether it was in time; the outcome is then a cancellation
        void withdrawIfGone(BooleanSupplier withdrawal);
    }
}
