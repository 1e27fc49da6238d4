package org.restheart.core.metrics;

import org.restheart.core.metrics.RequestRegistry.Labels;

/// Writes request metrics as Prometheus text: one family after the other, each with its samples together.
final class RequestText {
    private static final String DURATION = "http_requests_duration";
    private static final double[] SHARES = {0.5, 0.75, 0.95, 0.98, 0.99, 0.999};

    private final PathGroup template;
    private final StringBuilder durations = new StringBuilder();
    private final StringBuilder rates = new StringBuilder();
    private final StringBuilder counts = new StringBuilder();

    RequestText(PathGroup template) {
        this.template = template;
    }

    void add(Labels labels, Series series) {
        var common = common(labels);
        var quantiles = series.quantiles(SHARES);
        for (int i = 0; i < SHARES.length; i++) {
            sample(durations, DURATION, common + "quantile=\"" + SHARES[i] + "\",", quantiles[i]);
        }
        sample(durations, DURATION + "_sum", common, series.seconds());
        sample(durations, DURATION + "_count", common, series.count());
        sample(rates, "http_requests_rate", common + "period=\"15 minutes\",", series.perFifteenMinutes());
        sample(rates, "http_requests_rate", common + "period=\"5 minutes\",", series.perFiveMinutes());
        sample(rates, "http_requests_rate", common + "period=\"1 minute\",", series.perOneMinute());
        sample(rates, "http_requests_rate", common + "period=\"overall\",", series.overall());
        sample(counts, "http_requests_count", common, series.count());
    }

    private String common(Labels labels) {
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
                .append(PrometheusText.escaped(value.replace('.', '_')))
                .append("\",");
    }

    private static void sample(StringBuilder to, String name, String labels, double value) {
        to.append(name).append('{').append(labels).append("} ").append(value).append('\n');
    }

    @Override
    public String toString() {
        if (counts.isEmpty()) {
            return "";
        }
        return PrometheusText.family(DURATION, "HTTP request duration and rate", "summary")
                + durations
                + PrometheusText.family("http_requests_rate", "HTTP requests per second", "untyped")
                + rates
                + PrometheusText.family("http_requests_count", "HTTP requests since start", "untyped")
                + counts;
    }
}
