package org.restheart.perftest.report;

import static org.restheart.perftest.report.Spread.whole;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
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

    /// @param plots file names of plots, relative to the text
    static String of(Report report, List<String> plots) {
        var markdown = new Markdown(report);
        markdown.head();
        markdown.disturbances();
        markdown.tables();
        plots.forEach(plot -> markdown.line("![" + plot + "](" + plot + ")\n"));
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
            line(
                    "No measurement was disturbed: no errors, no swapping, hardly any CPU time stolen or spent by others.\n");
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
}
