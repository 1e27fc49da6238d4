package org.restheart.core.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.restheart.core.config.MetricsConfig;
import org.restheart.core.filter.RateLimits;
import org.restheart.core.observation.Observation;
import org.restheart.core.observation.Observer;
import org.restheart.core.server.ServerLoad;
import org.restheart.core.tracing.Tracing;
import org.restheart.http.CacheMeter;
import org.restheart.http.ComputeLimit;
import org.restheart.http.Traffic;

/// All registries of this gateway. Thread-safe.
public final class Metrics implements AutoCloseable {
    private final Optional<RequestMetrics> requests;
    private final boolean jvm;
    private final ProcessRegistry process;
    private final MeteredRegistry mongoPool = new MeteredRegistry("/mongo-pool");
    private final MeteredRegistry coalescing = new MeteredRegistry("/coalescing");
    private final MeteredRegistry dataApi = new MeteredRegistry("/data-api");
    private final MeteredRegistry openApi = new MeteredRegistry("/openapi");
    private final MeteredRegistry mcp = new MeteredRegistry("/mcp");
    private final MeteredRegistry streams = new MeteredRegistry("/streams");
    private final MeteredRegistry gateway = new MeteredRegistry("/gateway");
    private final MeteredRegistry caches = new MeteredRegistry("/caches");

    /// Meters refer to them weakly.
    private final List<CacheMeter> watched = new ArrayList<>();

    private Metrics(MetricsConfig config, String version, String buildTime) {
        this.requests = config.requests()
                ? Optional.of(RequestMetrics.open(config.include(), config.exclude()))
                : Optional.empty();
        this.jvm = config.jvm();
        this.process = new ProcessRegistry(version, buildTime);
    }

    /// @param version of this build
    /// @param buildTime ISO 8601
    public static Metrics open(MetricsConfig config, String version, String buildTime) {
        return new Metrics(config, version, buildTime);
    }

    /// The observers of requests.
    public List<Observer> observers() {
        var other = new OtherTraffic(gateway.meters());
        return requests.<List<Observer>>map(measured -> List.of(measured, other))
                .orElse(List.of(other));
    }

    /// Where the connection pool of MongoDB's driver registers its meters.
    public MeterRegistry mongoPool() {
        return mongoPool.meters();
    }

    /// Where coalescing registers its meters.
    public MeterRegistry coalescing() {
        return coalescing.meters();
    }

    /// Where change streams register their meters.
    public MeterRegistry streams() {
        return streams.meters();
    }

    /// Where the Atlas Data API registers its meters.
    public MeterRegistry dataApi() {
        return dataApi.meters();
    }

    /// Where the OpenAPI service registers its meters.
    public MeterRegistry openApi() {
        return openApi.meters();
    }

    /// Where the Model Context Protocol registers its meters.
    public MeterRegistry mcp() {
        return mcp.meters();
    }

    /// Shows the server's load as registry `/gateway`.
    public void watch(ServerLoad load) {
        var meters = gateway.meters();
        Gauge.builder("gateway_requests_in_flight", load, ServerLoad::inFlight)
                .description("Requests that have arrived and are not answered yet")
                .register(meters);
        Gauge.builder("gateway_requests_in_flight_max", load, ServerLoad::limit)
                .description("Requests in flight beyond which further ones are refused")
                .register(meters);
        Gauge.builder("gateway_connections", load, ServerLoad::connections)
                .description("Connections of clients that are open")
                .register(meters);
        FunctionCounter.builder("gateway_connections_refused", load, ServerLoad::refusedConnections)
                .description("Connections closed at once because there were too many, of all clients or of one address")
                .register(meters);
        FunctionCounter.builder("gateway_requests_rejected", load, ServerLoad::rejected)
                .description("Requests refused with 503 because too many were in flight or the server was stopping")
                .register(meters);
        FunctionCounter.builder("gateway_computations_refused", ComputeLimit.SHARED, ComputeLimit::refused)
                .description("Requests refused with 503 because others were computed")
                .register(meters);
    }

    /// Shows what became of spans: those that were recorded and neither sent nor lost wait, or were dropped
    /// because too many waited.
    public void watch(Tracing tracing) {
        spans("recorded", tracing, Tracing::recorded);
        spans("sent", tracing, Tracing::sent);
        spans("lost", tracing, Tracing::lost);
    }

