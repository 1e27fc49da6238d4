package org.restheart.perftest.load;

/// The moments at which one thread's requests are due under an open load. Not thread-safe.
final class Schedule {
    private final long start;
    private final double interval;
    private long taken;

    /// @param start of the load, by [System#nanoTime()]
    /// @param perSecond this thread's share of the rate
    /// @param offset part of an interval by which this thread follows, so that threads do not send in step
    Schedule(long start, double perSecond, double offset) {
        this.interval = 1e9 / perSecond;
        this.start = start + (long) (offset * interval);
    }

    /// When the next request is due, by [System#nanoTime()].
    long due() {
        return start + (long) (taken * interval);
    }

    void take() {
        taken++;
    }

    /// Requests due before `now` that no connection has taken.
    long behind(long now) {
        return Math.max(0, (long) Math.ceil((now - start) / interval) - taken);
    }
}
