package org.restheart.perftest.report;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/// Smallest, middle and largest of some repetitions. The middle of an even count is the mean of the middle two.
public record Spread(double min, double median, double max) {

    static Spread of(List<Row> rows, ToDoubleFunction<Row> value) {
        var sorted = rows.stream().mapToDouble(value).sorted().toArray();
        if (sorted.length == 0) {
            throw new IllegalArgumentException("no repetitions");
        }
        return new Spread(sorted[0], median(sorted), sorted[sorted.length - 1]);
    }

    /// The nearest rank; 0 of no values.
    public static double percentile(List<Double> values, double share) {
        return values.isEmpty() ? 0 : values.stream().sorted().toList().get((int) Math.ceil(share * values.size()) - 1);
    }

    private static double median(double[] sorted) {
        var half = sorted.length / 2;
        return sorted.length % 2 == 1
                ? sorted[half]
                : Arrays.stream(sorted, half - 1, half + 1).average().orElseThrow();
    }

    /// Whole numbers with thousands separators.
    static String whole(double value) {
        return String.format(Locale.ROOT, "%,.0f", value);
    }
}
