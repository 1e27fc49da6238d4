package org.restheart.openapi;

import com.github.benmanes.caffeine.cache.Cache;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import org.restheart.mongo.description.Shapes;

/// The metrics of OpenAPI documents. Thread-safe.
record OpenApiMeters(MeterRegistry registry) {
    /// Registers the size of the cache of documents.
    ///
    /// @param cache bounded by the bytes of its values
    void observe(Cache<?, ?> cache) {
        Gauge.builder(
                        "openapi_cache_bytes",
                        cache,
                        documents -> documents
                                .policy()
                                .eviction()
                                .orElseThrow()
                                .weightedSize()
                                .orElse(0))
                .description("Memory that kept descriptions take")
                .register(registry);
    }

    void sampled(Shapes.Sample sample) {
        Counter.builder("openapi_samples")
                .description("Samples of collections")
                .tag("outcome", sample.outcome())
                .register(registry)
                .increment();
        Timer.builder("openapi_sample_seconds")
                .description("Duration of samples")
                .register(registry)
                .record(sample.time());
    }

    /// @param cached whether the document had been written for an earlier request
    void sent(boolean cached) {
        Counter.builder("openapi_documents")
                .description("Descriptions sent")
                .tag("cached", Boolean.toString(cached))
                .register(registry)
                .increment();
    }

    /// @param begun when the request was received, in [System#nanoTime()]
    void answered(long begun) {
        Timer.builder("openapi_seconds")
                .description("Time from request to description")
                .register(registry)
                .record(System.nanoTime() - begun, TimeUnit.NANOSECONDS);
    }
}
