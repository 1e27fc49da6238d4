package org.restheart.perftest.measure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// What a JVM on this machine holds, after a full garbage collection. Immutable.
///
/// @param liveHeap bytes of reachable objects
/// @param resident bytes of memory that the process occupies, heap that is free included
public record JvmMemory(long liveHeap, long resident) {

    /// After a garbage collection.
    public static JvmMemory of(long pid) throws IOException, InterruptedException {
        var jcmd = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
        var process = new ProcessBuilder(jcmd, Long.toString(pid), "GC.class_histogram")
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var histogram = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException("jcmd failed for process " + pid);
        }
        return new JvmMemory(total(histogram), resident(pid));
    }

    /// The histogram's last line: `Total`, objects, bytes.
    static long total(String histogram) throws IOException {
        return histogram
                .lines()
                .filter(line -> line.startsWith("Total "))
                .map(line -> line.strip().split(" +", -1)[2])
                .mapToLong(Long::parseLong)
                .findFirst()
                .orElseThrow(() -> new IOException("no total in the class histogram"));
    }

    /// What a process occupies now, in bytes; 0 if it has ended.
    public static long resident(long pid) {
        return ProcStat.read(Path.of("/proc", Long.toString(pid), "status"))
                .lines()
                .filter(line -> line.startsWith("VmRSS:"))
                .map(line -> line.replaceAll("[^0-9]", ""))
                .mapToLong(kibibytes -> Long.parseLong(kibibytes) * 1024)
                .findFirst()
                .orElse(0);
    }
}
