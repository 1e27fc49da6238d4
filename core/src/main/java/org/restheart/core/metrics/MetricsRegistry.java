package org.restheart.core.metrics;

/// One page of metrics. Thread-safe.
public interface MetricsRegistry {
    /// What comes after the path of the metrics service; begins with `/`.
    String path();

    /// Text in the Prometheus exposition format 0.0.4.
    String scrape();
}
