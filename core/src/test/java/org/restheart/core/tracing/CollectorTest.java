package org.restheart.core.tracing;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.api.common.AttributeKey;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.restheart.core.config.GatewayConfig.OtlpConfig;
import org.restheart.core.tracing.Collector.Signal;

class CollectorTest {
    private static OtlpConfig config(Optional<String> endpoint, Map<String, String> headers, Optional<String> name) {
        return new OtlpConfig(endpoint, headers, name, Duration.ofSeconds(1));
    }

    private static Collector settings(Map<String, String> environment) {
        return Collector.of(
                Signal.TRACES, config(Optional.empty(), Map.of(), Optional.empty()), environment, "1.0", "node-1");
    }

    @Test
    void a_collector_on_this_machine_needs_no_settings() {
        assertThat(settings(Map.of()).url()).isEqualTo("http://localhost:4318/v1/traces");
        assertThat(settings(Map.of()).headers()).isEmpty();
        assertThat(settings(Map.of()).resource().getAttribute(AttributeKey.stringKey("service.name")))
                .isEqualTo("restheart");
        assertThat(settings(Map.of()).resource().getAttribute(AttributeKey.stringKey("service.instance.id")))
                .isEqualTo("node-1");
    }

    @Test
    void the_usual_variables_count_where_the_configuration_says_nothing() {
        var settings = settings(Map.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318/",
                "OTEL_EXPORTER_OTLP_HEADERS", "Authorization=Bearer%20x+y, X-Team=a",
                "OTEL_SERVICE_NAME", "films",
                "OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=prod,service.name=other"));
        assertThat(settings.url()).isEqualTo("http://collector:4318/v1/traces");
        assertThat(settings.headers()).isEqualTo(Map.of("Authorization", "Bearer x+y", "X-Team", "a"));
        assertThat(settings.resource().getAttribute(AttributeKey.stringKey("service.name")))
                .isEqualTo("films");
        assertThat(settings.resource().getAttribute(AttributeKey.stringKey("deployment.environment")))
                .isEqualTo("prod");
        assertThat(settings(Map.of("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://c/other"))
                        .url())
                .isEqualTo("http://c/other");
    }

    @Test
    void the_configuration_counts_more() {
        var settings = Collector.of(
                Signal.TRACES,
                config(Optional.of("https://c/otlp"), Map.of("X-Team", "b"), Optional.of("mine")),
                Map.of(
                        "OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318",
                        "OTEL_EXPORTER_OTLP_HEADERS", "X-Team=a",
                        "OTEL_SERVICE_NAME", "films"),
                "1.0",
                "node-1");
        assertThat(settings.url()).isEqualTo("https://c/otlp/v1/traces");
        assertThat(settings.headers()).isEqualTo(Map.of("X-Team", "b"));
        assertThat(settings.resource().getAttribute(AttributeKey.stringKey("service.name")))
                .isEqualTo("mine");
    }
}
