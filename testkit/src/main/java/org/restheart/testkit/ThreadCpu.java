package org.restheart.testkit;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Objects;

/// The CPU time of threads of this process. Unlike wall clock time it can be compared on a busy machine.
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
