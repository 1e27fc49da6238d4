package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.data.OwnStandalone;
import org.restheart.testkit.TestClient;

/// What `/health/db` says of a server that accepts connections and does not answer.
class DatabaseProbeTest {
    private static final Duration LONGER_THAN_A_RESULT_SERVES = Duration.ofMillis(1_200);

    @Test
    @Timeout(120)
    void a_silent_server_is_504_and_too_many_probes_are_429(@TempDir Path folder) throws Exception {
        try (var mongod = OwnStandalone.start(folder);
                var gateway = Gateway.start(GatewayConfig.parse("""
                        http-listener: {host: 127.0.0.1, port: 0}
                        mclient: {connection-string: '%s'}
                        mongoRealmAuthenticator: {enabled: false}
                        mongoAclAuthorizer: {enabled: false}
                        graphql: {enabled: false}
                        basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
                        fileRealmAuthenticator: {enabled: true, users: [{userid: ada, password: pw, roles: [a]}]}
                        fullAuthorizer: {enabled: true, authentication-required: true}
                        database-probe: {timeout-ms: 1500}
                        bruteForceAttackGuard: {trust-x-forwarded-for: true}
                        """.formatted(mongod.connectionString())))) {
            var client = TestClient.of(gateway.address());
            await().until(() -> client.get("/health/db").statusCode() == 200);
            mongod.signal("STOP");
            try {
                var silent = await().until(() -> client.get("/health/db"), answer -> answer.statusCode() != 200);
                assertStatus(504, silent);
                assertThat(silent.body()).contains("\"status\": \"error\"");
                assertStatus(504, client.send("HEAD", "/health/db", ""));
                Thread.sleep(LONGER_THAN_A_RESULT_SERVES);
                assertThatManyAtOnceAreRefused(client);
            } finally {
                mongod.signal("CONT");
            }
            await().until(() -> client.get("/health/db").statusCode() == 200);
        }
    }

    private static void assertThatManyAtOnceAreRefused(TestClient client) throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var probes = IntStream.range(0, 40)
                    .mapToObj(_ -> threads.submit(() -> client.get("/health/db")))
                    .toList();
            await().until(() -> probes.stream().anyMatch(Future::isDone)); // the first refusal, while others wait
            var others = IntStream.range(0, 40)
                    .mapToObj(i -> client.with("X-Forwarded-For", "192.0.2." + i))
                    .map(other -> threads.submit(() -> other.get("/health/db")))
                    .toList();
            int refused = 0;
            for (var probe : probes) {
                var answer = probe.get();
                assertThat(answer.statusCode()).isIn(429, 503, 504);
                assertThat(answer.body()).contains("\"status\": \"error\"");
                refused += answer.statusCode() == 429 ? 1 : 0;
            }
            assertThat(refused).isBetween(1, 40 - 15);
            for (var other : others) {
                assertThat(other.get().statusCode()).as("of another address").isIn(503, 504);
            }
        }
    }
}
