package org.restheart.perftest.measure;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/// The machine of a run. Immutable.
///
/// @param memoryMiB installed
/// @param openFiles what one process may open at most
/// @param loadBefore the load averages over 1, 5 and 15 minutes when the facts were taken
public record Machine(
        String cpu, int cores, long memoryMiB, String kernel, String jvm, String openFiles, List<Double> loadBefore) {

    public Machine {
        loadBefore = List.copyOf(loadBefore);
    }

    public static Machine here() {
        return new Machine(
                valueOf("/proc/cpuinfo", "model name"),
                Runtime.getRuntime().availableProcessors(),
                Long.parseLong(valueOf("/proc/meminfo", "MemTotal").replaceAll("[^0-9]", "")) / 1024,
                ProcStat.read(Path.of("/proc/sys/kernel/osrelease")).strip(),
                System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
                openFilesLimit(),
                loadAverages());
    }

    private static String openFilesLimit() {
        return ProcStat.read(Path.of("/proc/self/limits"))
                .lines()
                .filter(line -> line.startsWith("Max open files"))
                .map(line -> line.split(" {2,}", -1)[1])
                .findFirst()
                .orElse("unknown");
    }

    private static List<Double> loadAverages() {
        var fields = ProcStat.read(Path.of("/proc/loadavg")).split(" ", -1);
        return Arrays.stream(fields).limit(3).map(Double::valueOf).toList();
    }

    private static String valueOf(String file, String key) {
        if (!Files.exists(Path.of(file))) {
            return "unknown";
        }
        return ProcStat.read(Path.of(file))
                .lines()
                .filter(line -> line.startsWith(key))
                .map(line -> line.substring(line.indexOf(':') + 1).strip())
                .findFirst()
                .orElse("unknown");
    }
}
