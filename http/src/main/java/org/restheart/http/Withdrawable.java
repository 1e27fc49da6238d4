package org.restheart.http;

import java.util.function.BooleanSupplier;

/// An outcome that may take long, and that need not be produced once its client has disconnected. Thread-safe.
public interface Withdrawable {
    /// Sets the waiter. Called once, before the outcome is requested.
    void awaitedBy(Waiter waiter);

    /// Knows whether the client is still connected. Thread-safe.
    @FunctionalInterface
    interface Waiter {
        /// Runs `withdrawal`, immediately or soon on another thread, if the client has disconnected.
        /// Does not block.
        ///
        /// @param withdrawal returns true if the outcome had not been started; it is then cancelled
        void withdrawIfGone(BooleanSupplier withdrawal);
    }
}
