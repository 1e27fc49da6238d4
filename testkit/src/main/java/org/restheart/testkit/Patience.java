package org.restheart.testkit;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Scanner;

/// Bounds of durations on a machine that others use too: as much longer as processes wait for its processors.
public final class Patience {
    private static final Path LOAD = Path.of("/proc/loadavg");

    private Patience() {}

    /// The bound of something that is over by now: of the same length on an idle machine.
    public static Duration relative(Duration bound) {
        var processors = Runtime.getRuntime().availableProcessors();
        return Duration.ofNanos((long) (bound.toNanos() * Math.max(1, 2 * runnable() / processors)));
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
