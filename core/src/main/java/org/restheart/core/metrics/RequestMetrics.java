package org.restheart.core.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.Quantiles;
import io.prometheus.metrics.model.snapshots.SummarySnapshot;
import io.prometheus.metrics.model.snapshots.UnknownSnapshot;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.restheart.core.metrics.Metrics.ExpositionFormat;
import org.restheart.core.metrics.Metrics.MetricsRegistry;
import org.restheart.core.metrics.RequestMetrics.RequestRegistry.Series;
import org.restheart.core.observation.Observation;
import org.restheart.core.observation.Observer;
import org.restheart.http.Method;
import org.restheart.http.NamedOperation;
import org.restheart.http.RequestPath;
import org.restheart.http.Service.Traffic;
import org.restheart.http.trace.TraceScope.TraceSpan;

/// Measures requests: a registry for each included template. Thread-safe; close it to end its thread.
final class RequestMetrics implements Observer, AutoCloseable {
    private final List<RequestRegistry> registries;
    private final List<PathTemplate> excluded;
    private final ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("metrics").daemon().factory());

    RequestMetrics(List<String> include, List<String> exclude) {
        this.registries = include.stream()
                .map(template -> new RequestRegistry(PathTemplate.parse(template), System::nanoTime))
                .toList();
        this.excluded = exclude.stream().map(PathTemplate::parse).toList();
        var _ = ticker.scheduleAtFixedRate(
                () -> registries.forEach(RequestRegistry::tick),
                Series.TICK_SECONDS,
                Series.TICK_SECONDS,
                TimeUnit.SECONDS);
    }

    List<MetricsRegistry> registries() {
        return List.copyOf(registries);
    }

    /// All registries together, and histograms, which the pages of the registries do not have.
    String scrape(ExpositionFormat format) {
        var text = new RequestRegistry.RequestText(format).withHistograms();
        registries.forEach(registry -> registry.addTo(text::add));
        return text.toString();
    }

    List<MetricSnapshot> snapshots() {
        var values = new RequestRegistry.RequestSnapshots();
        registries.forEach(registry -> registry.addTo(values::add));
        return values.families();
    }

    @Override
    public void completed(Observation observation) {
        if (observation.request().attribute(Traffic.KEY).isPresent()) {
            return;
        }
        var segments = observation.request().path().segments();
        for (var template : excluded) {
            if (template.match(segments) != null) {
                return;
            }
        }
        for (var registry : registries) {
            registry.record(observation);
        }
    }

    @Override
    public void close() {
        ticker.shutdownNow();
    }

    /// A pattern of paths: `*` at its end stands for the rest, which may be empty, `{x}` for one segment.
    /// Immutable.
    record PathTemplate(String text, List<String> segments, boolean open, List<String> parameters) {
        static PathTemplate parse(String text) {
            var segments = new ArrayList<>(RequestPath.parse(text).segments());
            boolean open = !segments.isEmpty() && segments.getLast().equals("*");
            if (open) {
                segments.removeLast();
            }
            var parameters = segments.stream()
                    .filter(PathTemplate::isParameter)
                    .map(segment -> segment.substring(1, segment.length() - 1))
                    .toList();
            return new PathTemplate(text, List.copyOf(segments), open, parameters);
        }

        private static boolean isParameter(String segment) {
            return segment.length() > 2 && segment.startsWith("{") && segment.endsWith("}");
        }

        /// The values of the parameters, in their order; null if the path does not match.
        @Nullable
        List<String> match(List<String> path) {
            if (path.size() < segments.size() || (path.size() > segments.size() && !open)) {
                return null;
            }
            List<String> values = parameters.isEmpty() ? List.of() : new ArrayList<>(parameters.size());
            for (int i = 0; i < segments.size(); i++) {
                if (isParameter(segments.get(i))) {
                    values.add(path.get(i));
                } else if (!segments.get(i).equals(path.get(i))) {
                    return null;
                }
            }
            return values;
        }
    }

    /// The requests whose paths match one template, by method, status and the template's parameters.
    /// Thread-safe.
    static final class RequestRegistry implements MetricsRegistry {
        /// Label sets beyond that share one whose parameters are all [#OTHER]: paths are chosen by
        /// clients, so their number is bounded.
        private static final int MAX_SERIES = 1_000;

        /// Operations beyond that share [#OTHER], so that they do not use up the series of paths.
        private static final int MAX_OPERATIONS = 200;

        /// Characters of a parameter; longer ones are [#OTHER].
        private static final int MAX_LENGTH = 200;

        private static final String OTHER = "_other";
        private static final Optional<NamedOperation> OTHER_OPERATION = Optional.of(new NamedOperation(OTHER, OTHER));

        private final RequestMetrics.PathTemplate template;
        private final LongSupplier nanoTime;
        private final Map<Labels, Series> series = new ConcurrentHashMap<>();
        private final Set<NamedOperation> operations = ConcurrentHashMap.newKeySet();

        /// @param method of the known ones, else [#OTHER]
        record Labels(String method, int status, List<String> parameters, Optional<NamedOperation> operation) {}

        RequestRegistry(RequestMetrics.PathTemplate template, LongSupplier nanoTime) {
            this.template = template;
            this.nanoTime = nanoTime;
        }

        void record(Observation observation) {
            var request = observation.request();
            var parameters = template.match(request.path().segments());
            if (parameters != null) {
                series(new Labels(
                                method(observation),
                                observation.status(),
                                parameters.stream()
                                        .map(text -> text.length() > MAX_LENGTH ? OTHER : value(text))
                                        .toList(),
                                bounded(observation.operation())))
                        .record(observation.nanos(), trace(observation));
            }
        }

        /// The id of the request's trace, unless that is known not to be recorded.
        private static Optional<String> trace(Observation observation) {
            var span = observation.request().attribute(TraceSpan.KEY);
            return span.isPresent() && !span.get().isSampled() ? Optional.empty() : observation.traceId();
        }

        /// Clients may send any word.
        private static String method(Observation observation) {
            return Method.of(observation.method()).map(Method::name).orElse(OTHER);
        }

        private Optional<NamedOperation> bounded(Optional<NamedOperation> asked) {
            if (asked.isEmpty() || operations.contains(asked.get())) {
                return asked;
            }
            return operations.size() < MAX_OPERATIONS && operations.add(asked.get()) ? asked : OTHER_OPERATION;
        }

        private Series series(Labels labels) {
            var known = series.get(labels);
            if (known != null) {
                return known;
            }
            var bounded = series.size() < MAX_SERIES
                    ? labels
                    : new Labels(
                            labels.method,
                            labels.status,
                            labels.parameters.stream().map(_ -> OTHER).toList(),
                            labels.operation.flatMap(_ -> OTHER_OPERATION));
            return series.computeIfAbsent(bounded, _ -> new Series(labels(template, bounded), nanoTime));
        }

        void tick() {
            series.values().forEach(Series::tick);
        }

        @Override
        public String path() {
            return template.text();
        }

        @Override
        public String scrape(ExpositionFormat format) {
            var text = new RequestText(format);
            addTo(text::add);
            return text.toString();
        }

        void addTo(Consumer<Series> format) {
            series.values().stream()
                    .sorted(Comparator.comparing(Series::labels))
                    .forEach(format);
        }

        /// Names and values of what the samples of a series have in common.
        private static Map<String, String> labels(RequestMetrics.PathTemplate template, Labels labels) {
            var all = new LinkedHashMap<String, String>();
            label(all, "request_method", labels.method());
            label(all, "path_template", template.text());
            label(all, "response_status_code", Integer.toString(labels.status()));
            for (int i = 0; i < labels.parameters().size(); i++) {
                label(
                        all,
                        "path_template_param_" + template.parameters().get(i),
                        labels.parameters().get(i));
            }
            labels.operation().ifPresent(operation -> {
                label(all, "query", operation.fields());
                label(all, "operation", operation.name());
            });
            return all;
        }

        private static void label(Map<String, String> to, String name, String value) {
            to.put(name.replaceAll("[^A-Za-z0-9_]", "_"), value(value));
        }

        /// Texts that differ in this alone have one series: no two may have the same labels.
        private static String value(String text) {
            return text.replace('.', '_');
        }

        private static final String DURATION = "http_requests_duration";
        private static final String DURATION_HELP = "HTTP request duration and rate";
        private static final String RATE = "http_requests_rate";
        private static final String RATE_HELP = "HTTP requests per second";
        private static final String COUNT = "http_requests_count";
        private static final String COUNT_HELP = "HTTP requests since start";
        private static final String HISTOGRAM = "http_request_duration_seconds";
        private static final String HISTOGRAM_HELP = "HTTP request duration in seconds";
        private static final double[] SHARES = {0.5, 0.75, 0.95, 0.98, 0.99, 0.999};

        /// Request metrics as values, each family with its samples. Confined to one collection.
        static final class RequestSnapshots {
            private final SummarySnapshot.Builder durations =
                    SummarySnapshot.builder().name(DURATION).help(DURATION_HELP);
            private final UnknownSnapshot.Builder rates =
                    UnknownSnapshot.builder().name(RATE).help(RATE_HELP);
            private final UnknownSnapshot.Builder counts =
                    UnknownSnapshot.builder().name(COUNT).help(COUNT_HELP);
            private final HistogramSnapshot.Builder histograms =
                    HistogramSnapshot.builder().name(HISTOGRAM).help(HISTOGRAM_HELP);

            void add(Series series) {
                var labels = series.names();
                var quantiles = Quantiles.builder();
                var values = series.quantiles(SHARES);
                for (int i = 0; i < SHARES.length; i++) {
                    quantiles.quantile(SHARES[i], values[i]);
                }
                durations.dataPoint(SummarySnapshot.SummaryDataPointSnapshot.builder()
                        .labels(labels)
                        .count((long) series.count())
                        .sum(series.seconds())
                        .quantiles(quantiles.build())
                        .build());
                for (var rate : series.rates()) {
                    rates.dataPoint(number(labels.add("period", rate.period()), rate.perSecond()));
                }
                rates.dataPoint(number(labels.add("period", "overall"), series.overall()));
                counts.dataPoint(number(labels, series.count()));
                var buckets = ClassicHistogramBuckets.builder();
                long below = 0;
                for (var bucket : series.buckets()) {
                    buckets.bucket(bucket.bound(), bucket.count() - below);
                    below = bucket.count();
                }
                histograms.dataPoint(HistogramSnapshot.HistogramDataPointSnapshot.builder()
                        .labels(labels)
                        .sum(series.seconds())
                        .classicHistogramBuckets(buckets.build())
                        .build());
            }

            private static UnknownSnapshot.UnknownDataPointSnapshot number(
                    io.prometheus.metrics.model.snapshots.Labels labels, double value) {
                return UnknownSnapshot.UnknownDataPointSnapshot.builder()
                        .labels(labels)
                        .value(value)
                        .build();
            }

            List<MetricSnapshot> families() {
                return List.of(durations.build(), rates.build(), counts.build(), histograms.build());
            }
        }

        /// Writes request metrics: one family after the other, each with its samples together. Confined
        /// to one scrape.
        static final class RequestText {
            private final ExpositionFormat format;
            private final StringBuilder durations = new StringBuilder();
            private final StringBuilder rates = new StringBuilder();
            private final StringBuilder counts = new StringBuilder();
            private final StringBuilder buckets = new StringBuilder();
            private boolean histograms;

            RequestText(ExpositionFormat format) {
                this.format = format;
            }

            RequestText withHistograms() {
                histograms = true;
                return this;
            }

            void add(Series series) {
                var common = series.labels();
                var quantiles = series.quantiles(SHARES);
                for (int i = 0; i < SHARES.length; i++) {
                    sample(durations, DURATION, common + "quantile=\"" + SHARES[i] + "\",", quantiles[i]);
                }
                sample(durations, DURATION + "_sum", common, series.seconds());
                sample(durations, DURATION + "_count", common, series.count());
                for (var rate : series.rates()) {
                    sample(rates, RATE, common + "period=\"" + rate.period() + "\",", rate.perSecond());
                }
                sample(rates, RATE, common + "period=\"overall\",", series.overall());
                sample(counts, COUNT, common, series.count());
                if (histograms) {
                    histogram(common, series);
                }
            }

            private void histogram(String common, Series series) {
                double count = 0;
                for (var bucket : series.buckets()) {
                    sample(buckets, HISTOGRAM + "_bucket", common + "le=\"" + bound(bucket) + "\",", (double)
                            bucket.count());
                    if (format == ExpositionFormat.OPEN_METRICS) {
                        bucket.exemplar().ifPresent(this::exemplar);
                    }
                    count = bucket.count();
                }
                sample(buckets, HISTOGRAM + "_sum", common, series.seconds());
                sample(buckets, HISTOGRAM + "_count", common, count);
            }

            private static String bound(Series.DurationBuckets.Bucket bucket) {
                return Double.isInfinite(bucket.bound()) ? "+Inf" : Double.toString(bucket.bound());
            }

            /// Goes to the end of the line of its bucket.
            private void exemplar(Series.DurationBuckets.Exemplar exemplar) {
                buckets.setLength(buckets.length() - 1);
                buckets.append(" # {trace_id=\"").append(exemplar.trace()).append("\"} ");
                buckets.append(exemplar.seconds())
                        .append(' ')
                        .append(BigDecimal.valueOf(Math.round(exemplar.at() * 1e3), 3));
                buckets.append('\n');
            }

            /// The labels as text, each with a comma behind it.
            static String labels(Map<String, String> labels) {
                var text = new StringBuilder();
                labels.forEach((name, value) -> text.append(name)
                        .append("=\"")
                        .append(ExpositionFormat.escaped(value))
                        .append("\","));
                return text.toString();
            }

            private void sample(StringBuilder to, String name, String labels, double value) {
                to.append(name)
                        .append('{')
                        .append(format.closed(labels))
                        .append("} ")
                        .append(value)
                        .append('\n');
            }

            @Override
            public String toString() {
                if (counts.isEmpty()) {
                    return "";
                }
                var text = new StringBuilder();
                text.append(format.family(DURATION, DURATION_HELP, "summary"));
                text.append(durations);
                text.append(format.family(RATE, RATE_HELP, "untyped")).append(rates);
                text.append(format.family(COUNT, COUNT_HELP, "untyped")).append(counts);
                if (histograms) {
                    text.append(format.family(HISTOGRAM, HISTOGRAM_HELP, "histogram"))
                            .append(buckets);
                }
                return text.toString();
            }
        }

        /// The requests of one set of labels. Recording takes no lock. Thread-safe.
        static final class Series {
            /// How often [#tick()] is to be called.
            static final int TICK_SECONDS = 5;

            private final String labels;
            private final io.prometheus.metrics.model.snapshots.Labels names;
            private final LongAdder count = new LongAdder();
            private final LongAdder nanos = new LongAdder();
            private final DecayingHistogram durations = new DecayingHistogram();
            private final DurationBuckets buckets = new DurationBuckets();
            private final List<MovingRate> rates = List.of(new MovingRate(15), new MovingRate(5), new MovingRate(1));
            private final LongSupplier nanoTime;
            private final long began;
            private long countAtTick;

            Series(Map<String, String> labels, LongSupplier nanoTime) {
                this.labels = RequestText.labels(labels);
                this.names = io.prometheus.metrics.model.snapshots.Labels.of(
                        List.copyOf(labels.keySet()), List.copyOf(labels.values()));
                this.nanoTime = nanoTime;
                this.began = nanoTime.getAsLong();
            }

            void record(long durationNanos, Optional<String> trace) {
                count.increment();
                nanos.add(durationNanos);
                durations.record(TimeUnit.NANOSECONDS.toMicros(durationNanos));
                buckets.record(durationNanos / 1e9, trace);
            }

            /// To be called by one thread.
            void tick() {
                long now = count.sum();
                long events = now - countAtTick;
                countAtTick = now;
                rates.forEach(rate -> rate.tick(events));
                durations.fade(TICK_SECONDS);
            }

            /// As the Prometheus text format has them, each with a comma behind it.
            String labels() {
                return labels;
            }

            io.prometheus.metrics.model.snapshots.Labels names() {
                return names;
            }

            double count() {
                return count.sum();
            }

            double seconds() {
                return nanos.sum() / 1e9;
            }

            /// In seconds.
            double[] quantiles(double[] shares) {
                var values = durations.quantiles(shares);
                for (int i = 0; i < values.length; i++) {
                    values[i] /= 1e6;
                }
                return values;
            }

            DurationBuckets.Bucket[] buckets() {
                return buckets.cumulative();
            }

            List<MovingRate> rates() {
                return rates;
            }

            /// Since the first request.
            double overall() {
                double seconds = (nanoTime.getAsLong() - began) / 1e9;
                return seconds > 0 ? count() / seconds : 0;
            }

            /// Events per second, averaged with exponentially fading weights, as the load average of
            /// Unix is. Ticked by one thread, read by any.
            static final class MovingRate {
                private final int minutes;
                private final double weight;
                private volatile double perSecond = Double.NaN;

                MovingRate(int minutes) {
                    this.minutes = minutes;
                    this.weight = 1 - Math.exp(-Series.TICK_SECONDS / 60.0 / minutes);
                }

                String period() {
                    return minutes + (minutes == 1 ? " minute" : " minutes");
                }

                void tick(long events) {
                    double now = (double) events / Series.TICK_SECONDS;
                    perSecond = Double.isNaN(perSecond) ? now : perSecond + weight * (now - perSecond);
                }

                /// Zero before the first tick.
                double perSecond() {
                    return Double.isNaN(perSecond) ? 0 : perSecond;
                }
            }

            /// Durations counted in the buckets of a Prometheus histogram, which can be added up over
            /// servers, unlike quantiles. Each bucket keeps the last request that had a trace, as
            /// exemplar. Thread-safe.
            static final class DurationBuckets {
                /// Upper bounds in seconds, inclusive; a last bucket has no bound.
                private static final double[] BOUNDS = {
                    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10
                };

                private final LongAdder[] counts = new LongAdder[BOUNDS.length + 1];
                private final AtomicReferenceArray<@Nullable Exemplar> exemplars =
                        new AtomicReferenceArray<>(BOUNDS.length + 1);

                /// @param at seconds since 1970
                record Exemplar(String trace, double seconds, double at) {}

                /// @param bound infinite in the last one
                /// @param count of requests that took at most this long
                record Bucket(double bound, long count, Optional<Exemplar> exemplar) {}

                DurationBuckets() {
                    for (int i = 0; i < counts.length; i++) {
                        counts[i] = new LongAdder();
                    }
                }

                void record(double seconds, Optional<String> trace) {
                    int bucket = 0;
                    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]) {
                        bucket++;
                    }
                    counts[bucket].increment();
                    if (trace.isPresent()) {
                        exemplars.setPlain(
                                bucket, new Exemplar(trace.get(), seconds, System.currentTimeMillis() / 1e3));
                    }
                }

                /// Cumulative, ascending; the last one is that without a bound.
                Bucket[] cumulative() {
                    var buckets = new Bucket[counts.length];
                    long total = 0;
                    for (int i = 0; i < buckets.length; i++) {
                        total += counts[i].sum();
                        double bound = i < BOUNDS.length ? BOUNDS[i] : Double.POSITIVE_INFINITY;
                        buckets[i] = new Bucket(bound, total, Optional.ofNullable(exemplars.get(i)));
                    }
                    return buckets;
                }
            }
        }

        /// The distribution of recent durations: old ones fade, by half every 46 seconds, so that after
        /// five minutes they hardly count. Recording is one atomic addition; values are kept to within 2
        /// percent. Thread-safe.
        static final class DecayingHistogram {
            /// Buckets per doubling.
            private static final int STEPS = 32;
            private static final int STEP_BITS = 5;

            /// In microseconds; longer ones count as this long, which is 12 days.
            private static final long MAX_MICROS = 1L << 40;
            private static final int BUCKETS = index(MAX_MICROS) + 1;

            /// The weight of a new value, large enough to decay slowly in integers.
            private static final long WEIGHT = 1L << 20;
            private static final double FADING_PER_SECOND = 0.015;

            private final AtomicLongArray weights = new AtomicLongArray(BUCKETS);

            void record(long micros) {
                weights.getAndAdd(index(Math.clamp(micros, 0, MAX_MICROS)), WEIGHT);
            }

            /// Exact below 64, then 32 buckets per doubling.
            private static int index(long micros) {
                int shift = Math.max(0, Long.SIZE - 1 - Long.numberOfLeadingZeros(micros | 1) - STEP_BITS);
                return shift * STEPS + (int) (micros >>> shift);
            }

            private static double middle(int index) {
                int shift = Math.max(0, index / STEPS - 1);
                long low = (long) (index - shift * STEPS) << shift;
                return low + ((1L << shift) - 1) / 2.0;
            }

            void fade(double seconds) {
                double factor = Math.exp(-FADING_PER_SECOND * seconds);
                for (int i = 0; i < BUCKETS; i++) {
                    if (weights.get(i) > 0) {
                        weights.getAndUpdate(i, weight -> (long) (weight * factor));
                    }
                }
            }

            /// The values below which the given shares of all durations lie, in microseconds; zeros if
            /// there are none.
            ///
            /// @param shares from 0 to 1, ascending
            double[] quantiles(double[] shares) {
                var snapshot = new long[BUCKETS];
                long total = 0;
                for (int i = 0; i < BUCKETS; i++) {
                    snapshot[i] = weights.get(i);
                    total += snapshot[i];
                }
                var values = new double[shares.length];
                int bucket = -1;
                long below = 0;
                for (int s = 0; s < shares.length && total > 0; s++) {
                    while (bucket < BUCKETS - 1 && (below < shares[s] * total || bucket < 0)) {
                        below += snapshot[++bucket];
                    }
                    values[s] = middle(bucket);
                }
                return values;
            }
        }
    }
}
