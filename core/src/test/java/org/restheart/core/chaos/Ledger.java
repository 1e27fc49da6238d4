package org.restheart.core.chaos;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/// What was acknowledged to clients, by the fault at that time, and what was found wrong. Thread-safe.
final class Ledger {
    /// Shorter times without a success are not noted.
    private static final long SHORT_NANOS = 10_000_000;

    /// Longer ones are printed.
    private static final long LONG_NANOS = 1_000_000_000;

    private final List<Period> periods = new ArrayList<>();
    private volatile Period current = new Period("start");

    /// The time of one fault, until all works again.
    static final class Period {
        private final String fault;
        private final LongAdder acknowledged = new LongAdder();
        private final Map<Integer, LongAdder> statuses = new ConcurrentSkipListMap<>();
        private final LongAdder lost = new LongAdder();
        private final LongAdder doubled = new LongAdder();
        private final LongAdder reordered = new LongAdder();
        private final Map<Probe, AtomicLong> longest = eachFrom(0);
        private final long began = System.nanoTime();
        private volatile long ended = Long.MAX_VALUE;

        private Period(String fault) {
            this.fault = fault;
        }

        void lost() {
            lost.increment();
        }

        void doubled() {
            doubled.increment();
        }

        void reordered() {
            reordered.increment();
        }

        private double seconds() {
            return (Math.min(ended, System.nanoTime()) - began) / 1e9;
        }

        private double longest(Probe probe) {
            return longest.get(probe).get() / 1e9;
        }
    }

    /// What should succeed all the time.
    enum Probe {
        DRIVER,
        GATEWAY,
        ANY_WRITE
    }

    private final Map<String, Long> failures = new ConcurrentHashMap<>();

    private final Map<Probe, AtomicLong> lastSuccess = eachFrom(System.nanoTime());

    private static Map<Probe, AtomicLong> eachFrom(long value) {
        var each = new EnumMap<Probe, AtomicLong>(Probe.class);
        for (var probe : Probe.values()) {
            each.put(probe, new AtomicLong(value));
        }
        return each;
    }

    /// Ends a time without a success. It counts for the period in which most of it was: a request that was sent just
    /// before a fault ends after it.
    void success(Probe probe) {
        long now = System.nanoTime();
        long before = lastSuccess.get(probe).getAndAccumulate(now, Math::max);
        if (now - before > SHORT_NANOS) {
            var period = periodAt(before + (now - before) / 2);
            period.longest.get(probe).accumulateAndGet(now - before, Math::max);
            if (now - before > LONG_NANOS) {
                System.out.printf(
                        "%s: %.1f s without success, from %.1f s of '%s' on%s%n",
                        probe,
                        (now - before) / 1e9,
                        (before - period.began) / 1e9,
                        period.fault,
                        probe == Probe.GATEWAY ? ", failures, and how long before: " + failuresBefore(now) : "");
            }
        }
        if (probe == Probe.GATEWAY) {
            failures.clear();
        }
    }

    /// What probes failed with since the last success, and how long before this moment they last did.
    private Map<String, String> failuresBefore(long now) {
        var last = new TreeMap<String, String>();
        failures.forEach((answer, at) -> last.put(answer, "%.1f s".formatted((now - at) / 1e9)));
        return last;
    }

    /// A probe by a gateway failed.
    void failed(String answer) {
        failures.put(answer, System.nanoTime());
    }

    private synchronized Period periodAt(long time) {
        for (var period : periods.reversed()) {
            if (period.began <= time) {
                return period;
            }
        }
        return periods.isEmpty() ? current : periods.getFirst();
    }

    synchronized Period begin(String fault) {
        end();
        current = new Period(fault);
        periods.add(current);
        return current;
    }

    /// Ends the current period for its rate; what is acknowledged until the next one begins still counts for it.
    synchronized void end() {
        current.ended = Math.min(current.ended, System.nanoTime());
    }

    Period current() {
        return current;
    }

    /// @param status 0 for none: the connection broke, or there was no response in time
    void answered(int status) {
        current.statuses.computeIfAbsent(status, _ -> new LongAdder()).increment();
    }

    /// A write was acknowledged.
    Period acknowledged() {
        return acknowledged(1);
    }

    Period acknowledged(int writes) {
        var period = current;
        period.acknowledged.add(writes);
        success(Probe.ANY_WRITE);
        return period;
    }

    synchronized long total() {
        return periods.stream().mapToLong(period -> period.acknowledged.sum()).sum();
    }

    /// Whether anything acknowledged was lost, doubled or reordered, or an answer was a fault of the gateway's.
    synchronized boolean isClean() {
        return periods.stream()
                .allMatch(period -> period.lost.sum() + period.doubled.sum() + period.reordered.sum() == 0
                        && period.statuses.keySet().stream().noneMatch(status -> status > 499 && status != 503));
    }

    /// A table in Markdown.
    synchronized String table() {
        var rows =
                new StringBuilder("| fault | times | acknowledged writes | per second | lost | doubled | out of order "
                        + "| longest without success of a probe by a gateway, beyond the driver | of any write by a gateway "
                        + "| responses |\n|---|---|---|---|---|---|---|---|---|---|\n");
        var byFault = new TreeMap<String, List<Period>>();
        periods.forEach(period ->
                byFault.computeIfAbsent(period.fault, _ -> new ArrayList<>()).add(period));
        byFault.forEach((fault, same) -> {
            var statuses = new TreeMap<Integer, Long>();
            same.forEach(period -> period.statuses.forEach((status, n) -> statuses.merge(status, n.sum(), Long::sum)));
            double gateway = longest(same, Probe.GATEWAY);
            double beyond = same.stream()
                    .mapToDouble(p -> p.longest(Probe.GATEWAY) - p.longest(Probe.DRIVER))
                    .max()
                    .orElse(0);
            rows.append("| %s | %d | %d | %.0f | %d | %d | %d | %.1f s, %.1f s | %.1f s | %s |%n"
                    .formatted(
                            fault,
                            same.size(),
                            sum(same, p -> p.acknowledged),
                            sum(same, p -> p.acknowledged)
                                    / same.stream().mapToDouble(Period::seconds).sum(),
                            sum(same, p -> p.lost),
                            sum(same, p -> p.doubled),
                            sum(same, p -> p.reordered),
                            gateway,
                            Math.max(0, beyond),
                            longest(same, Probe.ANY_WRITE),
                            statuses));
        });
        return rows.toString();
    }

    private static double longest(List<Period> periods, Probe probe) {
        return periods.stream()
                .mapToDouble(period -> period.longest(probe))
                .max()
                .orElse(0);
    }

    private static long sum(List<Period> periods, Function<Period, LongAdder> count) {
        return periods.stream().mapToLong(period -> count.apply(period).sum()).sum();
    }
}
