package org.restheart.core.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.core.metrics.Info;
import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.MemoryUsage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/// Meters of the process and its JVM, read when they are asked for. Thread-safe.
///
/// @param registry takes them
record ProcessMeters(PrometheusMeterRegistry registry) {
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final MemoryMXBean MEMORY = ManagementFactory.getMemoryMXBean();

    /// Under the names of earlier versions.
    void registerJvm() {
        usage("jvm_mem_heap", "heap", MEMORY::getHeapMemoryUsage);
        ratio("jvm_mem_heap", "heap", MEMORY::getHeapMemoryUsage);
        usage("jvm_mem_non_heap", "non-heap memory", MEMORY::getNonHeapMemoryUsage);
        ratio("jvm_mem_non_heap", "non-heap memory", MEMORY::getNonHeapMemoryUsage);
        usage("jvm_mem_total", "memory", () -> sum(MEMORY.getHeapMemoryUsage(), MEMORY.getNonHeapMemoryUsage()));
        for (var pool : ManagementFactory.getMemoryPoolMXBeans()) {
            var name = "jvm_mem_pools_" + identifier(pool.getName());
            usage(name, "pool " + pool.getName(), pool::getUsage);
            ratio(name, "pool " + pool.getName(), pool::getUsage);
            if (pool.getCollectionUsage() != null) {
                var help = "used pool " + pool.getName() + " after the last collection in bytes";
                gauge(
                        name + "_used_after_gc",
                        help,
                        () -> pool.getCollectionUsage().getUsed());
            }
        }
        for (var collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            var name = "jvm_garbage_collector_" + identifier(collector.getName());
            gauge(name + "_count", "collections by " + collector.getName(), collector::getCollectionCount);
            gauge(
                    name + "_time",
                    "time of collections by " + collector.getName() + " in milliseconds",
                    collector::getCollectionTime);
        }
    }

    private static String identifier(String name) {
        return name.replaceAll("[^A-Za-z0-9_:]", "_");
    }

    private static MemoryUsage sum(MemoryUsage a, MemoryUsage b) {
        long max = a.getMax() < 0 || b.getMax() < 0 ? -1 : a.getMax() + b.getMax();
        return new MemoryUsage(
                Math.max(0, a.getInit()) + Math.max(0, b.getInit()),
                a.getUsed() + b.getUsed(),
                a.getCommitted() + b.getCommitted(),
                max);
    }

    private void usage(String name, String what, Supplier<MemoryUsage> usage) {
        gauge(name + "_used", "used " + what + " in bytes", () -> usage.get().getUsed());
        gauge(
                name + "_committed",
                "committed " + what + " in bytes",
                () -> usage.get().getCommitted());
        gauge(
                name + "_max",
                "maximum " + what + " in bytes, -1 if there is none",
                () -> usage.get().getMax());
        gauge(name + "_init", "initial " + what + " in bytes", () -> usage.get().getInit());
    }

    /// The used part of the maximum, or of the committed memory if there is no maximum.
    private void ratio(String name, String what, Supplier<MemoryUsage> usage) {
        gauge(name + "_usage", "used " + what + " as a share of its maximum", () -> {
            var now = usage.get();
            long whole = now.getMax() < 0 ? now.getCommitted() : now.getMax();
            return whole == 0 ? 0 : (double) now.getUsed() / whole;
        });
    }

    private void gauge(String name, String help, Supplier<Number> value, String... tags) {
        Gauge.builder(name, value).description(help).tags(tags).register(registry);
    }

    /// Under the names that Prometheus clients of all languages use, and the build.
    ///
    /// @param buildTime ISO 8601
    void registerProcess(String version, String buildTime) {
        Info.builder()
                .name("restheart_build_info")
                .help("The build that runs: 1")
                .labelNames("version", "build_time", "java_version")
                .register(registry.getPrometheusRegistry())
                .addLabelValues(version, buildTime, Runtime.version().toString());
        gauge(
                "process_start_time_seconds",
                "When the process started, in seconds since 1970",
                () -> ManagementFactory.getRuntimeMXBean().getStartTime() / 1e3);
        if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
            ToDoubleFunction<UnixOperatingSystemMXBean> seconds = each -> each.getProcessCpuTime() / 1e9;
            FunctionCounter.builder("process_cpu_seconds", system, seconds)
                    .description("CPU time used, in seconds")
                    .register(registry);
            gauge("process_open_fds", "Open file descriptors", system::getOpenFileDescriptorCount);
            gauge("process_max_fds", "The bound of open file descriptors", system::getMaxFileDescriptorCount);
        }
        gauge(
                "process_cpus",
                "CPUs that the process may use",
                () -> Runtime.getRuntime().availableProcessors());
        if (Files.isReadable(STATUS)) { // Linux
            gauge("process_resident_memory_bytes", "Resident memory", () -> status("VmRSS:"));
            gauge("process_virtual_memory_bytes", "Virtual memory", () -> status("VmSize:"));
        }
        areas("jvm_memory_used_bytes", "Used memory of the JVM", MemoryUsage::getUsed);
        areas("jvm_memory_committed_bytes", "Committed", MemoryUsage::getCommitted);
        areas("jvm_memory_max_bytes", "The bound, -1 without one", MemoryUsage::getMax);
        for (var pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            gauge(
                    "jvm_buffer_pool_used_bytes",
                    "Buffers outside the heap",
                    pool::getMemoryUsed,
                    "pool",
                    pool.getName());
        }
        for (var collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            FunctionTimer.builder(
                            "jvm_gc_collection",
                            collector,
                            GarbageCollectorMXBean::getCollectionCount,
                            GarbageCollectorMXBean::getCollectionTime,
                            TimeUnit.MILLISECONDS)
                    .description("Collections of garbage and their time")
                    .tag("gc", collector.getName())
                    .register(registry);
        }
        gauge("jvm_threads_current", "Platform threads", ManagementFactory.getThreadMXBean()::getThreadCount);
    }

    private void areas(String name, String help, ToLongFunction<MemoryUsage> part) {
        gauge(name, help, () -> part.applyAsLong(MEMORY.getHeapMemoryUsage()), "area", "heap");
        gauge(name, help, () -> part.applyAsLong(MEMORY.getNonHeapMemoryUsage()), "area", "nonheap");
    }

    /// The bytes in a line such as `VmRSS:  123 kB`; not a number if there is none.
    private static double status(String name) {
        try (var lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith(name))
                    .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024.0)
                    .findFirst()
                    .orElse(Double.NaN);
        } catch (IOException _) {
            return Double.NaN;
        }
    }
}
