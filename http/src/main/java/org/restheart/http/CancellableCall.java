package org.restheart.http;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.restheart.http.access.CallerScope;

/// A call that reads, on a separate thread. When the client disconnects, the thread is interrupted, which ends
/// its waits: this closes the connection to MongoDB on which it waits, which ends the operation there.
/// Thread-safe.
public final class CancellableCall extends CompletableFuture<Response.Ready> implements Withdrawable {
    private static final long INTERVAL_MILLIS = 500;

    private final Thread thread;

    /// Guarded by this.
    private boolean isWithdrawn;

    /// Completed when the connection is to be checked next: with false if it need not be.
    private volatile CompletableFuture<Boolean> due = new CompletableFuture<>();

    private CancellableCall(String name, Supplier<Response.Ready> call) {
        this.thread =
                Thread.ofVirtual().name(name).unstarted(CallerScope.carried(RequestStart.carried(() -> run(call))));
    }

    /// The response of a call, which is begun.
    public static Response of(String thread, Supplier<Response.Ready> call) {
        var running = new CancellableCall(thread, call);
        running.thread.start();
        return Response.later(running, ready -> ready);
    }

    private void run(Supplier<Response.Ready> call) {
        try {
            var ready = call.get();
            synchronized (this) {
                if (!isWithdrawn) {
                    complete(ready);
                    return;
                }
            }
            ready.content().abandon(); // nobody waits for it
            completeExceptionally(new CancellationException());
        } catch (RuntimeException | Error failure) {
            completeExceptionally(failure);
        }
    }

    @Override
    public void awaitedBy(Waiter waiter) {
        checkSoon(waiter);
        var _ = whenComplete((_, _) -> due.complete(false)); // which cancels the timer
    }

    private void checkSoon(Waiter waiter) {
        var next = new CompletableFuture<Boolean>().completeOnTimeout(true, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
        var _ = next.thenAccept(isDue -> {
            if (isDue && !isDone()) {
                waiter.withdrawIfGone(this::withdraw);
                checkSoon(waiter);
            }
        });
        due = next;
        if (isDone()) { // since before the field was set
            next.complete(false);
        }
    }

    /// Interrupts the thread once, so that its clean-up is not interrupted.
    private synchronized boolean withdraw() {
        if (isDone()) {
            return false;
        }
        isWithdrawn = true;
        thread.interrupt();
        return true;
    }
}
