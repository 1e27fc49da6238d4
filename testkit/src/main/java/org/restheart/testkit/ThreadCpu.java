package org.restheart.testkit;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Objects;

/// What threads of this process have cost so far. Says on a busy machine, too, which of two things is more work; clocks
/// on the wall do not.
public final class ThreadCpu {
    private ThreadCpu() {}

    /// The CPU time, in nanoseconds, of all platform threads that are alive and have a name with this prefix.
    public static long nanos(String prefix) {
        var threads = ManagementFactory.getThreadMXBean();
        return Arrays.stream(threads.getThreadInfo(threads.getAllThreadIds()))
                .filter(Objects::nonNull) // has ended meanwhile
                .filter(thread -> thread.getThreadName().startsWith(prefix))
                .mapToLong(thread -> Math.max(0, threads.getThreadCpuTime(thread.getThreadId())))
                .sum();
    }
}
