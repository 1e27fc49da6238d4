package org.restheart.http;

import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;

/// Limits computations that take much longer than other requests, such as the evaluation of access rules for all
/// collections, to one for each processor. Virtual threads are not preempted: without the limit, requests of one caller
/// would keep all processors from the requests of others. Callers have fair shares ([FairShares]). Thread-safe.
public final class ComputeLimit {
    public static final ComputeLimit SHARED =
            new ComputeLimit(Math.max(2, Runtime.getRuntime().availableProcessors()));

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final FairShares places;
    private final LongAdder refused = new LongAdder();

    /// @param size the number of computations at a time; with 2 or more, one caller leaves a place to others
    ComputeLimit(int size) {
        this.places = new FairShares(size);
    }

    /// Computes for the current caller, who waits for a place if others have them. It must not wait for MongoDB, nor
    /// compute within a limit again. Other threads than virtual ones do not wait.
    ///
    /// @throws ProblemException 503 if there was no place in a second
    public <T> T compute(Supplier<T> task) {
        try (var _ = enter(LONGEST_WAIT)) {
            return task.get();
        }
    }

    /// Takes a place for a computation that has turned out to be long, as [#compute].
    ///
    /// @return gives the place back when it is closed, once
    /// @throws ProblemException 503 if there was no place in this time, or the thread was interrupted
    public Place enter(Duration longestWait) {
        var caller = CallerScope.current();
        if (!take(caller, longestWait)) {
            refused.increment();
            throw Problem.overloaded("other requests are being computed at the moment")
                    .raise();
        }
        return () -> places.release(caller);
    }

    @FunctionalInterface
    public interface Place extends AutoCloseable {
        @Override
        void close();
    }

    private boolean take(String caller, Duration longestWait) {
        if (!Thread.currentThread().isVirtual()) {
            return places.tryTake(caller);
        }
        try {
            return places.take(caller, longestWait.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ProblemException(ProblemCode.OVERLOADED, "the request has ended");
        }
    }

    public long refused() {
        return refused.sum();
    }
}
