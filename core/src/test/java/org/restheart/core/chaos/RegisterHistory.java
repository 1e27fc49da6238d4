package org.restheart.core.chaos;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The reads and writes of one register, of which each write has another value, and whether they are linearizable.
///
/// All operations on one value form a cluster: its write and the reads of it. If one of them ended before another
/// began, the register had the value for all the time between ("forward zone"), else for some moment between the latest
/// start and the earliest end ("backward zone"). The history is linearizable if no read ended before its write began,
/// no two forward zones overlap, and no backward zone lies within a forward zone (Gibbons and Korach, "Testing Shared
/// Memories", 1997). Thread-safe.
final class RegisterHistory {
    /// The value before the first write.
    static final String INITIAL = "initial";

    private final Map<String, Cluster> clusters = new HashMap<>();

    private static final class Cluster {
        private long writeStart = Long.MAX_VALUE;
        private long earliestEnd = Long.MAX_VALUE;
        private long latestStart = Long.MIN_VALUE;
        private long earliestReadEnd = Long.MAX_VALUE;

        private void add(long start, long end) {
            earliestEnd = Math.min(earliestEnd, end);
            latestStart = Math.max(latestStart, start);
        }

        private boolean isForward() {
            return earliestEnd < latestStart;
        }
    }

    private record Zone(String value, long from, long to) {}

    RegisterHistory() {
        wrote(INITIAL, Long.MIN_VALUE, Long.MIN_VALUE);
    }

    /// @param end [Long#MAX_VALUE] if it is not known whether the write took place
    synchronized void wrote(String value, long start, long end) {
        var cluster = clusters.computeIfAbsent(value, _ -> new Cluster());
        cluster.writeStart = start;
        cluster.add(start, end);
    }

    synchronized void read(String value, long start, long end) {
        var cluster = clusters.computeIfAbsent(value, _ -> new Cluster());
        cluster.earliestReadEnd = Math.min(cluster.earliestReadEnd, end);
        cluster.add(start, end);
    }

    /// What no order of the operations explains; empty if the history is linearizable.
    synchronized List<String> violations() {
        var found = new ArrayList<String>();
        var forward = new ArrayList<Zone>();
        var backward = new ArrayList<Zone>();
        clusters.forEach((value, cluster) -> {
            if (cluster.earliestReadEnd < cluster.writeStart) {
                found.add(value + " was read before it was written");
            } else if (cluster.isForward()) {
                forward.add(new Zone(value, cluster.earliestEnd, cluster.latestStart));
            } else if (cluster.earliestEnd != Long.MAX_VALUE) { // else it may never have been written
                backward.add(new Zone(value, cluster.latestStart, cluster.earliestEnd));
            }
        });
        forward.sort(Comparator.comparingLong(Zone::from));
        @Nullable Zone longest = null;
        for (var zone : forward) {
            if (longest != null && zone.from() < longest.to()) {
                found.add(longest.value() + " and " + zone.value() + " were there at once");
            }
            longest = longest == null || zone.to() > longest.to() ? zone : longest;
        }
        var byStart = new TreeMap<Long, Zone>(); // they do not overlap, or that was found above
        forward.forEach(zone -> byStart.put(zone.from(), zone));
        for (var zone : backward) {
            var other = byStart.lowerEntry(zone.from());
            if (other != null && zone.to() < other.getValue().to()) {
                found.add(zone.value() + " was there while " + other.getValue().value() + " was");
            }
        }
        return found;
    }
}
