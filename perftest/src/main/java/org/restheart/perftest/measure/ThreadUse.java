package org.restheart.perftest.measure;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Optional;

/// Which share of the recorded time the current thread has run. Confined to that thread.
public final class ThreadUse {
    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Clock clock;
    private long since;
    private long cpuBefore;

    public ThreadUse(Clock clock) {
        this.clock = clock;
    }

    /// To be called now and then; begins to count when recording does.
    ///
    /// @param now as by [System#nanoTime()]
    public void look(long now) {
        if (since == 0 && clock.recording(now)) {
            since = now;
            cpuBefore = threads.getCurrentThreadCpuTime();
        }
    }

    /// From 0 to 1; empty when nothing was recorded.
    public Optional<Double> share(long now) {
        return since == 0 || now <= since
                ? Optional.empty()
                : Optional.of((double) (threads.getCurrentThreadCpuTime() - cpuBefore) / (now - since));
    }
}
