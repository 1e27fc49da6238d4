package org.restheart.core.metrics;

/// A text format in which metrics are scraped.
public enum ExpositionFormat {
    /// The Prometheus text format, version 0.0.4.
    PROMETHEUS("text/plain; version=0.0.4; charset=utf-8"),
    /// OpenMetrics 1.0, the only one with exemplars. Its end has to be marked by [#END].
    OPEN_METRICS("application/openmetrics-text; version=1.0.0; charset=utf-8");

    static final String END = "# EOF\n";

    private final String contentType;

    ExpositionFormat(String contentType) {
        this.contentType = contentType;
    }

    public String contentType() {
        return contentType;
    }

    /// The header lines of a family.
    ///
    /// @param name of its samples, such as `process_cpu_seconds_total`
    /// @param type as the Prometheus text format calls it
    String family(String name, String help, String type) {
        var family = name;
        var called = type;
        if (this == OPEN_METRICS) {
            called = type.equals("untyped") ? "unknown" : type;
            family = type.equals("counter") ? name.replaceFirst("_total$", "") : name;
        }
        return "# HELP " + family + " " + help + "\n# TYPE " + family + " " + called + "\n";
    }

    /// What ends a list of labels. Prometheus accepts a comma after the last label, on which clients of the text format
    /// may rely; OpenMetrics has none there.
    String closed(String labels) {
        return this == OPEN_METRICS && labels.endsWith(",") ? labels.substring(0, labels.length() - 1) : labels;
    }

    /// The value of a label, fit for double quotes.
    static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
