package org.restheart.mongo.coalescing;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.restheart.http.RequestStart;
import org.restheart.http.access.CallerScope;

/// A command that is given up when nobody waits for it any more. It runs on a virtual thread: interrupting that closes
/// the connection to MongoDB on which it waits, which ends the operation there.
final class InterruptibleCommand {
    /// The interval in which it is checked who still waits.
    private static final long INTERVAL_MILLIS = 250;

    private InterruptibleCommand() {}

    /// Returns when the command has ended.
    static void run(List<? extends PendingRequest<?, ?>> requests, Runnable command) {
        var ended = new CountDownLatch(1);
        var failure = new AtomicReference<@Nullable RuntimeException>();
        Runnable task = () -> RequestStart.during(requests.getFirst().queuedAt(), () -> {
            try {
                command.run();
            } catch (RuntimeException e) {
                failure.set(e);
            } finally {
                ended.countDown();
            }
        });
        var thread = Thread.ofVirtual().name("interruptible-command").start(CallerScope.lent(task));
        boolean interrupted = false;
        while (!isOver(ended, thread)) {
            requests.forEach(PendingRequest::endIfGone);
            if (!interrupted && requests.stream().allMatch(CompletableFuture::isCompletedExceptionally)) {
                interrupted = true; // once, so that its clean-up is not interrupted
                thread.interrupt();
            }
        }
        var thrown = failure.get();
        if (thrown != null) {
            throw thrown;
        }
    }

    private static boolean isOver(CountDownLatch ended, Thread thread) {
        try {
            return ended.await(INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            thread.interrupt();
            throw new IllegalStateException("threads of commands are not interrupted", e);
        }
    }
}
