package org.restheart.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.restheart.core.AdminGateway;
import org.restheart.core.config.GatewayConfig.MetricsConfig;
import org.restheart.core.config.GatewayConfig.OtlpConfig;
import org.restheart.core.tracing.OtlpReceiver;
import org.restheart.core.tracing.OtlpReceiver.Metric;
import org.restheart.core.tracing.OtlpReceiver.Point;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Metrics as a collector gets them.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OtlpMetricsTest {
    private static final String MEASURED = "enabled: true, accounts: 5, include: ['/*', '/{db}/*']";

    private final OtlpReceiver collector = new OtlpReceiver();
    private final TestMongo mongo;
    private final AdminGateway gateway;

    OtlpMetricsTest(TestMongo mongo) throws Exception {
        this.mongo = mongo;
        this.gateway = start(collector, 200);
        gateway.send(gateway.data("/films/ran?wm=upsert")
                .header("Content-Type", "application/json")
                .PUT(BodyPublishers.ofString("{\"year\": 1985}")));
        gateway.send(gateway.data("/films/ran"));
    }

    private AdminGateway start(OtlpReceiver collector, int interval) throws IOException, InterruptedException {
        return AdminGateway.start(mongo, MEASURED, """
                core: {name: node-1}
                metrics:
                  enabled: true
                  uri: /metrics
                  otlp:
                    enabled: true
                    endpoint: %s
                    headers: {Authorization: Bearer of-the-collector}
                    service-name: films
                    interval-ms: %d
                """.formatted(collector.url(), interval));
    }

    @AfterAll
    void stop() {
        gateway.close();
        collector.close();
    }

    private static Optional<Point> point(List<Metric> push, String name, Map<String, String> attributes) {
        return push.stream()
                .filter(metric -> metric.name().equals(name))
                .flatMap(metric -> metric.points().stream())
                .filter(point -> point.attributes().entrySet().containsAll(attributes.entrySet()))
                .findFirst();
    }

    /// The first push with a point.
    private static List<Metric> pushed(OtlpReceiver collector, String name, Map<String, String> attributes) {
        return await().until(
                        () -> collector.pushes().stream()
                                .filter(push -> point(push, name, attributes).isPresent())
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    private static final Map<String, String> READ =
            Map.of("request_method", "GET", "path_template", "/{db}/*", "response_status_code", "200");

    @Test
    void what_is_scraped_is_pushed_under_the_same_names_each_once() throws Exception {
        var push = pushed(collector, "http_request_duration_seconds", READ);
        var scraped = gateway.send(gateway.request("/metrics").header("Accept", "application/openmetrics-text"))
                .body();
        var types = new TreeMap<String, String>();
        scraped.lines()
                .filter(line -> line.startsWith("# TYPE "))
                .map(line -> line.split(" ", -1))
                .forEach(type -> types.put(type[3].equals("info") ? type[2] + "_info" : type[2], type[3]));
        assertThat(push).extracting(Metric::name).doesNotHaveDuplicates();
        var kinds = push.stream().collect(Collectors.toMap(Metric::name, Metric::kind));
        // Families without samples, such as those of caches that are off, are not pushed.
        assertThat(kinds)
                .containsEntry("http_requests_duration", "summary")
                .containsEntry("http_requests_rate", "gauge")
                .containsEntry("http_requests_count", "gauge")
                .containsEntry("gateway_requests_rejected", "total")
                .containsEntry("mongodb_driver_commands_seconds", "histogram")
                .containsEntry("gateway_account_requests_seconds", "summary")
                .containsEntry("restheart_build_info", "gauge")
                .containsEntry("mongodb_up", "gauge");
        var called = Map.of("counter", "total", "unknown", "gauge", "info", "gauge");
        assertThat(types.keySet()).containsAll(kinds.keySet());
        kinds.forEach((name, kind) -> assertThat(called.getOrDefault(types.get(name), types.get(name)))
                .as(name)
                .isEqualTo(kind));
        assertThat(push).allMatch(metric -> scraped.contains(metric.help()));
        int next = collector.pushes().size() + 1; // collected after the scrape
        await().until(() -> collector.pushes().size() > next);
        var missing = new TreeSet<>(types.keySet());
        collector.pushes().get(next).forEach(metric -> missing.remove(metric.name()));
        assertThat(missing).allMatch(name -> isWithoutSamples(scraped, name));
    }

    private static boolean isWithoutSamples(String scraped, String family) {
        return scraped.lines()
                .filter(line -> line.startsWith(family))
                .noneMatch(line -> line.matches("\\w+(\\{.*})? [-+]?[0-9].*"));
    }

    @Test
    void a_requests_duration_has_its_labels_buckets_and_quantiles() {
        var push = pushed(collector, "http_request_duration_seconds", READ);
        var histogram = point(push, "http_request_duration_seconds", READ).orElseThrow();
        assertThat(histogram.attributes()).containsEntry("path_template_param_db", mongo.databaseName());
        assertThat(histogram.count()).isPositive();
        assertThat(histogram.value()).isPositive();
        assertThat(histogram.parts().keySet())
                .containsExactly(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 1 / 0.0);
        assertThat(histogram.parts().values().stream().mapToDouble(each -> each).sum())
                .isEqualTo(histogram.count());
        var summary = point(push, "http_requests_duration", READ).orElseThrow();
        assertThat(summary.count()).isEqualTo(histogram.count());
        assertThat(summary.parts()).containsOnlyKeys(0.5, 0.75, 0.95, 0.98, 0.99, 0.999);
        assertThat(Arrays.asList("1 minute", "5 minutes", "15 minutes", "overall"))
                .allMatch(period -> point(push, "http_requests_rate", Map.of("period", period))
                        .isPresent());
    }

    @Test
    void a_push_says_whose_it_is() {
        await().until(() -> !collector.pushes().isEmpty());
        assertThat(collector.resources().getFirst())
                .containsEntry("service.name", "films")
                .containsEntry("service.instance.id", "node-1")
                .containsKey("service.version");
        assertThat(collector.credentials()).containsOnly("Bearer of-the-collector");
    }

    @Test
    void a_collector_that_refuses_costs_pushes_and_gets_later_ones() throws Exception {
        try (var failing = new OtlpReceiver()) {
            failing.answer(400);
            try (var lonely = start(failing, 100)) {
                await().until(() -> failing.requests() > 1);
                assertThat(lonely.send(lonely.data("/films")).statusCode()).isEqualTo(200);
                failing.answer(200);
                var lost = Map.of("outcome", "lost");
                var push = pushed(failing, "gateway_metric_pushes", lost);
                assertThat(point(push, "gateway_metric_pushes", lost)
                                .orElseThrow()
                                .value())
                        .isPositive();
            }
        }
    }

    @Test
    void metrics_that_cannot_be_collected_are_lost_pushes() {
        var endpoint = new OtlpConfig(Optional.of(collector.url()), Map.of(), Optional.empty(), Duration.ofSeconds(10));
        var push = new MetricsConfig.Push(endpoint, Duration.ofMillis(50));
        Supplier<List<MetricSnapshot>> broken = () -> {
            throw new IllegalStateException("two series have the same labels");
        };
        try (var metrics = new OtlpMetrics(broken, push, "1", "node-1")) {
            await().until(() -> metrics.report().lost() > 1);
        }
    }

    @Test
    void a_stop_pushes_what_came_since() throws Exception {
        try (var last = new OtlpReceiver()) {
            try (var rare = start(last, 86_400_000)) {
                rare.send(rare.data("/films"));
                assertThat(last.pushes()).isEmpty();
            }
            assertThat(last.pushes()).hasSize(1);
            assertThat(point(last.pushes().getFirst(), "http_requests_count", READ))
                    .isPresent();
            assertThat(point(last.pushes().getFirst(), "mongodb_up", Map.of())
                            .orElseThrow()
                            .value())
                    .isEqualTo(1);
        }
    }
}
