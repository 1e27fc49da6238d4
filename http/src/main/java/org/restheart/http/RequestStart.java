package org.restheart.http;

import java.time.Duration;

/// When the request began for which the current thread works, so that its attempts to reach the database share one time
/// limit. Not known in background tasks, nor while content arrives, which may take long.
public final class RequestStart {
    private static final ScopedValue<Long> NANOS = ScopedValue.newInstance();

    private RequestStart() {}

    /// Runs a task for a request.
    ///
    /// @param nanos in [System#nanoTime()]
    public static void during(long nanos, Runnable task) {
        ScopedValue.where(NANOS, nanos).run(task);
    }

    /// False if it is not known.
    public static boolean isLongerAgoThan(Duration duration) {
        return NANOS.isBound() && System.nanoTime() - NANOS.get() > duration.toNanos();
    }
}
