package org.restheart.core.metrics;

import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.restheart.core.metrics.RequestRegistry.Series;
import org.restheart.core.observation.Observation;
import org.restheart.core.observation.Observer;
import org.restheart.http.RequestPath;
import org.restheart.http.Service.Traffic;

/// Measures requests: a registry for each included template. Thread-safe; close it to end its thread.
final class RequestMetrics implements Observer, AutoCloseable {
    private final List<RequestRegistry> registries;
    private final List<PathTemplate> excluded;
    private final ScheduledExecutorService ticker = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("metrics").daemon().factory());

    /// Both are path templates.
    RequestMetrics(List<String> include, List<String> exclude) {
        this.registries = include.stream()
                .map(template -> new RequestRegistry(PathTemplate.parse(template), System::nanoTime))
                .toList();
        this.excluded = exclude.stream().map(PathTemplate::parse).toList();
        var _ = ticker.scheduleAtFixedRate(
                () -> registries.forEach(RequestRegistry::tick),
                Series.TICK_SECONDS,
                Series.TICK_SECONDS,
                TimeUnit.SECONDS);
    }

    List<MetricsRegistry> registries() {
        return List.copyOf(registries);
    }

    /// All registries together, and histograms, which the pages of the registries do not have.
    String scrape(ExpositionFormat format) {
        var text = new RequestRegistry.RequestText(format).withHistograms();
        registries.forEach(registry -> registry.addTo(text::add));
        return text.toString();
    }

    /// The same as values.
    List<MetricSnapshot> snapshots() {
        var values = new RequestRegistry.RequestSnapshots();
        registries.forEach(registry -> registry.addTo(values::add));
        return values.families();
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

    /// A pattern of paths: `*` at its end stands for the rest, which may be empty, `{x}` for one segment.
    /// Immutable.
    record PathTemplate(String text, List<String> segments, boolean open, List<String> parameters) {
        static PathTemplate parse(String text) {
            var segments = new ArrayList<>(RequestPath.parse(text).segments());
            boolean open = !segments.isEmpty() && segments.getLast().equals("*");
            if (open) {
                segments.removeLast();
            }
            var parameters = segments.stream()
                    .filter(PathTemplate::isParameter)
                    .map(segment -> segment.substring(1, segment.length() - 1))
                    .toList();
            return new PathTemplate(text, List.copyOf(segments), open, parameters);
        }

        private static boolean isParameter(String segment) {
            return segment.length() > 2 && segment.startsWith("{") && segment.endsWith("}");
        }

        /// The values of the parameters, in their order; null if the path does not match.
        @Nullable
        List<String> match(List<String> path) {
            if (path.size() < segments.size() || (path.size() > segments.size() && !open)) {
                return null;
            }
            List<String> values = parameters.isEmpty() ? List.of() : new ArrayList<>(parameters.size());
            for (int i = 0; i < segments.size(); i++) {
                if (isParameter(segments.get(i))) {
                    values.add(path.get(i));
                } else if (!segments.get(i).equals(path.get(i))) {
                    return null;
                }
            }
            return values;
        }
    }
}
