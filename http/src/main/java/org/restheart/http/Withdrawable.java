package org.restheart.http;

import java.util.function.BooleanSupplier;

/// An outcome that may take long, and that is not needed any more once the client has gone. Thread-safe.
public interface Withdrawable {
    /// Who waits for it. To be told once, before the outcome is asked for.
    void awaitedBy(Waiter waiter);

    /// Asked when an outcome is long in coming. Thread-safe.
    @FunctionalInterface
    interface Waiter {
        /// Runs `withdrawal`, now or soon, if the outcome is not waited for any more. Does not wait.
        ///
        /// @param withdrawal says whether it was in time: then the outcome is a cancellation
        void withdrawIfGone(BooleanSupplier withdrawal);
    }
}
