package org.restheart.perftest.report;

import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/// How subjects compare with one of them, in lines of text.
public final class Ratios {
    private Ratios() {}

    /// The median throughput of every subject at every level, divided by that of the baseline at the same level;
    /// behind it the smallest and the largest ratio of two measurements that followed each other. A range that
    /// includes 1 shows no difference.
    public static List<String> of(List<Row> rows, String baseline) {
        var cells = Cell.of(rows);
        return cells.stream()
                .filter(cell -> !cell.subject().equals(baseline))
                .flatMap(cell -> partners(cells, cell, baseline).map(base -> line(cell, base)))
                .toList();
    }

    /// What one subject costs a process, as a multiple of what another costs it: for each operation and level at which
    /// both were measured, as [#cpu] has it.
    public static List<String> cpuPerLevel(List<Row> rows, String process, String subject, String baseline) {
        var cells = Cell.of(rows);
        return cells.stream()
                .filter(cell -> cell.subject().equals(subject))
                .flatMap(cell -> partners(cells, cell, baseline)
                        .map(base -> Stream.concat(cell.rows().stream(), base.rows().stream())
                                .toList())
                        .map(both -> cell.operation() + ", level " + cell.level() + ": "
                                + cpu(both, process, subject, baseline)))
                .toList();
    }

    /// A sentence with the smallest, median and largest ratio of CPU time per operation over the repetitions,
    /// which took turns.
    ///
    /// @param process by its name in [org.restheart.perftest.measure.CpuUse]
    public static String cpu(List<Row> rows, String process, String subject, String baseline) {
        var measured =
                rows.stream().filter(row -> row.subject().equals(subject)).toList();
        var ratio = Spread.of(
                measured, row -> perOperation(row, process) / perOperation(partner(rows, row, baseline), process));
        return String.format(
                Locale.ROOT,
                "CPU time of %s per operation, '%s' ÷ '%s': %.3f (%.3f – %.3f)",
                process,
                subject,
                baseline,
                ratio.median(),
                ratio.min(),
                ratio.max());
    }

    private static Stream<Cell> partners(List<Cell> cells, Cell cell, String baseline) {
        return cells.stream()
                .filter(base -> base.subject().equals(baseline)
                        && base.operation().equals(cell.operation())
                        && base.level() == cell.level());
    }

    private static Row partner(List<Row> rows, Row row, String baseline) {
        return rows.stream()
                .filter(other -> other.subject().equals(baseline)
                        && other.operation().equals(row.operation())
                        && other.level() == row.level()
                        && other.repetition() == row.repetition())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("nothing to compare with " + row.subject()));
    }

    private static double perOperation(Row row, String process) {
        var measured = row.measurement();
        return measured.cpu().seconds().getOrDefault(process, 0.0) / measured.operations();
    }

    private static String line(Cell cell, Cell base) {
        return String.format(
                Locale.ROOT,
                "%-20s %5d  %-24s %6.3f × %s (%.3f – %.3f)",
                cell.operation(),
                cell.level(),
                cell.subject(),
                cell.rate().median() / base.rate().median(),
                base.subject(),
                pairs(cell, base).min().orElse(Double.NaN),
                pairs(cell, base).max().orElse(Double.NaN));
    }

    private static DoubleStream pairs(Cell cell, Cell base) {
        return cell.rows().stream()
                .flatMapToDouble(row -> base.rows().stream()
                        .filter(other -> other.repetition() == row.repetition())
                        .mapToDouble(other ->
                                row.measurement().rate() / other.measurement().rate()));
    }
}
