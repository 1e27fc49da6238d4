package org.restheart.perftest.measure;

import java.util.Map;
import java.util.TreeMap;

/// CPU seconds spent within a time. Immutable.
///
/// @param seconds by process name
/// @param capacity CPU seconds there were: elapsed time × cores
/// @param idle of the machine
/// @param stolen taken by the hypervisor for other guests
/// @param kernel interrupts and soft interrupts, which Linux charges to no process; loopback traffic causes some
/// @param others spent by processes that are not ours; anything but a trifle means that the run was disturbed
/// @param pagesSwapped in and out
public record CpuUse(
        Map<String, Double> seconds,
        double capacity,
        double idle,
        double stolen,
        double kernel,
        double others,
        long pagesSwapped) {

    public CpuUse {
        seconds = Map.copyOf(seconds);
    }

    static CpuUse between(CpuWatch.Reading begin, CpuWatch.Reading end) {
        var seconds = new TreeMap<String, Double>();
        end.processes()
                .forEach((name, ticks) -> seconds.put(
                        name, ProcStat.seconds(ticks - begin.processes().getOrDefault(name, 0L))));
        var spent = end.host().minus(begin.host());
        var ours = seconds.values().stream().mapToDouble(Double::doubleValue).sum();
        return new CpuUse(
                seconds,
                ProcStat.seconds(spent.total()),
                ProcStat.seconds(spent.idle()),
                ProcStat.seconds(spent.stolen()),
                ProcStat.seconds(spent.kernel()),
                Math.max(0, ProcStat.seconds(spent.busy()) - ours),
                end.pagesSwapped() - begin.pagesSwapped());
    }

    public double share(double part) {
        return capacity == 0 ? 0 : part / capacity;
    }
}
