package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.data.OwnStandalone;
import org.restheart.core.security.LogLines;
import org.restheart.core.server.RawClient;
import org.restheart.core.server.StartException;
import org.restheart.testkit.TestClient;

/// Probes and metrics, whatever MongoDB does.
class ManagementTest {
    private static final String AWAY = "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=500";

    private static Gateway start(String mongo, String management) {
        return Gateway.start(GatewayConfig.parse("""
            http-listener: {host: 127.0.0.1, port: 0}
            management-listener: {enabled: true, port: 0%s}
            mclient: {connection-string: '%s'}
            requestsMetricsCollector: {enabled: true}
            """.formatted(management, mongo)));
    }

    private static TestClient management(Gateway gateway) {
        return TestClient.of(gateway.managementAddress().orElseThrow());
    }

    @Test
    void it_answers_without_accounts_while_mongodb_is_away() {
        try (var log = new LogLines();
                var gateway = start(AWAY, "")) {
            assertThat(log.all())
                    .contains("INFO management-listener accepts connections on "
                            + gateway.managementAddress().orElseThrow());
            var client = management(gateway);
            assertStatus(200, client.get("/health/live"));
            assertStatus(200, client.get("/health/ready"));
            assertThat(client.get("/health/ready").body()).isEqualTo("{\"status\": \"ok\"}");
            assertStatus(503, client.get("/health/db"));
            assertStatus(200, client.get("/ping"));
            assertThat(client.get("/metrics").body()).contains("# TYPE ");
            assertStatus(200, client.get("/metrics/*"));
            assertStatus(200, client.send("HEAD", "/metrics", ""));
            assertThat(client.send("HEAD", "/metrics", "").body()).isEmpty();
            assertStatus(200, client.send("HEAD", "/health/live", ""));
            assertStatus(405, client.send("DELETE", "/health/live", ""));
        }
    }

    @Test
    void nothing_else_is_there() {
        try (var gateway = start(AWAY, "")) {
            for (var path :
                    new String[] {"/", "/restheart", "/_access", "/_console/", "/token", "/health", "/roles/admin"}) {
                assertStatus(404, management(gateway).get(path));
            }
        }
    }

    @Test
    void pages_of_other_origins_cannot_read_it() throws Exception {
        try (var gateway = start(AWAY, "")) {
            var address = gateway.managementAddress().orElseThrow();
            var answer = TestClient.of(address)
                    .with("Origin", "https://evil.example")
                    .get("/metrics");
            assertStatus(200, answer);
            assertThat(answer.headers().map().keySet())
                    .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("access-control-"));
            try (var rebound = new RawClient(address)) {
                assertThat(rebound.send("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n")
                                .answer()
                                .status())
                        .isEqualTo(421);
            }
        }
    }

    @Test
    void the_probes_of_the_other_listeners_are_about_the_process_alone() {
        try (var gateway = start(AWAY, "")) {
            var client = TestClient.of(gateway.address());
            assertStatus(200, client.get("/health/live"));
            assertStatus(200, client.get("/health/ready"));
            assertStatus(503, client.get("/health/db"));
        }
    }

    /// They come every second from each monitor, and would hide what clients experience.
    @Test
    void probes_are_neither_in_the_series_of_requests_nor_in_the_log_unless_they_are_refused() {
        try (var gateway = start(AWAY, "");
                var log = new LogLines()) {
            var client = TestClient.of(gateway.address());
            assertStatus(200, client.get("/health/live"));
            assertStatus(503, client.get("/health/db"));
            await().until(() -> log.all().stream().anyMatch(line -> line.contains("/health/db from")));
            assertThat(log.all()).noneMatch(line -> line.contains("/health/live from"));
            var metrics = management(gateway).get("/metrics").body();
            assertThat(metrics)
                    .contains("gateway_other_requests_seconds_count{kind=\"probe\",method=\"GET\",status=\"200\"} 1")
                    .doesNotContain("http_requests_count{");
        }
    }

    @Test
    void a_gateway_that_stops_is_alive_and_not_ready() {
        try (var gateway = start(AWAY, "")) {
            var client = management(gateway);
            gateway.announceStop();
            assertStatus(503, client.get("/health/ready"));
            assertThat(client.get("/health/ready").body()).contains("the server is stopping");
            assertStatus(503, TestClient.of(gateway.address()).get("/health/ready"));
            assertStatus(200, client.get("/health/live"));
            assertStatus(200, client.get("/metrics"));
        }
    }

    @Test
    void it_answers_while_mongodb_is_silent_and_after_it(@TempDir Path folder) throws Exception {
        try (var mongod = OwnStandalone.start(folder);
                var gateway = start(mongod.connectionString(), "")) {
            var client = management(gateway);
            await().until(() -> client.get("/health/db").statusCode() == 200);
            mongod.signal("STOP");
            try {
                await().until(() -> client.get("/health/db").statusCode() >= 503);
                assertStatus(200, client.get("/health/ready"));
                assertStatus(200, client.get("/metrics"));
            } finally {
                mongod.signal("CONT");
            }
        }
    }

    @Test
    @Timeout(180)
    void a_port_that_is_taken_ends_the_start() {
        try (var gateway = start(AWAY, "")) {
            int port = gateway.managementAddress().orElseThrow().getPort();
            assertThatThrownBy(() -> Gateway.start(GatewayConfig.parse("""
                http-listener: {host: 127.0.0.1, port: 0}
                management-listener: {enabled: true, port: %d}
                mclient: {enabled: false}
                mongo: {enabled: false}
                graphql: {enabled: false}
                basicAuthMechanism: {enabled: false}
                """.formatted(port))))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("management-listener");
        }
    }
}
