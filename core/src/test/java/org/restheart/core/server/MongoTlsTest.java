package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.OwnMongod;
import org.restheart.testkit.TestClient;

/// TLS to a MongoDB whose authority the JDK does not know, and that wants a certificate of its clients.
class MongoTlsTest {
    private static Gateway gateway(String uri) {
        return Gateway.start(GatewayConfig.parse("""
            http-listener: {host: 127.0.0.1, port: 0}
            mclient: {connection-string: '%s'}
            mongo: {mongo-mounts: [{what: '*', where: /}]}
            fullAuthorizer: {enabled: true, authentication-required: false}
            """.formatted(uri)));
    }

    /// Of content that can be compressed, and of content that cannot, each larger than was expected.
    private static void largeReplies(TestClient client) {
        var json = client.with("Content-Type", "application/json");
        assertThat(json.put("/d", "").statusCode()).isIn(200, 201);
        assertThat(json.put("/d/c", "").statusCode()).isIn(200, 201);
        assertThat(json.put("/d/c/small?wm=upsert", "{}").statusCode()).isIn(200, 201);
        var noise = new byte[3 << 20];
        new Random(1).nextBytes(noise);
        for (var text : List.of("x".repeat(8 << 20), Base64.getEncoder().encodeToString(noise))) {
            assertStatus(200, client.get("/d/c/small"));
            assertThat(json.put("/d/c/large?wm=upsert", "{\"t\": \"" + text + "\"}")
                            .statusCode())
                    .isIn(200, 201);
            assertThat(client.get("/d/c/large").body()).contains(text);
            assertThat(client.get("/d/c?sort=_id").body()).contains(text);
        }
    }

    @Test
    void authorities_and_the_clients_certificate_are_files_that_the_connection_string_names(@TempDir Path folder)
            throws Exception {
        TestKeystore.made("EC").pem(folder, "PRIVATE KEY");
        var authority = folder.resolve("cert.pem");
        var both = Files.writeString(
                folder.resolve("both.pem"), Files.readString(authority) + Files.readString(folder.resolve("key.pem")));
        try (var mongod = OwnMongod.launch(
                Files.createDirectory(folder.resolve("data")),
                "--tlsMode",
                "requireTLS",
                "--tlsCertificateKeyFile",
                both.toString(),
                "--tlsCAFile",
                authority.toString())) {
            var uri = "mongodb://localhost:" + mongod.port() + "/?serverSelectionTimeoutMS=500&tls=true&tlsCAFile="
                    + authority;
            try (var gateway = gateway(uri + "&tlsCertificateKeyFile=" + both)) {
                var client = TestClient.of(gateway.address());
                await().atMost(Duration.ofMinutes(1))
                        .until(() -> client.get("/health/db").statusCode() == 200);
                largeReplies(client);
            }
            try (var gateway = gateway(uri + "&compressors=zstd,zlib,snappy&tlsCertificateKeyFile=" + both)) {
                largeReplies(TestClient.of(gateway.address()));
            }
            try (var gateway = gateway(uri)) {
                assertStatus(503, TestClient.of(gateway.address()).get("/health/db"));
            }
        }
        assertThatThrownBy(() -> gateway("mongodb://localhost:1/?tls=true&tlsCAFile=" + folder.resolve("none")))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("cannot use tlsCAFile or tlsCertificateKeyFile");
    }
}
