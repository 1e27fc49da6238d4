package org.restheart.core.metrics;

import java.math.BigDecimal;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.restheart.core.observation.Observation;
import org.restheart.http.Method;
import org.restheart.http.NamedOperation;
import org.restheart.http.Request;
import org.restheart.http.trace.TraceScope.TraceSpan;

/// The requests whose paths match one template, by method, status and the template's parameters. Thread-safe.
final class RequestRegistry implements MetricsRegistry {
    /// Label sets beyond that share one whose parameters are all [#OTHER]: paths are chosen by clients, so their
    /// number is bounded.
    private static final int MAX_SERIES = 1_000;

    /// Operations beyond that share [#OTHER], so that they do not use up the series of paths.
    private static final int MAX_OPERATIONS = 200;

    /// Characters of a parameter; longer ones are [#OTHER].
    private static final int MAX_LENGTH = 200;

    private static final Pattern TRACE_PARENT =
            Pattern.compile("[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}(?:-.*)?");

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
                                    .map(text -> text.length() > MAX_LENGTH ? OTHER : text)
                                    .toList(),
                            bounded(observation.operation())))
                    .record(observation.nanos(), trace(request));
        }
    }

    /// The id of the request's trace if that is recorded, here or, as its caller says, elsewhere.
    private static Optional<String> trace(Request request) {
        var span = request.attribute(TraceSpan.KEY);
        if (span.isPresent()) {
            return span.filter(TraceSpan::isSampled).map(TraceSpan::traceId);
        }
        return request.headers()
                .first("traceparent")
                .map(TRACE_PARENT::matcher)
                .filter(Matcher::matches)
                .map(parts -> parts.group(1));
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
        return series.computeIfAbsent(bounded, _ -> new Series(RequestText.labels(template, bounded), nanoTime));
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
        addTo(text);
        return text.toString();
    }

    void addTo(RequestText text) {
        series.values().stream().sorted(Comparator.comparing(Series::labels)).forEach(text::add);
    }

    /// Writes request metrics: one family after the other, each with its samples together. Confined to one scrape.
    static final class RequestText {
        private static final String DURATION = "http_requests_duration";
        private static final String RATE = "http_requests_rate";
        private static final String COUNT = "http_requests_count";
        private static final String HISTOGRAM = "http_request_duration_seconds";
        private static final double[] SHARES = {0.5, 0.75, 0.95, 0.98, 0.99, 0.999};

        private final ExpositionFormat format;
        private final StringBuilder durations = new StringBuilder();
        private final StringBuilder rates = new StringBuilder();
        private final StringBuilder counts = new StringBuilder();
        private final StringBuilder buckets = new StringBuilder();
        private boolean histograms;

        RequestText(ExpositionFormat format) {
            this.format = format;
        }

        /// Also writes the durations as histograms.
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
                sample(buckets, HISTOGRAM + "_bucket", common + "le=\"" + bucket.bound() + "\",", (double)
                        bucket.count());
                if (format == ExpositionFormat.OPEN_METRICS) {
                    bucket.exemplar().ifPresent(this::exemplar);
                }
                count = bucket.count();
            }
            sample(buckets, HISTOGRAM + "_sum", common, series.seconds());
            sample(buckets, HISTOGRAM + "_count", common, count);
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

        /// What the samples of a series have in common.
        static String labels(RequestMetrics.PathTemplate template, Labels labels) {
            var text = new StringBuilder();
            label(text, "request_method", labels.method());
            label(text, "path_template", template.text());
            label(text, "response_status_code", Integer.toString(labels.status()));
            for (int i = 0; i < labels.parameters().size(); i++) {
                label(
                        text,
                        "path_template_param_" + template.parameters().get(i),
                        labels.parameters().get(i));
            }
            labels.operation().ifPresent(operation -> {
                label(text, "query", operation.fields());
                label(text, "operation", operation.name());
            });
            return text.toString();
        }

        private static void label(StringBuilder to, String name, String value) {
            to.append(name.replaceAll("[^A-Za-z0-9_]", "_"))
                    .append("=\"")
                    .append(ExpositionFormat.escaped(value.replace('.', '_')))
                    .append("\",");
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
            text.append(format.family(DURATION, "HTTP request duration and rate", "summary"));
            text.append(durations);
            text.append(format.family(RATE, "HTTP requests per second", "untyped"))
                    .append(rates);
            text.append(format.family(COUNT, "HTTP requests since start", "untyped"))
                    .append(counts);
            if (histograms) {
                text.append(format.family(HISTOGRAM, "HTTP request duration in seconds", "histogram"))
                        .append(buckets);
            }
            return text.toString();
        }
    }
}
