package org.restheart.mcp;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.restheart.http.Response;
import org.restheart.http.Withdrawable;

/// A call that reads, on a thread of its own, which is interrupted when the client has disconnected: the connection to
/// MongoDB on which it waits is closed then, which ends the operation there. Thread-safe.
final class CancellableCall extends CompletableFuture<Response.Ready> implements Withdrawable {
    /// How often the client is looked for.
    private static final Executor LATER = delayedExecutor(500, TimeUnit.MILLISECONDS, Runnable::run);

    private final Thread thread;

    private CancellableCall(Supplier<Response.Ready> call) {
        this.thread = Thread.ofVirtual().name("mcp-call").unstarted(() -> run(call));
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

    /// Interrupted once: what the thread does to end must not be interrupted.
    private boolean withdraw() {
        if (isDone()) {
            return false;
        }
        thread.interrupt();
        return true;
    }
}
