package org.restheart.perftest.experiment;

import static java.util.Locale.ROOT;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.restheart.perftest.listen.ListenOrder.ListenTransport;
import org.restheart.perftest.listen.ListenResult;
import org.restheart.perftest.measure.CpuUse;
import org.restheart.perftest.measure.Latency;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.report.Row;

/// What a broadcast showed. Immutable.
///
/// @param firstAt when the first document was posted, by [System#nanoTime()]
/// @param heapGrowth bytes by which the gateways' live heaps have grown through idle listeners
/// @param residentGrowth the same of their resident memory
record BroadcastOutcome(
        Broadcast.Plan plan,
        int accepted,
        long firstAt,
        List<ListenResult> results,
        CpuUse cpu,
        long heapGrowth,
        long residentGrowth) {

    /// By which the live heap of an idle gateway differs between two measurements: classes, caches, metrics.
    private static final long HEAP_NOISE = 1L << 20;

    /// By which resident memory does: the JVM returns pages when it collects, compiles, and keeps arenas.
    private static final long RESIDENT_NOISE = 32L << 20;

    Row row(ListenTransport transport, int level, int repetition) {
        var latencies = Latency.histogram();
        results.forEach(result -> latencies.add(result.histogram()));
        var measurement = new Measurement(
                seconds(),
                deliveries(),
                Latency.of(latencies),
                troubles(),
                results.stream().mapToLong(ListenResult::bytes).sum(),
                0,
                cpu);
        return new Row(
                "notification",
                "gateway, " + transport
                        + (plan.stalled() == 0 ? "" : ", besides " + plan.stalled() + " that never read"),
                level,
                repetition,
                measurement);
    }

    private double seconds() {
        var last = results.stream().mapToLong(ListenResult::lastAt).max().orElse(firstAt);
        return Math.max(1, last - firstAt) / 1e9;
    }

    private long deliveries() {
        return results.stream().mapToLong(ListenResult::deliveries).sum();
    }

    /// What the listeners noticed, and what they should have received and did not.
    private Map<String, Long> troubles() {
        var troubles = new TreeMap<String, Long>();
        results.forEach(result -> result.troubles().forEach((kind, count) -> troubles.merge(kind, count, Long::sum)));
        troubles.keySet().removeIf(kind -> kind.startsWith("stalled listener"));
        var lost = (long) plan.listeners() * plan.events() - deliveries();
        if (lost != 0) {
            troubles.put("lost", Math.max(lost, 0));
        }
        return troubles;
    }

    List<String> notes(int level) {
        var time = deliveries() == 0 ? 0 : seconds() * 1000 * level / deliveries();
        return List.of(
                String.format(
                        ROOT,
                        "%,d listeners, %,d accepted: %,d of %,d notifications in %.1f s; mean notification time %.1f ms where "
                                + "%.1f ms is real time",
                        level,
                        accepted,
                        deliveries(),
                        (long) plan.listeners() * plan.events(),
                        seconds(),
                        time,
                        1000 / plan.rate()),
                String.format(
                        ROOT,
                        "%,d listeners idle: %s of live heap each, %s of resident memory each",
                        level,
                        each(heapGrowth, HEAP_NOISE, level),
                        each(residentGrowth, RESIDENT_NOISE, level)));
    }

    /// Memory that grew by less than it varies in an idle process is not divided.
    static String each(long growth, long noise, int level) {
        return growth < noise
                ? String.format(ROOT, "below noise (all together grew by less than %d MiB)", noise >> 20)
                : String.format(ROOT, "%.2f KiB", growth / 1024.0 / level);
    }
}
