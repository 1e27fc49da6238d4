package org.restheart.graphql;

import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Runs all tasks of one request sequentially on its own thread, whichever thread completes what they wait for.
final class RequestLoop implements Executor {
    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    /// Runs tasks until `outcome` is complete.
    ///
    /// @param deadline in [System#nanoTime()]; 0 for none
    /// @param waits called before each wait for a task
    /// @throws TimeoutException when it is not complete by then
    <T> T await(CompletableFuture<T> outcome, long deadline, Runnable waits)
            throws TimeoutException, InterruptedException {
        var _ = outcome.whenComplete((_, _) -> execute(() -> {}));
        while (!outcome.isDone()) {
            if (tasks.isEmpty()) {
                waits.run();
            }
            if (deadline == 0) {
                tasks.take().run();
                continue;
            }
            var task = tasks.poll(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
            if (task == null || System.nanoTime() - deadline > 0) {
                throw new TimeoutException();
            }
            task.run();
        }
        return outcome.join();
    }
}
