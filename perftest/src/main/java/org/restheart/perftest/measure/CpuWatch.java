package org.restheart.perftest.measure;

import java.util.Map;
import java.util.TreeMap;

/// Reads the CPU time of some processes and of the whole machine at two moments. Immutable.
public final class CpuWatch {
    private final Map<String, Long> pids;

    /// The name of this process's children that have ended; empty if they are not counted.
    private final String children;

    /// @param pids process ids by the name they have in reports
    public CpuWatch(Map<String, Long> pids) {
        this(pids, "");
    }

    private CpuWatch(Map<String, Long> pids, String children) {
        this.pids = Map.copyOf(pids);
        this.children = children;
    }

    /// Children of this process count when they have ended.
    public CpuWatch alsoChildren(String name) {
        return new CpuWatch(pids, name);
    }

    public CpuWatch alsoThisProcess(String name) {
        var all = new TreeMap<>(pids);
        all.put(name, ProcessHandle.current().pid());
        return new CpuWatch(all, children);
    }

    public Reading read() {
        var ticks = new TreeMap<String, Long>();
        pids.forEach((name, pid) -> ticks.put(name, ProcStat.processTicks(pid)));
        if (!children.isEmpty()) {
            ticks.put(children, ProcStat.childrenTicks());
        }
        return new Reading(ticks, ProcStat.host(), ProcStat.pagesSwapped());
    }

    public CpuUse since(Reading begin) {
        return CpuUse.between(begin, read());
    }

    /// What the clocks showed at one moment.
    ///
    /// @param processes clock ticks by process name
    public record Reading(Map<String, Long> processes, ProcStat.HostTicks host, long pagesSwapped) {}
}
