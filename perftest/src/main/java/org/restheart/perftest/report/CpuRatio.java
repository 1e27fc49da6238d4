package org.restheart.perftest.report;

import java.util.List;
import java.util.Locale;

/// What one subject costs a process, as a multiple of what another costs it.
public final class CpuRatio {
    private CpuRatio() {}

    /// A sentence with the smallest, median and largest ratio of CPU time per operation over the repetitions,
    /// which took turns.
    ///
    /// @param process by its name in [org.restheart.perftest.measure.CpuUse]
    public static String of(List<Row> rows, String process, String subject, String base) {
        var measured =
                rows.stream().filter(row -> row.subject().equals(subject)).toList();
        var ratio = Spread.of(
                measured, row -> perOperation(row, process) / perOperation(partner(rows, row, base), process));
        return String.format(
                Locale.ROOT,
                "CPU time of %s per operation, '%s' ÷ '%s': %.3f (%.3f – %.3f)",
                process,
                subject,
                base,
                ratio.median(),
                ratio.min(),
                ratio.max());
    }

    /// One such sentence for each operation and level at which both were measured.
    public static List<String> perLevel(List<Row> rows, String process, String subject, String base) {
        return Cell.of(rows).stream()
                .filter(cell -> cell.subject().equals(subject))
                .map(cell -> cell.operation() + ", level " + cell.level() + ": "
                        + of(same(rows, cell), process, subject, base))
                .toList();
    }

    private static List<Row> same(List<Row> rows, Cell cell) {
        return rows.stream()
                .filter(row -> row.operation().equals(cell.operation()) && row.level() == cell.level())
                .toList();
    }

    private static Row partner(List<Row> rows, Row row, String base) {
        return rows.stream()
                .filter(other -> other.subject().equals(base)
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
}
