package org.restheart.core.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.distribution.HistogramSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/// Writes meters as Prometheus' own writers do, to the byte, at a part of their cost: what does not change
/// between two scrapes, names and labels, is formatted once. Thread-safe.
final class MeterText {
    private final MeterRegistry registry;
    private volatile Written written = new Written(List.of(), List.of());

    /// The meters as they were when their families were formatted.
    private record Written(List<Meter> meters, List<MeterFamily> families) {
        @SuppressWarnings("ReferenceEquality") // another meter may have the same name
        boolean isOf(List<Meter> now) {
            if (now.size() != meters.size()) {
                return false;
            }
            for (int i = 0; i < now.size(); i++) {
                if (now.get(i) != meters.get(i)) {
                    return false;
                }
            }
            return true;
        }
    }

    /// @param registry names meters as Prometheus does; refuses meters of other types than those written here
    MeterText(MeterRegistry registry) {
        this.registry = registry;
        registry.config().onMeterAdded(MeterText::requireKnown);
    }

    private static void requireKnown(Meter meter) {
        switch (meter) {
            case Counter _, FunctionCounter _, Gauge _, Timer _, DistributionSummary _ -> {}
            default ->
                throw new IllegalArgumentException(
                        "meters of this type are not written: " + meter.getId().getType());
        }
    }

    /// All families, without what marks the end of a text in the format.
    String write(ExpositionFormat format) {
        var meters = registry.getMeters();
        var known = written;
        if (!known.isOf(meters)) {
            known = new Written(meters, families(meters));
            written = known;
        }
        var text = new StringBuilder(16 << 10);
        known.families.forEach(family -> family.write(text, format));
        return text.toString();
    }

    private List<MeterFamily> families(List<Meter> meters) {
        var byName = new TreeMap<String, MeterFamily.Builder>();
        for (var meter : meters) {
            var id = meter.getId();
            var naming = registry.config().namingConvention();
            var tags = id.getConventionTags(naming);
            var names = new Names(byName, id.getConventionName(naming), description(id), MeterLabels.of(tags));
            switch (meter) {
                case Counter counter -> names.total(counter::count);
                case FunctionCounter counter -> names.total(counter::count);
                case Gauge gauge -> names.gauge("", gauge::value);
                case Timer timer -> {
                    names.distribution(timer::takeSnapshot, true);
                    names.gauge("_max", () -> timer.max(TimeUnit.SECONDS));
                }
                case DistributionSummary summary -> {
                    names.distribution(summary::takeSnapshot, false);
                    names.gauge("_max", summary::max);
                }
                default -> throw new IllegalStateException("refused when it was registered");
            }
        }
        return byName.values().stream().map(MeterFamily.Builder::build).toList();
    }

    private static String description(Meter.Id id) {
        var description = id.getDescription();
        return description == null ? " " : description;
    }

    private record Names(TreeMap<String, MeterFamily.Builder> byName, String name, String help, MeterLabels labels) {
        private void add(String suffix, String type, MeterFamily.Sample sample) {
            byName.computeIfAbsent(name + suffix, family -> new MeterFamily.Builder(family, help, type))
                    .add(labels, sample);
        }

        void gauge(String suffix, DoubleSupplier value) {
            add(suffix, "gauge", new MeterFamily.Value(labels.after(name + suffix), value));
        }

        void total(DoubleSupplier value) {
            var family = name.endsWith("_total") ? name.substring(0, name.length() - "_total".length()) : name;
            byName.computeIfAbsent(family, base -> new MeterFamily.Builder(base, help, "counter"))
                    .add(labels, new MeterFamily.Value(labels.after(family + "_total"), value));
        }

        void distribution(Supplier<HistogramSnapshot> snapshot, boolean inSeconds) {
            var buckets = new ArrayList<String>();
            for (var bucket : snapshot.get().histogramCounts()) {
                double bound = inSeconds ? bucket.bucket(TimeUnit.SECONDS) : bucket.bucket();
                buckets.add(labels.with("le", MeterFamily.number(bound)).after(name + "_bucket"));
            }
            boolean histogram = !buckets.isEmpty();
            if (histogram) {
                buckets.add(labels.with("le", "+Inf").after(name + "_bucket"));
            }
            add(
                    "",
                    histogram ? "histogram" : "summary",
                    new MeterFamily.Distribution(
                            buckets, labels.after(name + "_count"), labels.after(name + "_sum"), snapshot, inSeconds));
        }
    }

    record MeterLabels(List<String> names, List<String> values) implements Comparable<MeterLabels> {
        static MeterLabels of(List<io.micrometer.core.instrument.Tag> tags) {
            var byName = tags.stream()
                    .collect(Collectors.toMap(
                            tag -> tag.getKey(), tag -> tag.getValue(), (_, later) -> later, TreeMap::new));
            return new MeterLabels(List.copyOf(byName.keySet()), List.copyOf(byName.values()));
        }

        /// These and a last one.
        MeterLabels with(String name, String value) {
            var allNames = new ArrayList<>(names);
            var allValues = new ArrayList<>(values);
            allNames.add(name);
            allValues.add(value);
            return new MeterLabels(allNames, allValues);
        }

        /// A line up to its value.
        String after(String name) {
            if (names.isEmpty()) {
                return name + " ";
            }
            var text = new StringBuilder(name).append('{');
            for (int i = 0; i < names.size(); i++) {
                text.append(i == 0 ? "" : ",")
                        .append(names.get(i))
                        .append("=\"")
                        .append(ExpositionFormat.escaped(values.get(i)))
                        .append('"');
            }
            return text.append("} ").toString();
        }

        @Override
        public int compareTo(MeterLabels other) {
            int byNames = compare(names, other.names);
            return byNames == 0 ? compare(values, other.values) : byNames;
        }

        private static int compare(List<String> these, List<String> others) {
            for (int i = 0; i < Math.min(these.size(), others.size()); i++) {
                int order = these.get(i).compareTo(others.get(i));
                if (order != 0) {
                    return order;
                }
            }
            return Integer.compare(these.size(), others.size());
        }
    }
}
