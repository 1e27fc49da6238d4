package org.restheart.perftest.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;

/// Draws one line per subject over the levels, with the spread of the repetitions as error bars.
final class Plot {
    private final Report report;
    private final Path folder;

    Plot(Report report, Path folder) {
        this.report = report;
        this.folder = folder;
    }

    /// Draws every operation that was measured at more than one level.
    ///
    /// @param name the beginning of the files' names
    /// @return the names of the files written
    List<String> write(String name) throws IOException {
        var written = new ArrayList<String>();
        var cells = Cell.of(report.rows());
        for (var operation : cells.stream().map(Cell::operation).distinct().toList()) {
            var of = cells.stream()
                    .filter(cell -> cell.operation().equals(operation))
                    .toList();
            if (of.stream().map(Cell::level).distinct().count() > 1) {
                var file = name + "-" + operation.replaceAll("[^A-Za-z0-9]+", "-");
                written.add(save(
                        chart(
                                of,
                                operation,
                                "operations per second",
                                cell -> cell.rate().median()),
                        file));
                written.add(save(
                        chart(of, operation, "p99, ms", cell -> cell.latency(l -> l.p99()) / 1000), file + "-p99"));
            }
        }
        return written;
    }

    private XYChart chart(List<Cell> cells, String title, String yTitle, ToDoubleFunction<Cell> value) {
        var chart = new XYChartBuilder()
                .width(800)
                .height(450)
                .title(title)
                .xAxisTitle(report.levelName())
                .yAxisTitle(yTitle)
                .build();
        // a logarithmic axis has no place for zero
        var logarithmic = cells.stream().allMatch(cell -> cell.level() > 0);
        chart.getStyler().setXAxisLogarithmic(logarithmic).setYAxisMin(0.0);
        for (var subject : cells.stream().map(Cell::subject).distinct().toList()) {
            var line = cells.stream()
                    .filter(cell -> cell.subject().equals(subject))
                    .sorted(Comparator.comparingInt(Cell::level))
                    .toList();
            chart.addSeries(
                    subject,
                    line.stream().mapToDouble(Cell::level).toArray(),
                    line.stream().mapToDouble(value).toArray());
        }
        return chart;
    }

    private String save(XYChart chart, String name) throws IOException {
        var file = name + ".png";
        try (var out = Files.newOutputStream(folder.resolve(file))) {
            BitmapEncoder.saveBitmap(chart, out, BitmapEncoder.BitmapFormat.PNG);
        }
        return file;
    }
}
