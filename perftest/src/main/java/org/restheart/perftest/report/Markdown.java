package org.restheart.perftest.report;

import static org.restheart.perftest.report.Spread.whole;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.restheart.perftest.measure.Latency;

/// Writes a report for people.
final class Markdown {
    private static final int DISTURBANCES_SHOWN = 12;

    private final Report report;
    private final List<Cell> cells;
    private final StringBuilder text = new StringBuilder();

    private Markdown(Report report) {
        this.report = report;
        this.cells = Cell.of(report.rows());
    }

    static String of(Report report) {
        var markdown = new Markdown(report);
        markdown.head();
        markdown.disturbances();
        markdown.tables();
        markdown.notes();
        markdown.facts();
        return markdown.text.toString();
    }

    private void head() {
        line("# " + report.experiment() + "\n");
        line(report.question() + "\n");
    }

    private void disturbances() {
        var found = Disturbance.in(report.rows());
        if (found.isEmpty()) {
            line("No measurement was disturbed: no errors, no swapping, hardly any CPU time stolen or spent by"
                    + " others.\n");
            return;
        }
        line("**Disturbed** (" + found.size() + " findings in " + report.rows().size() + " measurements):\n");
        found.stream().limit(DISTURBANCES_SHOWN).forEach(sentence -> line("- " + sentence));
        if (found.size() > DISTURBANCES_SHOWN) {
            line("- … and " + (found.size() - DISTURBANCES_SHOWN) + " more");
        }
        line("");
    }

    private void tables() {
        cells.stream().map(Cell::operation).distinct().forEach(this::table);
    }

    private void table(String operation) {
        line("## " + operation + "\n");
        row(
                "subject",
                report.levelName(),
                "rate/s (min – max)",
                hasBaseline() ? "× " + report.baseline() + ", same " + report.levelName() : "",
                hasBaseline() ? "× " + report.baseline() + "'s best" : "",
                "mean ms",
                "p50",
                "p95",
                "p99",
                "p99.9",
                "CPU µs/op",
                "errors");
        line("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|---|--:|");
        cells.stream().filter(cell -> cell.operation().equals(operation)).forEach(this::row);
        line("");
    }

    private void row(Cell cell) {
        var rate = cell.rate();
        row(
                cell.subject(),
                cell.level(),
                "**" + whole(rate.median()) + "** (" + whole(rate.min()) + " – " + whole(rate.max()) + ")",
                ratio(cell, baselineAt(cell)),
                ratio(cell, bestBaseline(cell)),
                millis(cell.latency(Latency::mean)),
                millis(cell.latency(Latency::p50)),
                millis(cell.latency(Latency::p95)),
                millis(cell.latency(Latency::p99)),
                millis(cell.latency(Latency::p999)),
                cpu(cell),
                cell.failed());
    }

    private boolean hasBaseline() {
        return !report.baseline().isEmpty();
    }

    private Optional<Cell> baselineAt(Cell cell) {
        return baselines(cell).stream()
                .filter(other -> other.level() == cell.level())
                .findFirst();
    }

    private Optional<Cell> bestBaseline(Cell cell) {
        return baselines(cell).stream()
                .reduce((a, b) -> a.rate().median() >= b.rate().median() ? a : b);
    }

    private List<Cell> baselines(Cell cell) {
        return cells.stream()
                .filter(other -> other.operation().equals(cell.operation()))
                .filter(other -> other.subject().equals(report.baseline()))
                .toList();
    }

    private static String ratio(Cell cell, Optional<Cell> baseline) {
        return baseline.map(base -> cell.rate().median() / base.rate().median())
                .map(ratio -> String.format(Locale.ROOT, ratio < 10 ? "%.2f" : "%.0f", ratio))
                .orElse("–");
    }

    private static String cpu(Cell cell) {
        return new TreeMap<>(cell.cpuPerOperation())
                .entrySet().stream()
                        .map(e -> e.getKey() + " " + micros(e.getValue()))
                        .collect(Collectors.joining(", "));
    }

    private static String micros(double micros) {
        return String.format(Locale.ROOT, micros < 100 ? "%.1f" : "%.0f", micros);
    }

    private static String millis(double micros) {
        return String.format(Locale.ROOT, micros < 10_000 ? "%.2f" : "%.1f", micros / 1000);
    }

    private void notes() {
        if (!report.notes().isEmpty()) {
            line("## Notes\n");
            report.notes().forEach(note -> line("- " + note));
            line("");
        }
    }

    private void facts() {
        var machine = report.machine();
        line("## Facts\n");
        row("", "");
        line("|---|---|");
        row("commit", "`" + report.commit() + "`");
        row("command", "`" + report.command() + "`");
        row("started", report.startedAt() + ", lasted " + Math.ceil(report.minutes() * 10) / 10 + " minutes");
        row(
                "machine",
                machine.cpu() + ", " + machine.cores() + " cores, " + machine.memoryMiB() + " MiB, Linux "
                        + machine.kernel());
        row("load averages before", machine.loadBefore());
        row("open files per process", machine.openFiles());
        row("JVM of the harness", machine.jvm());
        report.settings().forEach(this::row);
    }

    private void row(Object... values) {
        line(Arrays.stream(values)
                .map(value -> value.toString().replace("|", "\\|"))
                .collect(Collectors.joining(" | ", "| ", " |")));
    }

    private void line(String line) {
        text.append(line).append('\n');
    }

    /// Finds the measurements that something else has influenced, so that a disturbed run says so itself.
    static final class Disturbance {
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
                            busy(row.measurement().clientBusy().orElse(0.0)))
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
}
