package org.restheart.security.realm;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/// One run of bcrypt. When its turn comes after all who asked have given up it is cancelled instead of run: under a
/// flood nobody would ever get an answer if the threads were busy with questions of the past. Thread-safe.
final class BcryptTurn<T> extends CompletableFuture<T> implements Runnable {
    private final long patience;
    private final Supplier<T> work;
    private volatile long wantedUntil;

    /// @param patience of those who ask
    BcryptTurn(Duration patience, Supplier<T> work) {
        this.patience = patience.toNanos();
        this.work = work;
        this.wantedUntil = System.nanoTime() + this.patience;
    }

    /// To be called by everybody who begins to wait.
    void want() {
        wantedUntil = System.nanoTime() + patience;
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
