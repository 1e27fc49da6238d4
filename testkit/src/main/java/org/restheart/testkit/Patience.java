package org.restheart.testkit;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Scanner;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/// Bounds of durations on a machine that others use too: as much longer as processes wait for its processors, and as a
/// thread of this process that does nothing else was late.
public final class Patience {
    private static final Path LOAD = Path.of("/proc/loadavg");

    private static final Duration PULSE = Duration.ofMillis(100);
    private static final int PULSES = 600;

    /// What is asked of the machine takes this many turns of a thread at most.
    private static final int TURNS = 10;

    /// By how many nanoseconds a thread was late, in each pulse of the last minute.
    private static final ConcurrentLinkedDeque<Long> LATE = new ConcurrentLinkedDeque<>();

    static {
        Thread.ofPlatform().daemon().name("patience").start(Patience::feelPulse);
    }

    private Patience() {}

    private static void feelPulse() {
        for (long due = System.nanoTime(); ; ) {
            due += PULSE.toNanos();
            LockSupport.parkNanos(due - System.nanoTime());
            long late = System.nanoTime() - due;
            LATE.add(Math.max(0, late));
            if (LATE.size() > PULSES) {
                LATE.remove();
            }
            due += Math.max(0, late);
        }
    }

    /// The bound of something that is over by now: of the same length on an idle machine.
    public static Duration relative(Duration bound) {
        var processors = Runtime.getRuntime().availableProcessors();
        long late = LATE.stream().mapToLong(Long::longValue).max().orElse(0);
        return Duration.ofNanos((long) (bound.toNanos() * Math.max(1, 2 * runnable() / processors)) + TURNS * late);
    }

    /// Waits for a condition as long as [#relative] says, by what the machine has to do meanwhile.
    public static ConditionFactory within(Duration bound) {
        long began = System.nanoTime();
        return Awaitility.await()
                .atMost(Duration.ofMinutes(10))
                .failFast(
                        "longer than " + bound,
                        () -> System.nanoTime() - began > relative(bound).toNanos());
    }

    /// Threads that run or wait for a processor: of the last minute or now, whichever are more.
    private static double runnable() {
        var average = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        if (!Files.isReadable(LOAD)) {
            return average;
        }
        try (var numbers = new Scanner(LOAD, StandardCharsets.US_ASCII).useDelimiter("[ /]")) {
            return Math.max(
                    average,
                    numbers.tokens()
                            .skip(3)
                            .mapToInt(Integer::parseInt)
                            .findFirst()
                            .orElse(0));
        } catch (IOException _) {
            return average;
        }
    }
}
