package org.restheart.core.metrics;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryUsage;
import org.jspecify.annotations.Nullable;

/// Memory and garbage collection of the JVM, read when asked for. Thread-safe.
final class JvmRegistry implements MetricsRegistry {
    @Override
    public String path() {
        return "/jvm";
    }

    @Override
    public String scrape(ExpositionFormat format) {
        var text = new StringBuilder();
        var memory = ManagementFactory.getMemoryMXBean();
        var heap = memory.getHeapMemoryUsage();
        var nonHeap = memory.getNonHeapMemoryUsage();
        usage(text, "jvm_mem_heap", "heap", heap);
        ratio(text, "jvm_mem_heap", "heap", heap);
        usage(text, "jvm_mem_non_heap", "non-heap memory", nonHeap);
        ratio(text, "jvm_mem_non_heap", "non-heap memory", nonHeap);
        usage(text, "jvm_mem_total", "memory", sum(heap, nonHeap));
        for (var pool : ManagementFactory.getMemoryPoolMXBeans()) {
            var name = "jvm_mem_pools_" + identifier(pool.getName());
            usage(text, name, "pool " + pool.getName(), pool.getUsage());
            ratio(text, name, "pool " + pool.getName(), pool.getUsage());
            afterCollection(text, name, pool.getName(), pool.getCollectionUsage());
        }
        for (var collector : ManagementFactory.getGarbageCollectorMXBeans()) {
            var name = "jvm_garbage_collector_" + identifier(collector.getName());
            gauge(text, name + "_count", "collections by " + collector.getName(), collector.getCollectionCount());
            gauge(
                    text,
                    name + "_time",
                    "time of collections by " + collector.getName() + " in milliseconds",
                    collector.getCollectionTime());
        }
        return text.toString();
    }

    private static MemoryUsage sum(MemoryUsage a, MemoryUsage b) {
        long max = a.getMax() < 0 || b.getMax() < 0 ? -1 : a.getMax() + b.getMax();
        return new MemoryUsage(
                Math.max(0, a.getInit()) + Math.max(0, b.getInit()),
                a.getUsed() + b.getUsed(),
                a.getCommitted() + b.getCommitted(),
                max);
    }

    private static void usage(StringBuilder text, String name, String what, MemoryUsage usage) {
        gauge(text, name + "_used", "used " + what + " in bytes", usage.getUsed());
        gauge(text, name + "_committed", "committed " + what + " in bytes", usage.getCommitted());
        gauge(text, name + "_max", "maximum " + what + " in bytes, -1 if there is none", usage.getMax());
        gauge(text, name + "_init", "initial " + what + " in bytes", usage.getInit());
    }

    /// The used part of the maximum, or of the committed memory if there is no maximum.
    private static void ratio(StringBuilder text, String name, String what, MemoryUsage usage) {
        long whole = usage.getMax() < 0 ? usage.getCommitted() : usage.getMax();
        double share = whole == 0 ? 0 : (double) usage.getUsed() / whole;
        gauge(text, name + "_usage", "used " + what + " as a share of its maximum", Double.toString(share));
    }

    private static void afterCollection(StringBuilder text, String name, String pool, @Nullable MemoryUsage usage) {
        if (usage != null) {
            gauge(
                    text,
                    name + "_used_after_gc",
                    "used pool " + pool + " after the last collection in bytes",
                    usage.getUsed());
        }
    }

    private static void gauge(StringBuilder text, String name, String help, String value) {
        text.append(ExpositionFormat.PROMETHEUS.family(name, help, "gauge"))
                .append(name)
                .append(' ')
                .append(value)
                .append('\n');
    }

    private static void gauge(StringBuilder text, String name, String help, long value) {
        gauge(text, name, help, value + ".0");
    }

    private static String identifier(String name) {
        return name.replaceAll("[^A-Za-z0-9_:]", "_");
    }
}
