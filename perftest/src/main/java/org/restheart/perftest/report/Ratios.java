package org.restheart.perftest.report;

import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

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
                .flatMap(cell -> cells.stream()
                        .filter(base -> base.subject().equals(baseline))
                        .filter(base -> base.operation().equals(cell.operation()) && base.level() == cell.level())
                        .map(base -> line(cell, base)))
                .toList();
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
