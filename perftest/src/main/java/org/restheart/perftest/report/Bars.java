package org.restheart.perftest.report;

import java.awt.Color;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;

/// Subjects side by side: the median of the repetitions as a bar, the smallest and the largest as marks.
final class Bars {
    private static final Color BAR = new Color(160, 190, 225);

    private static final int LEVEL_LABELS = 5;
    private static final int SLANT = 30;

    private Bars() {}

    static CategoryChart of(List<Cell> cells, String title) {
        var chart =
                new CategoryChartBuilder().width(800).height(450).title(title).build();
        chart.getStyler().setOverlapped(true);
        chart.getStyler().setYAxisMin(0.0);
        chart.getStyler().setXAxisLabelRotation(cells.size() > LEVEL_LABELS ? SLANT : 0);
        var subjects =
                cells.stream().map(cell -> cell.subject() + ", " + cell.level()).toList();
        chart.addSeries("median", subjects, values(cells, cell -> cell.rate().median()))
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
