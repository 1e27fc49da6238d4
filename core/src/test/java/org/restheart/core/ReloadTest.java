package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.embedded.FreePort;

/// What a process takes over when it gets `SIGHUP`: a process of its own, real TLS.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReloadTest {
    private static final Duration TIME_LIMIT = Duration.ofMinutes(3);

    private Path folder = Path.of("");
    private int port;
    private Process process;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        assumeFalse(MainTest.ignoresHangUp(), "this process, and so every child, ignores SIGHUP, as below nohup");
        folder = directory;
        port = FreePort.find();
        makeCertificate(keystore());
        Files.writeString(folder.resolve("restheart.yml"), """
            http-listener: {enabled: false}
            https-listener: {enabled: true, host: localhost, port: %d, keystore-path: '%s',
              keystore-password: changeit, certificate-password: changeit}
            mclient: {enabled: false}
            mongo: {enabled: false}
            graphql: {enabled: false}
            basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
            fileRealmAuthenticator: {enabled: true, conf-file: users.yml}
            fileAclAuthorizer: {enabled: true, conf-file: acl.yml}
            """.formatted(port, keystore()));
        writeAccounts();
        process = GatewayProcess.of(folder, "-Xmx200m", "-XX:+UseSerialGC").start();
        await().atMost(TIME_LIMIT).ignoreExceptions().until(() -> serial(client()) != null);
    }

    @AfterAll
    void stop() {
        if (process != null) { // else the test is skipped
            process.destroyForcibly().onExit().join();
        }
    }

    private Path keystore() {
        return folder.resolve("server.p12");
    }

    private String log() throws IOException {
        return Files.readString(folder.resolve("log"));
    }

    private static void makeCertificate(Path file) throws Exception {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of("-genkeypair -alias test -keyalg EC -validity 1 -dname CN=localhost -ext"
                .concat(" san=dns:localhost -storetype PKCS12 -storepass changeit -keystore")
                .split(" ", -1)));
        command.add(file.toString());
        assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
    }

    private void hangUp() throws Exception {
        assertThat(new ProcessBuilder("kill", "-HUP", Long.toString(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    /// Trusts every certificate, to see which one is shown.
    private static HttpClient client() throws Exception {
        var context = SSLContext.getInstance("TLS");
        context.init(
                null,
                new TrustManager[] {
                    new X509TrustManager() {
                        @Override
                        public void checkClientTrusted(X509Certificate[] chain, String type) {}

                        @Override
                        public void checkServerTrusted(X509Certificate[] chain, String type) {}

                        @Override
                        public X509Certificate[] getAcceptedIssuers() {
                            return new X509Certificate[0];
                        }
                    }
                },
                null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    private BigInteger serial(HttpClient client) throws Exception {
        var answer = client.send(
                HttpRequest.newBuilder(URI.create("https://localhost:" + port + "/ping"))
                        .build(),
                BodyHandlers.ofString());
        assertStatus(200, answer);
        var session = answer.sslSession().orElseThrow();
        return ((X509Certificate) session.getPeerCertificates()[0]).getSerialNumber();
    }

    @Test
    void a_renewed_certificate_is_shown_to_new_connections_and_open_ones_go_on() throws Exception {
        try (var open = client()) {
            var before = serial(open);
            var renewed = folder.resolve("renewed.p12");
            makeCertificate(renewed);
            Files.move(renewed, keystore(), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            hangUp();
            await().atMost(TIME_LIMIT).untilAsserted(() -> {
                try (var other = client()) {
                    assertThat(serial(other)).isNotEqualTo(before);
                }
            });
            assertThat(serial(open)).isEqualTo(before);
        }
    }

    @Test
    void a_renewed_certificate_is_noticed_without_a_signal() throws Exception {
        try (var before = client()) {
            var serial = serial(before);
            var renewed = folder.resolve("renewed.p12");
            makeCertificate(renewed);
            Files.move(renewed, keystore(), StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
            await().atMost(TIME_LIMIT).untilAsserted(() -> {
                try (var other = client()) {
                    assertThat(serial(other)).isNotEqualTo(serial);
                }
            });
        }
    }

    private int status(String user, String password) throws Exception {
        var credentials = Base64.getEncoder().encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
        try (var client = client()) {
            return client.send(
                            HttpRequest.newBuilder(URI.create("https://localhost:" + port + "/metrics"))
                                    .header("Authorization", "Basic " + credentials)
                                    .build(),
                            BodyHandlers.discarding())
                    .statusCode();
        }
    }

    @Test
    void accounts_and_permissions_of_files_are_as_written_now() throws Exception {
        assertThat(status("ada", "first")).isEqualTo(200);
        assertThat(status("bob", "pw")).isEqualTo(200);
        Files.writeString(
                folder.resolve("users.yml"),
                "users: [{userid: ada, password: second, roles: [ops]}, {userid: eve, password: pw, roles: [ops]}]");
        hangUp();
        await().atMost(TIME_LIMIT)
                .pollInterval(Duration.ofSeconds(2)) // ten failures within ten seconds would block more
                .untilAsserted(() -> assertThat(status("eve", "pw")).isEqualTo(200));
        assertThat(status("ada", "first")).isEqualTo(401);
        assertThat(status("ada", "second")).isEqualTo(200);
        assertThat(status("bob", "pw")).isEqualTo(401);

        Files.writeString(folder.resolve("acl.yml"), "permissions: [{role: ops, predicate: path-prefix('/other')}]");
        hangUp();
        await().atMost(TIME_LIMIT)
                .untilAsserted(() -> assertThat(status("eve", "pw")).isEqualTo(403));

        Files.writeString(folder.resolve("users.yml"), "users: [{userid: ada}]");
        hangUp();
        await().atMost(TIME_LIMIT).until(() -> log().contains("roles is required"));
        assertThat(status("eve", "pw")).isEqualTo(403);
        writeAccounts();
    }

    @Test
    void changed_keys_are_named_and_so_are_those_that_need_a_restart_and_mistakes() throws Exception {
        var file = folder.resolve("restheart.yml");
        var before = Files.readString(file);
        try {
            Files.writeString(file, before + "core: {name: other}\nlogging: {log-level: DEBUG}\n");
            Files.writeString(
                    folder.resolve("acl.yml"), "permissions: [{role: ops, predicate: pth-prefix('/metrics')}]");
            hangUp();
            await().atMost(TIME_LIMIT).until(() -> log().contains("take effect after a restart: /core/name"));
            assertThat(log())
                    .containsPattern("as configured now; changed: /logging/log-level")
                    .contains("is not used: predicate does not parse");
        } finally {
            Files.writeString(file, before);
            writeAccounts();
            hangUp();
            await().atMost(TIME_LIMIT)
                    .untilAsserted(() -> assertThat(status("bob", "pw")).isEqualTo(200));
        }
    }

    private void writeAccounts() throws IOException {
        Files.writeString(
                folder.resolve("users.yml"),
                "users: [{userid: ada, password: first, roles: [ops]}, {userid: bob, password: pw, roles: [ops]}]");
        Files.writeString(folder.resolve("acl.yml"), "permissions: [{role: ops, predicate: path-prefix('/metrics')}]");
    }

    @Test
    void a_keystore_that_cannot_be_read_changes_nothing() throws Exception {
        var good = Files.readAllBytes(keystore());
        try (var before = client();
                var after = client()) {
            var serial = serial(before);
            Files.writeString(keystore(), "no keystore");
            hangUp();
            await().atMost(TIME_LIMIT).until(() -> log().contains("Nothing was changed: https-listener: cannot open"));
            assertThat(serial(after)).isEqualTo(serial);
        } finally {
            Files.write(keystore(), good);
        }
    }
}
