package org.restheart.perftest.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/// The few numbers of Linux's `/proc` that measurements need; see proc(5).
final class ProcStat {
    /// `USER_HZ`, which Linux has fixed at 100 for everything that user space sees.
    private static final double TICKS_PER_SECOND = 100;

    private ProcStat() {}

    static double seconds(long ticks) {
        return ticks / TICKS_PER_SECOND;
    }

    static HostTicks host() {
        return HostTicks.parse(read(Path.of("/proc/stat")).lines().findFirst().orElseThrow());
    }

    /// User and system time of a process with all its threads. A process that has ended has 0.
    static long processTicks(long pid) {
        var file = Path.of("/proc", Long.toString(pid), "stat");
        try {
            return parseProcess(Files.readString(file));
        } catch (NoSuchFileException _) {
            return 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static long parseProcess(String line) {
        return sum(line, 11);
    }

    /// Of those children of this process that have ended.
    static long childrenTicks() {
        return sum(read(Path.of("/proc/self/stat")), 13);
    }

    /// The program's name stands in brackets and may hold anything, so fields count from the last bracket.
    private static long sum(String line, int first) {
        var fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
        return Long.parseLong(fields[first]) + Long.parseLong(fields[first + 1]);
    }

    static long pagesSwapped() {
        return read(Path.of("/proc/vmstat"))
                .lines()
                .filter(line -> line.startsWith("pswpin ") || line.startsWith("pswpout "))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf(' ') + 1)))
                .sum();
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Clock ticks of all cores since the machine started, from the first line of `/proc/stat` (proc(5)). Immutable.
    ///
    /// @param busy user, nice and system time
    /// @param idle includes waiting for disks
    /// @param kernel interrupts and soft interrupts
    record HostTicks(long busy, long idle, long kernel, long stolen) {

        static HostTicks parse(String line) {
            var fields = line.trim().split(" +", -1);
            if (!fields[0].equals("cpu") || fields.length < 9) {
                throw new IllegalArgumentException("not the cpu line of /proc/stat: " + line);
            }
            var ticks = new long[9];
            for (var i = 1; i < ticks.length; i++) {
                ticks[i] = Long.parseLong(fields[i]);
            }
            return new HostTicks(ticks[1] + ticks[2] + ticks[3], ticks[4] + ticks[5], ticks[6] + ticks[7], ticks[8]);
        }

        long total() {
            return busy + idle + kernel + stolen;
        }

        HostTicks minus(HostTicks earlier) {
            return new HostTicks(
                    busy - earlier.busy, idle - earlier.idle, kernel - earlier.kernel, stolen - earlier.stolen);
        }
    }
}
