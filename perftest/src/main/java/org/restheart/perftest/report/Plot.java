package org.restheart.perftest.report;

import java.awt.Color;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.style.markers.SeriesMarkers;

/// Draws the medians of the repetitions, and from the smallest to the largest of them a vertical stroke.
final class Plot {
    private static final float STROKE = 1.5f;

    private final Report report;
    private final Path folder;

    Plot(Report report, Path folder) {
        this.report = report;
        this.folder = folder;
    }

    /// Draws one line per subject for operations that were measured at more than one level, and bars for those at which
    /// subjects differ only.
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
            var file = name + "-" + operation.replaceAll("[^A-Za-z0-9]+", "-");
            if (of.stream().map(Cell::level).distinct().count() > 1) {
                written.add(save(lines(of, operation, "operations per second", Cell::rate), file));
                written.add(save(lines(of, operation, "p99, ms", Plot::p99), file + "-p99"));
            } else if (of.size() > 1) {
                written.add(save(Bars.of(of, operation + ", operations per second"), file));
            }
        }
        return written;
    }

    private static Spread p99(Cell cell) {
        return Spread.of(cell.rows(), row -> row.measurement().latency().p99() / 1000);
    }

    private XYChart lines(List<Cell> cells, String title, String yTitle, Function<Cell, Spread> value) {
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
        var colours = chart.getStyler().getSeriesColors();
        var drawn = 0;
        for (var subject : cells.stream().map(Cell::subject).distinct().toList()) {
            var line = cells.stream()
                    .filter(cell -> cell.subject().equals(subject))
                    .sorted(Comparator.comparingInt(Cell::level))
                    .toList();
            var colour = colours[drawn++ % colours.length];
            chart.addSeries(
                            subject,
                            line.stream().mapToDouble(Cell::level).toArray(),
                            line.stream()
                                    .mapToDouble(cell -> value.apply(cell).median())
                                    .toArray())
                    .setMarker(SeriesMarkers.CIRCLE)
                    .setMarkerColor(colour)
                    .setLineColor(colour);
            line.forEach(cell -> spread(chart, cell, value.apply(cell), colour));
        }
        return chart;
    }

    private static void spread(XYChart chart, Cell cell, Spread spread, Color colour) {
        chart.addSeries(
                        cell.subject() + " from smallest to largest at " + cell.level(),
                        new double[] {cell.level(), cell.level()},
                        new double[] {spread.min(), spread.max()})
                .setMarker(SeriesMarkers.NONE)
                .setLineColor(colour)
                .setLineWidth(STROKE)
                .setShowInLegend(false);
    }

    private String save(Chart<?, ?> chart, String name) throws IOException {
        var file = name + ".png";
        try (var out = Files.newOutputStream(folder.resolve(file))) {
            BitmapEncoder.saveBitmap(chart, out, BitmapEncoder.BitmapFormat.PNG);
        }
        return file;
    }

    /// Subjects side by side: the median of the repetitions as a bar, the smallest and the largest as marks.
    private static final class Bars {
        private static final Color BAR = new Color(160, 190, 225);

        private static final int LEVEL_LABELS = 5;
        private static final int SLANT = 30;

        private Bars() {}

        static CategoryChart of(List<Cell> cells, String title) {
            var chart = new CategoryChartBuilder()
                    .width(800)
                    .height(450)
                    .title(title)
                    .build();
            chart.getStyler().setOverlapped(true);
            chart.getStyler().setYAxisMin(0.0);
            chart.getStyler().setXAxisLabelRotation(cells.size() > LEVEL_LABELS ? SLANT : 0);
            var subjects = cells.stream()
                    .map(cell -> cell.subject() + ", " + cell.level())
                    .toList();
            chart.addSeries(
                            "median",
                            subjects,
                            values(cells, cell -> cell.rate().median()))
                    .setFillColor(BAR);
            dots(chart, "smallest", subjects, values(cells, cell -> cell.rate().min()));
            dots(chart, "largest", subjects, values(cells, cell -> cell.rate().max()));
            return chart;
        }

        private static void dots(CategoryChart chart, String name, List<String> subjects, List<Double> values) {
            chart.addSeries(name, subjects, values)
                    .setChartCategorySeriesRenderStyle(CategorySeriesRenderStyle.Scatter)
                    .setMarker(SeriesMarkers.DIAMOND)
                    .setMarkerColor(Color.DARK_GRAY);
        }

        private static List<Double> values(List<Cell> cells, ToDoubleFunction<Cell> value) {
            return cells.stream().map(value::applyAsDouble).toList();
        }
    }
}
