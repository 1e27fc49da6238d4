package org.restheart.core.metrics;

/// One page of metrics. Thread-safe.
public interface MetricsRegistry {
    /// What comes after the path of the metrics service; begins with `/`.
    String path();

    /// The families of this page, without what marks the end of a text in the format.
    String scrape(ExpositionFormat format);
}
