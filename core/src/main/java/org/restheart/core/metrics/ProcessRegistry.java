package org.restheart.core.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/// The process under the names that Prometheus clients of all languages use, and the build. Read when asked for.
/// Thread-safe.
///
/// @param buildTime ISO 8601
record ProcessRegistry(String version, String buildTime) implements MetricsRegistry {
    private static final Path STATUS = Path.of("/proc/self/status");

    @Override
    public String path() {
        return "/process";
    }

    @Override
    public String scrape(ExpositionFormat format) {
        var text = new Text(format, new StringBuilder());
        text.family("restheart_build_info", "The build that runs: 1", "gauge")
                .sample(
                        "restheart_build_info",
                        "version=\"%s\",build_time=\"%s\",java_version=\"%s\""
                                .formatted(
                                        ExpositionFormat.escaped(version),
                                        ExpositionFormat.escaped(buildTime),
                                        ExpositionFormat.escaped(
                                                Runtime.version().toString())),
                        1);
        process(text);
        memory(text);
        var threads = ManagementFactory.getThreadMXBean();
        text.family("jvm_threads_current", "Platform threads", "gauge")
                .sample("jvm_threads_current", threads.getThreadCount());
        return text.to.toString();
    }

    private static void process(Text text) {
        var runtime = ManagementFactory.getRuntimeMXBean();
        text.family("process_start_time_seconds", "When the process started, in seconds since 1970", "gauge")
                .sample("process_start_time_seconds", runtime.getStartTime() / 1e3);
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            text.family("process_cpu_seconds_total", "CPU time used, in seconds", "counter")
                    .sample("process_cpu_seconds_total", system.getProcessCpuTime() / 1e9);
            text.family("process_open_fds", "Open file descriptors", "gauge")
                    .sample("process_open_fds", system.getOpenFileDescriptorCount());
            text.family("process_max_fds", "The bound of open file descriptors", "gauge")
                    .sample("process_max_fds", system.getMaxFileDescriptorCount());
        }
        text.family("process_cpus", "CPUs that the process may use", "gauge")
                .sample("process_cpus", Runtime.getRuntime().availableProcessors());
        status(text);
    }

    /// Only Linux tells it so.
    private static void status(Text text) {
        try (var lines = Files.lines(STATUS)) {
            lines.forEach(line -> {
                if (line.startsWith("VmRSS:")) {
                    text.family("process_resident_memory_bytes", "Resident memory", "gauge")
                            .sample("process_resident_memory_bytes", kibibytes(line));
                } else if (line.startsWith("VmSize:")) {
                    text.family("process_virtual_memory_bytes", "Virtual memory", "gauge")
                            .sample("process_virtual_memory_bytes", kibibytes(line));
                }
            });
        } catch (IOException | RuntimeException _) {
            // the samples are left out
        }
    }

    /// @param line such as `VmRSS:  123 kB`
    private static double kibibytes(String line) {
        return Long.parseLong(line.replaceAll("\\D", "")) * 1024.0;
    }

    private static void memory(Text text) {
        var memory = ManagementFactory.getMemoryMXBean();
        var heap = memory.getHeapMemoryUsage();
        var other = memory.getNonHeapMemoryUsage();
        area(text, "jvm_memory_used_bytes", "Used memory of the JVM", heap.getUsed(), other.getUsed());
        area(text, "jvm_memory_committed_bytes", "Committed", heap.getCommitted(), other.getCommitted());
        area(text, "jvm_memory_max_bytes", "The bound, -1 without one", heap.getMax(), other.getMax());
        text.family("jvm_buffer_pool_used_bytes", "Buffers outside the heap", "gauge");
        for (var pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            text.sample(
                    "jvm_buffer_pool_used_bytes",
                    "pool=\"" + ExpositionFormat.escaped(pool.getName()) + "\"",
                    pool.getMemoryUsed());
        }
        var collectors = ManagementFactory.getGarbageCollectorMXBeans();
        text.family("jvm_gc_collection_seconds", "Collections of garbage and their time", "summary");
        for (var collector : collectors) {
            var label = "gc=\"" + ExpositionFormat.escaped(collector.getName()) + "\"";
            text.sample("jvm_gc_collection_seconds_count", label, collector.getCollectionCount());
            text.sample("jvm_gc_collection_seconds_sum", label, collector.getCollectionTime() / 1e3);
        }
    }

    private static void area(Text text, String name, String help, long heap, long other) {
        text.family(name, help, "gauge").sample(name, "area=\"heap\"", heap).sample(name, "area=\"nonheap\"", other);
    }

    /// Text in the making.
    private record Text(ExpositionFormat format, StringBuilder to) {
        Text family(String name, String help, String type) {
            to.append(format.family(name, help, type));
            return this;
        }

        Text sample(String name, Number value) {
            to.append(name).append(' ').append(value).append('\n');
            return this;
        }

        Text sample(String name, String labels, Number value) {
            to.append(name)
                    .append('{')
                    .append(labels)
                    .append("} ")
                    .append(value)
                    .append('\n');
            return this;
        }
    }
}
