package org.restheart.core.metrics;

import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.restheart.core.observation.Observation;
import org.restheart.core.observation.Observer;
import org.restheart.http.Traffic;

/// Measures requests: a registry for each included template. Thread-safe; close it to end its thread.
final class RequestMetrics implements Observer, AutoCloseable {
    private final List<RequestRegistry> registries;
    private final List<PathGroup> excluded;
    private final ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("metrics").daemon().factory());

    private RequestMetrics(List<String> include, List<String> exclude) {
        this.registries = include.stream()
                .map(template -> new RequestRegistry(PathGroup.parse(template), System::nanoTime))
                .toList();
        this.excluded = exclude.stream().map(PathGroup::parse).toList();
    }

    /// Both are path templates.
    static RequestMetrics open(List<String> include, List<String> exclude) {
        var metrics = new RequestMetrics(include, exclude);
        var _ = metrics.ticker.scheduleAtFixedRate(
                () -> metrics.registries.forEach(RequestRegistry::tick),
                Series.TICK_SECONDS,
                Series.TICK_SECONDS,
                TimeUnit.SECONDS);
        return metrics;
    }

    List<MetricsRegistry> registries() {
        return List.copyOf(registries);
    }

    /// All registries together, and histograms, which the pages of the registries do not have.
    String scrape(ExpositionFormat format) {
        var text = new RequestText(format).withHistograms();
        registries.forEach(registry -> registry.addTo(text));
        return text.toString();
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
}
