package org.restheart.core.metrics;

import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.restheart.core.metrics.MeterText.MeterLabels;

/// The samples of one name, with their formatted names and labels. Thread-safe.
///
/// @param prometheus the header lines in that format
/// @param openMetrics likewise
record MeterFamily(String prometheus, String openMetrics, List<Sample> samples) {

    sealed interface Sample {
        void write(StringBuilder to);
    }

    /// @param prefix the line up to the value
    record Value(String prefix, DoubleSupplier value) implements Sample {
        @Override
        public void write(StringBuilder to) {
            line(to, prefix, value.getAsDouble());
        }
    }

    /// A histogram, or, without buckets, a summary.
    ///
    /// @param buckets lines up to their values; the last one has no bound
    /// @param count a line up to its value
    /// @param sum likewise
    /// @param inSeconds whether durations are measured, which snapshots have in nanoseconds
    record Distribution(
            List<String> buckets, String count, String sum, Supplier<HistogramSnapshot> snapshot, boolean inSeconds)
            implements Sample {
        @Override
        public void write(StringBuilder to) {
            var now = snapshot.get();
            long total = now.count();
            if (!buckets.isEmpty()) {
                var counts = now.histogramCounts();
                for (int i = 0; i < counts.length; i++) {
                    line(to, buckets.get(i), (long) counts[i].count());
                }
                total = Math.max(total, (long) counts[counts.length - 1].count());
                line(to, buckets.getLast(), total);
            }
            line(to, count, total);
            line(to, sum, inSeconds ? now.total(TimeUnit.SECONDS) : now.total());
        }
    }

    void write(StringBuilder to, ExpositionFormat format) {
        to.append(format == ExpositionFormat.OPEN_METRICS ? openMetrics : prometheus);
        for (var sample : samples) {
            sample.write(to);
        }
    }

    private static void line(StringBuilder to, String prefix, long value) {
        to.append(prefix).append(value).append('\n');
    }

    private static void line(StringBuilder to, String prefix, double value) {
        to.append(prefix);
        if (Double.isInfinite(value)) {
            to.append(number(value));
        } else {
            to.append(value);
        }
        to.append('\n');
    }

    /// As the formats have it.
    static String number(double value) {
        if (Double.isInfinite(value)) {
            return value > 0 ? "+Inf" : "-Inf";
        }
        return Double.toString(value);
    }

    /// Collects the samples of one name. Confined to one thread.
    static final class Builder {
        private final String name;
        private final String help;
        private final String type;
        private final TreeMap<MeterLabels, Sample> samples = new TreeMap<>();

        /// @param name without the ending of a counter's samples
        /// @param help not escaped
        Builder(String name, String help, String type) {
            this.name = name;
            this.help = help;
            this.type = type;
        }

        void add(MeterLabels labels, Sample sample) {
            samples.put(labels, sample);
        }

        MeterFamily build() {
            var named = type.equals("counter") ? name + "_total" : name;
            var escaped = help.replace("\\", "\\\\").replace("\n", "\\n");
            return new MeterFamily(
                    "# HELP " + named + " " + escaped + "\n# TYPE " + named + " " + type + "\n",
                    "# TYPE " + name + " " + type + "\n# HELP " + name + " " + ExpositionFormat.escaped(help) + "\n",
                    List.copyOf(samples.values()));
        }
    }
}