    private void spans(String outcome, Tracing tracing, ToDoubleFunction<Tracing> count) {
        FunctionCounter.builder("gateway_spans", tracing, count)
                .description("Spans of traces: recorded, sent to the collector, lost because that did not take them")
                .tag("outcome", outcome)
                .register(gateway.meters());
    }

    /// Shows how many requests were refused by rate limits.
    public void watch(RateLimits limits) {
        refused("address", limits, RateLimits::refusedByAddress);
        refused("account", limits, RateLimits::refusedByAccount);
    }

    private void refused(String by, RateLimits limits, ToDoubleFunction<RateLimits> count) {
        FunctionCounter.builder("gateway_rate_limited", limits, count)
                .description("Requests refused with 429 by a rate limit")
                .tag("by", by)
                .register(gateway.meters());
    }

    /// Shows what a cache does as part of the registry `/caches`. To be called before the first scrape.
    public void watch(CacheMeter cache) {
        watched.add(cache);
        Gauge.builder("cache_entries", cache, CacheMeter::entries)
                .description("Values in a cache")
                .tag("cache", cache.name())
                .register(caches.meters());
        count("cache_hits", "Values found in a cache", cache, CacheMeter::hits);
        count("cache_misses", "Values that were not in a cache and had to be made or read", cache, CacheMeter::misses);
        count("cache_evictions", "Values removed as too many or too old", cache, CacheMeter::evictions);
    }

    private void count(String name, String description, CacheMeter cache, ToDoubleFunction<CacheMeter> count) {
        FunctionCounter.builder(name, cache, count)
                .description(description)
                .tag("cache", cache.name())
                .register(caches.meters());
    }

    /// What [org.restheart.core.service.MetricsService] serves.
    public List<MetricsRegistry> registries() {
        var all = new ArrayList<MetricsRegistry>();
        requests.ifPresent(metrics -> all.addAll(metrics.registries()));
        all.addAll(ofParts());
        return all;
    }

    private List<MetricsRegistry> ofParts() {
        var parts = new ArrayList<MetricsRegistry>();
        if (jvm) {
            parts.add(new JvmRegistry());
        }
        parts.addAll(List.of(process, gateway, caches, mongoPool, coalescing, streams, dataApi, openApi, mcp));
        return parts;
    }

    /// All registries in one text; no family is in it twice.
    public String scrape(ExpositionFormat format) {
        var text = new StringBuilder();
        requests.ifPresent(metrics -> text.append(metrics.scrape(format)));
        ofParts().forEach(registry -> text.append(registry.scrape(format)));
        if (format == ExpositionFormat.OPEN_METRICS) {
            text.append(ExpositionFormat.END);
        }
        return text.toString();
    }

    @Override
    public void close() {
        requests.ifPresent(RequestMetrics::close);
        gateway.close();
        caches.close();
        mongoPool.close();
        coalescing.close();
        dataApi.close();
        openApi.close();
        mcp.close();
        streams.close();
    }

    /// Measures requests for files and of proxies, which are not those of the API. Thread-safe.
    private static final class OtherTraffic implements Observer {
        private final MeterRegistry meters;
        private final Map<Labels, Timer> timers = new ConcurrentHashMap<>();

        private record Labels(Traffic kind, String method, int status) {}

        OtherTraffic(MeterRegistry meters) {
            this.meters = meters;
        }

        @Override
        public void completed(Observation observation) {
            observation
                    .request()
                    .attribute(Traffic.KEY)
                    .ifPresent(kind -> timers.computeIfAbsent(
                                    new Labels(kind, observation.method(), observation.status()), this::timer)
                            .record(observation.nanos(), TimeUnit.NANOSECONDS));
        }

        private Timer timer(Labels labels) {
            return Timer.builder("gateway_other_requests_seconds")
                    .description("Duration of requests for files and of proxies")
                    .tags(
                            "kind",
                            labels.kind.label(),
                            "method",
                            labels.method,
                            "status",
                            Integer.toString(labels.status))
                    .register(meters);
        }
    }
}
