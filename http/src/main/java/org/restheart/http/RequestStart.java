package org.restheart.http;

import java.time.Duration;

/// When the request began for which the current thread works, so that all that it waits for in the database shares one
/// time limit. The time begins anew when content has been waited for and with each large piece of it, since that may
/// take long. Not known in background tasks.
public final class RequestStart {
    private static final ScopedValue<RequestStart> CURRENT = ScopedValue.newInstance();

    /// In [System#nanoTime()].
    private volatile long nanos;

    private RequestStart(long nanos) {
        this.nanos = nanos;
    }

    /// Runs a task for a request.
    ///
    /// @param nanos in [System#nanoTime()]
    public static void during(long nanos, Runnable task) {
        ScopedValue.where(CURRENT, new RequestStart(nanos)).run(task);
    }

    /// Lets the time begin anew.
    public static void renew() {
        if (CURRENT.isBound()) {
            CURRENT.get().nanos = System.nanoTime();
        }
    }

    /// What is left of a time limit, negative if it is over; all of it if the start is not known.
    public static Duration left(Duration limit) {
        return CURRENT.isBound() ? limit.minusNanos(System.nanoTime() - CURRENT.get().nanos) : limit;
    }
}
