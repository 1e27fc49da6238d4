package org.restheart.core.metrics;

import java.math.BigDecimal;
import org.restheart.core.metrics.RequestRegistry.Labels;

/// Writes request metrics: one family after the other, each with its samples together. Confined to one scrape.
final class RequestText {
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
        sample(rates, RATE, common + "period=\"15 minutes\",", series.perFifteenMinutes());
        sample(rates, RATE, common + "period=\"5 minutes\",", series.perFiveMinutes());
        sample(rates, RATE, common + "period=\"1 minute\",", series.perOneMinute());
        sample(rates, RATE, common + "period=\"overall\",", series.overall());
        sample(counts, COUNT, common, series.count());
        if (histograms) {
            histogram(common, series);
        }
    }

    private void histogram(String common, Series series) {
        double count = 0;
        for (var bucket : series.buckets()) {
            sample(buckets, HISTOGRAM + "_bucket", common + "le=\"" + bucket.bound() + "\",", (double) bucket.count());
            if (format == ExpositionFormat.OPEN_METRICS) {
                bucket.exemplar().ifPresent(this::exemplar);
            }
            count = bucket.count();
        }
        sample(buckets, HISTOGRAM + "_sum", common, series.seconds());
        sample(buckets, HISTOGRAM + "_count", common, count);
    }

    /// Goes to the end of the line of its bucket.
    private void exemplar(DurationBuckets.Exemplar exemplar) {
        buckets.setLength(buckets.length() - 1);
        buckets.append(" # {trace_id=\"").append(exemplar.trace()).append("\"} ");
        buckets.append(exemplar.seconds()).append(' ').append(BigDecimal.valueOf(Math.round(exemplar.at() * 1e3), 3));
        buckets.append('\n');
    }

    /// What the samples of a series have in common.
    static String labels(PathGroup template, Labels labels) {
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
        text.append(format.family(RATE, "HTTP requests per second", "untyped")).append(rates);
        text.append(format.family(COUNT, "HTTP requests since start", "untyped"))
                .append(counts);
        if (histograms) {
            text.append(format.family(HISTOGRAM, "HTTP request duration in seconds", "histogram"))
                    .append(buckets);
        }
        return text.toString();
    }
}
