package org.restheart.mongo.changestream;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;

/// Bounds the number of open cursors: each occupies a connection to MongoDB. Thread-safe.
final class Cursors {
    private final int max;
    private final Semaphore free;
    private final StreamMeters meters;

    /// One cursor's permit, released once.
    interface Place extends AutoCloseable {
        @Override
        void close();
    }

    Cursors(int max, StreamMeters meters) {
        this.max = max;
        this.free = new Semaphore(max);
        this.meters = meters;
    }

    /// Refuses further cursors and waits until the open ones are closed.
    ///
    /// @return whether they are
    boolean awaitClosed(Duration atMost) throws InterruptedException {
        return free.tryAcquire(max, atMost.toNanos(), TimeUnit.NANOSECONDS);
    }

    /// @throws org.restheart.http.ProblemException 503
    Place acquire() {
        if (!free.tryAcquire()) {
            throw Problem.of(ProblemCode.OVERLOADED, "there are " + max + " change streams already")
                    .with("Retry-After", "5")
                    .raise();
        }
        meters.opened();
        return () -> {
            meters.closed();
            free.release();
        };
    }
}
