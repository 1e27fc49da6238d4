package org.restheart.core.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/// A page of meters that parts of the gateway register with Micrometer. Thread-safe.
final class MeteredRegistry implements MetricsRegistry, AutoCloseable {
    private final String path;
    private final PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final MeterText text = new MeterText(meters);

    /// @param path begins with `/`
    MeteredRegistry(String path) {
        this.path = path;
    }

    MeterRegistry meters() {
        return meters;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public String scrape(ExpositionFormat format) {
        return text.write(format);
    }

    @Override
    public void close() {
        meters.close();
    }
}
