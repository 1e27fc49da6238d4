package org.restheart.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.restheart.core.metrics.Metrics.ExpositionFormat;
import org.restheart.core.metrics.RequestMetrics.RequestRegistry;
import org.restheart.core.observation.Observation;
import org.restheart.http.Fields;
import org.restheart.http.Method;
import org.restheart.http.NamedOperation;
import org.restheart.testkit.TestRequests;

class RequestRegistryTest {
    private final AtomicLong now = new AtomicLong();

    private RequestRegistry registry(String template) {
        return new RequestRegistry(RequestMetrics.PathTemplate.parse(template), now::get);
    }

    /// A completed request.
    private static Observation observed(Method method, String path, int status, Duration took) {
        return new Observation(
                TestRequests.request(method, path),
                method.name(),
                status,
                Fields.NONE,
                0,
                took.toNanos(),
                Optional.empty(),
                Optional.empty());
    }

    @Test
    void a_scrape_has_the_documented_names_labels_and_units() {
        var registry = registry("/*");
        registry.record(observed(Method.GET, "/a/b", 200, Duration.ofMillis(7)));
        registry.record(observed(Method.GET, "/", 200, Duration.ofMillis(7)));
        now.addAndGet(TimeUnit.SECONDS.toNanos(10));
        registry.tick();
        var labels = "request_method=\"GET\",path_template=\"/*\",response_status_code=\"200\",";
        assertThat(registry.scrape(ExpositionFormat.PROMETHEUS).lines())
                .containsSubsequence(
                        "# HELP http_requests_duration HTTP request duration and rate",
                        "# TYPE http_requests_duration summary",
                        "http_requests_duration_sum{" + labels + "} 0.014",
                        "http_requests_duration_count{" + labels + "} 2.0",
                        "# TYPE http_requests_rate untyped",
                        "http_requests_rate{" + labels + "period=\"15 minutes\",} 0.4",
                        "http_requests_rate{" + labels + "period=\"5 minutes\",} 0.4",
                        "http_requests_rate{" + labels + "period=\"1 minute\",} 0.4",
                        "http_requests_rate{" + labels + "period=\"overall\",} 0.2",
                        "# TYPE http_requests_count untyped",
                        "http_requests_count{" + labels + "} 2.0")
                .contains("http_requests_duration{" + labels + "quantile=\"0.5\",} 0.0069755")
                .filteredOn(line -> line.contains("quantile="))
                .hasSize(6);
    }

    @Test
    void parameters_of_the_template_are_labels() {
        var registry = registry("/{tenant}/x.y/{coll}/*");
        registry.record(observed(Method.POST, "/ac%22me/x.y/or.ders/7/8", 201, Duration.ofMillis(1)));
        registry.record(observed(Method.POST, "/acme/other/orders", 201, Duration.ofMillis(1)));
        assertThat(registry.scrape(ExpositionFormat.PROMETHEUS)
                        .lines()
                        .filter(line -> line.startsWith("http_requests_count")))
                .containsExactly("http_requests_count{request_method=\"POST\",path_template=\"/{tenant}/x_y/{coll}/*\","
                        + "response_status_code=\"201\",path_template_param_tenant=\"ac\\\"me\","
                        + "path_template_param_coll=\"or_ders\",} 1.0");
    }

    @Test
    void no_two_series_have_the_same_labels() {
        var registry = registry("/{x}");
        registry.record(observed(Method.GET, "/a.b", 200, Duration.ZERO));
        registry.record(observed(Method.GET, "/a_b", 200, Duration.ZERO));
        assertThat(registry.scrape(ExpositionFormat.PROMETHEUS)
                        .lines()
                        .filter(line -> line.startsWith("http_requests_count")))
                .singleElement()
                .asString()
                .endsWith("path_template_param_x=\"a_b\",} 2.0");
        var values = new RequestRegistry.RequestSnapshots();
        registry.addTo(values::add);
        assertThat(values.families()).hasSize(4);
    }

    @Test
    void clients_cannot_make_up_labels_without_end() {
        var registry = registry("/{x}");
        for (int i = 0; i < 5_000; i++) {
            registry.record(observed(Method.GET, "/" + i, 200, Duration.ZERO));
        }
        var counts = registry.scrape(ExpositionFormat.PROMETHEUS)
                .lines()
                .filter(line -> line.startsWith("http_requests_count"))
                .toList();
        assertThat(counts).hasSize(1_001);
        var other = registry("/{x}");
        other.record(observed(Method.GET, "/" + "x".repeat(100_000), 401, Duration.ZERO));
        assertThat(other.scrape(ExpositionFormat.PROMETHEUS))
                .contains("path_template_param_x=\"_other\"")
                .hasSizeLessThan(20_000);
        assertThat(counts).anyMatch(line -> line.endsWith("path_template_param_x=\"_other\",} 4000.0"));
    }

    @Test
    void operations_are_labels_of_a_bounded_number() {
        var registry = registry("/{x}");
        for (int i = 0; i < 5_000; i++) {
            var request = TestRequests.request(Method.POST, "/shop");
            var operation = new NamedOperation("o" + i, "items");
            registry.record(
                    new Observation(request, "POST", 200, Fields.NONE, 0, 1, Optional.empty(), Optional.of(operation)));
        }
        registry.record(observed(Method.POST, "/shop", 404, Duration.ZERO));
        var counts = registry.scrape(ExpositionFormat.PROMETHEUS)
                .lines()
                .filter(line -> line.startsWith("http_requests_count"))
                .toList();
        assertThat(counts)
                .hasSize(202)
                .anyMatch(line -> line.endsWith("_x=\"shop\",query=\"items\",operation=\"o7\",} 1.0"))
                .anyMatch(line -> line.endsWith("query=\"_other\",operation=\"_other\",} 4800.0"))
                .anyMatch(line -> line.contains("404") && !line.contains("query="));
    }

    @Test
    void a_registry_without_requests_is_empty() {
        assertThat(registry("/*").scrape(ExpositionFormat.PROMETHEUS)).isEmpty();
    }
}
