package org.restheart.security.realm;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// One run of bcrypt. When its turn comes after all who asked have given up it is cancelled instead of run: under a
/// flood no caller would get an answer if the threads were busy with questions of the past. Thread-safe.
final class BcryptTurn<T> extends CompletableFuture<T> implements Runnable {
    private final long timeout;
    private final Supplier<T> work;
    private volatile long wantedUntil;

    /// @param timeout of those who ask
    BcryptTurn(Duration timeout, Supplier<T> work) {
        this.timeout = timeout.toNanos();
        this.work = work;
        this.wantedUntil = System.nanoTime() + this.timeout;
    }

    /// To be called by each thread that begins to wait.
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
