package org.restheart.security.realm;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// One execution of bcrypt, requested by one or more callers. It is cancelled if all of them have timed out before
/// it starts: under a flood the threads would otherwise work only for requests that have timed out. Thread-safe.
final class BcryptTurn<T> extends CompletableFuture<T> implements Runnable {
    private final long timeout;
    private final Supplier<T> work;
    private volatile long wantedUntil;

    /// @param timeout of callers
    BcryptTurn(Duration timeout, Supplier<T> work) {
        this.timeout = timeout.toNanos();
        this.work = work;
        this.wantedUntil = System.nanoTime() + this.timeout;
    }

    /// Called by each thread that begins to wait.
    void want() {
        wantedUntil = System.nanoTime() + timeout;
    }

    @Override
    public void run() {
        if (System.nanoTime() - wantedUntil > 0) {
            cancel(false);
            return;
        }
        try {
            complete(work.get());
        } catch (RuntimeException | Error e) {
            completeExceptionally(e);
        }
    }
}
