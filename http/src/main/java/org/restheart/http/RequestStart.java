package org.restheart.http;

import java.time.Duration;

/// The start of the request that the current thread processes. All its waits for the database share one time limit,
/// counted from this start. It is reset when the server has waited for content of the request, which may take long.
/// Unknown in background tasks.
public final class RequestStart {
    private static final ScopedValue<RequestStart> CURRENT = ScopedValue.newInstance();

    /// In [System#nanoTime()].
    private volatile long nanos;

    private RequestStart(long nanos) {
        this.nanos = nanos;
    }

    /// Runs a task that processes a request.
    public static void during(long nanos, Runnable task) {
        ScopedValue.where(CURRENT, new RequestStart(nanos)).run(task);
    }

    /// The task with the start of the current thread's request, or now if that is unknown, to be run on any thread.
    public static Runnable carried(Runnable task) {
        var start = CURRENT.isBound() ? CURRENT.get() : new RequestStart(System.nanoTime());
        return () -> ScopedValue.where(CURRENT, start).run(task);
    }

    /// Resets the start to now, if it is known.
    public static void renew() {
        if (CURRENT.isBound()) {
            CURRENT.get().nanos = System.nanoTime();
        }
    }

    /// In [System#nanoTime()].
    ///
    /// @param now returned if the start is unknown
    public static long or(long now) {
        return CURRENT.isBound() ? CURRENT.get().nanos : now;
    }

    /// The rest of a time limit that began with the request; negative if it is over. The whole limit if the
    /// start is unknown.
    public static Duration left(Duration limit) {
        return CURRENT.isBound() ? limit.minusNanos(System.nanoTime() - CURRENT.get().nanos) : limit;
    }
}
