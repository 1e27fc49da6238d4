package org.restheart.core.metrics;

/// The Prometheus exposition format, version 0.0.4.
public final class PrometheusText {
    public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

    private PrometheusText() {}

    /// The header lines of the samples of one name.
    static String family(String name, String help, String type) {
        return "# HELP " + name + " " + help + "\n# TYPE " + name + " " + type + "\n";
    }

    /// The value of a label, fit for double quotes.
    static String escaped(String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
