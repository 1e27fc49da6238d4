package org.restheart.perftest.report;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/// Finds the measurements that something else has influenced, so that a disturbed run says so itself.
final class Disturbance {
    private static final double MOST_STOLEN = 0.02;
    private static final double MOST_OTHERS = 0.05;
    private static final double MOST_CLIENT = 0.9;

    private Disturbance() {}

    /// One sentence per disturbed row; empty for a quiet run without errors.
    static List<String> in(List<Row> rows) {
        return rows.stream().flatMap(Disturbance::of).toList();
    }

    private static Stream<String> of(Row row) {
        var cpu = row.measurement().cpu();
        var where = "%s, %s, level %d, repetition %d: "
                .formatted(row.operation(), row.subject(), row.level(), row.repetition());
        return Stream.of(
                        share("stolen by the hypervisor", cpu.share(cpu.stolen()), MOST_STOLEN),
                        share("spent by other processes", cpu.share(cpu.others()), MOST_OTHERS),
                        cpu.pagesSwapped() > 0 ? cpu.pagesSwapped() + " pages were swapped" : "",
                        row.measurement().failed() > 0
                                ? "failed operations: " + row.measurement().errors()
                                : "",
                        busy(row.measurement().clientBusy().orElse(0.0)),
                        row.measurement().behind() > 0
                                ? row.measurement().behind() + " requests were due but not sent"
                                : "")
                .filter(text -> !text.isEmpty())
                .map(where::concat);
    }

    private static String busy(double share) {
        return share > MOST_CLIENT
                ? String.format(
                        Locale.ROOT,
                        "the load client's thread ran %.0f %% of the time, so it may be what was measured",
                        share * 100)
                : "";
    }

    private static String share(String what, double share, double most) {
        return share > most
                ? String.format(Locale.ROOT, "%.1f %% of the machine's CPU time was %s", share * 100, what)
                : "";
    }
}
