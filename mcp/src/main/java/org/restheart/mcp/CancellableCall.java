package org.restheart.mcp;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.restheart.http.Response;
import org.restheart.http.Withdrawable;
import org.restheart.http.access.CallerScope;

/// A call that reads, on a separate thread. When the client disconnects, the thread is interrupted: this closes
/// the connection to MongoDB on which it waits, which ends the operation there. Thread-safe.
final class CancellableCall extends CompletableFuture<Response.Ready> implements Withdrawable {
    /// The interval in which the connection of the client is checked.
    private static final Executor LATER = delayedExecutor(500, TimeUnit.MILLISECONDS, Runnable::run);

    private final Thread thread;

    private CancellableCall(Supplier<Response.Ready> call) {
        this.thread = Thread.ofVirtual().name("mcp-call").unstarted(CallerScope.carried(() -> run(call)));
    }

    static Response of(Supplier<Response.Ready> call) {
        var running = new CancellableCall(call);
        running.thread.start();
        return Response.later(running, ready -> ready);
    }

    private void run(Supplier<Response.Ready> call) {
        try {
            complete(call.get());
        } catch (RuntimeException | Error failure) {
            completeExceptionally(failure);
        }
    }

    @Override
    public void awaitedBy(Waiter waiter) {
        LATER.execute(() -> {
            if (!isDone()) {
                waiter.withdrawIfGone(this::withdraw);
                awaitedBy(waiter);
            }
        });
    }

    /// Interrupts the thread once, so that its clean-up is not interrupted.
    private boolean withdraw() {
        if (isDone()) {
            return false;
        }
        thread.interrupt();
        return true;
    }
}
