package org.restheart.bench;

import java.util.Collection;
import java.util.Locale;
import java.util.stream.Collectors;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.results.RunResult;
import org.restheart.perftest.measure.Machine;

/// The results as a readable table. Immutable.
///
/// @param machine as it was before the benches
/// @param arguments JMH's, as they were given
record Table(Collection<RunResult> results, Machine machine, String commit, String arguments) {
    private static final String ALLOCATED = "gc.alloc.rate.norm";

    String markdown() {
        return """
                # jmh

                What does one call cost, beside what one would use instead? Average time and its 99.9 %% confidence
                interval, on one thread, and the memory that a call allocates.

                | bench | on | ns per call | ± | bytes allocated |
                |---|---|--:|--:|--:|
                %s
                ## Facts

                | | |
                |---|---|
                | commit | `%s` |
                | command | `./bench/run %s` |
                | machine | %s, %d cores, %d MiB, Linux %s |
                | load averages before | %s |
                | JVM | %s |
                | JMH | %s, %d fork(s), %d × %s of warm-up, %d × %s measured, %s |
                """.formatted(
                        results.stream().map(Table::row).collect(Collectors.joining()),
                        commit,
                        arguments.replace("|", "\\|"),
                        machine.cpu(),
                        machine.cores(),
                        machine.memoryMiB(),
                        machine.kernel(),
                        machine.loadBefore(),
                        machine.jvm(),
                        any().getJmhVersion(),
                        any().getForks(),
                        any().getWarmup().getCount(),
                        any().getWarmup().getTime(),
                        any().getMeasurement().getCount(),
                        any().getMeasurement().getTime(),
                        String.join(" ", any().getJvmArgs()));
    }

    private BenchmarkParams any() {
        return results.iterator().next().getParams();
    }

    private static String row(RunResult result) {
        var params = result.getParams();
        var time = result.getPrimaryResult();
        var allocated = result.getSecondaryResults().get(ALLOCATED);
        return String.format(
                Locale.ROOT,
                "| %s | %s | %,.1f | %s | %s |%n",
                params.getBenchmark().replaceAll(".*\\.(\\w+)Bench\\.", "$1: "),
                params.getParamsKeys().stream()
                        .map(params::getParam)
                        .map(value -> "`" + value + "`")
                        .collect(Collectors.joining(", ")),
                time.getScore(),
                Double.isNaN(time.getScoreError()) ? "–" : String.format(Locale.ROOT, "%,.1f", time.getScoreError()),
                allocated == null ? "–" : String.format(Locale.ROOT, "%,.0f", allocated.getScore()));
    }
}
