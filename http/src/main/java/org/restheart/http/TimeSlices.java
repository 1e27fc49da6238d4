package org.restheart.http;

import java.util.concurrent.locks.LockSupport;

/// Divides a computation into time slices, after each of which other threads run: virtual threads are not preempted,
/// so that long computations would keep processors from short ones. Confined to one thread.
public final class TimeSlices {
    private static final long SLICE_NANOS = 1_000_000;

    /// Steps after which the time is looked at.
    private static final int STEPS = 8;

    private long begun = System.nanoTime();
    private int steps;

    /// Begins a slice: the thread has waited.
    public void begin() {
        begun = System.nanoTime();
    }

    /// Called for each step of the computation; none should take long.
    ///
    /// @return whether a slice has ended
    public boolean step() {
        if (++steps % STEPS != 0 || System.nanoTime() - begun < SLICE_NANOS) {
            return false;
        }
        letOthersRun();
        begin();
        return true;
    }

    /// Ends a slice. A thread that only yields may be taken by its carrier again and again, while others wait for one
    /// until it ends: it has to be parked.
    public static void letOthersRun() {
        if (Thread.currentThread().isVirtual()) {
            LockSupport.parkNanos(1);
        }
    }
}
