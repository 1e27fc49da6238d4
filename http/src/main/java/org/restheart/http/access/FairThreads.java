package org.restheart.http.access;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.restheart.http.access.FairShares.Patience;
import org.restheart.http.access.FairShares.Policy;
import org.restheart.http.access.FairShares.Want;

/// A few platform threads for work that is slow by design, so that the system gives other work its part of the
/// processors. Callers take turns ([FairShares]). Thread-safe.
public final class FairThreads implements AutoCloseable {
    private final FairShares turns;
    private final ExecutorService threads;

    public FairThreads(String name, int count) {
        this(name, count, 2 * count); // of which one caller alone has half
    }

    /// @param places that callers share, of which one alone has half
    public FairThreads(String name, int count, int places) {
        this.turns = new FairShares(places);
        this.threads = Executors.newFixedThreadPool(
                count, Thread.ofPlatform().daemon().name(name, 0).factory());
    }

    /// The result of work; empty if it was not the caller's turn in time, or too much of its work waits. Blocks, also
    /// while it is computed.
    ///
    /// @throws InterruptedException if the thread is interrupted; the work is then computed or not
    /// @throws ExecutionException if the work fails
    /// @throws java.util.concurrent.RejectedExecutionException after [#close()]
    public <T> Optional<T> compute(String caller, Patience patience, Callable<T> work)
            throws InterruptedException, ExecutionException {
        if (turns.take(new Want(List.of(caller), 1, Policy.SHARE), patience).isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(threads.submit(work).get());
        } finally {
            turns.release(caller);
        }
    }

    /// Ends the threads; work that has not begun is not computed.
    @Override
    public void close() {
        threads.shutdownNow();
    }
}
