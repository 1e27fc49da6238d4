package org.restheart.http;

import java.util.function.BooleanSupplier;

/// An outcome that may be long in coming, and that nobody needs any more once the client has gone. Thread-safe.
public interface Withdrawable {
    /// Who waits for it. To be told once, before the outcome is asked for.
    void awaitedBy(Waiter waiter);

    /// Asked when an outcome is long in coming. Thread-safe.
    @FunctionalInterface
    interface Waiter {
        /// Runs `withdrawal`, now or soon, if nobody waits any more. Does not wait.
        ///
        /// @param withdrawal says whether it was in time: then the outcome is a cancellation
        void withdrawIfGone(BooleanSupplier withdrawal);
    }
}
