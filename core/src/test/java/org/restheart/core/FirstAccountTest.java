package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.security.LogLines;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The account of a first start, and from where its known password is accepted.
@WithMongo
class FirstAccountTest extends LaunchFixture {
    private static final Pattern SHOWN = Pattern.compile("The first account is admin, with the password (\\S{20})\\.");

    private String db = "";

    private RunningServer start(TestMongo mongo, String host, String more) {
        if (db.isEmpty()) {
            db = mongo.newDatabaseName();
        }
        var rho = "/http-listener/port->0; /http-listener/host->'%s'; /logging/log-to-console->false;".formatted(host)
                + "/mongoRealmAuthenticator/users-db->'%1$s'; /mongoAclAuthorizer/acl-db->'%1$s';".formatted(db)
                + "/mongo/mongo-mounts[1]/what->'/%s'; /mongoRealmAuthenticator/bcrypt-complexity->4;".formatted(db);
        var outcome = launch(rho + more, "--mongo", mongo.connectionString());
        assertThat(outcome).as(err()).isInstanceOf(Launch.Outcome.Running.class);
        return ((Launch.Outcome.Running) outcome).server();
    }

    private static TestClient client(RunningServer server, String host, String name, String password)
            throws IOException {
        return TestClient.of(new InetSocketAddress(
                        InetAddress.getByName(host), server.uri().getPort()))
                .as(name, password);
    }

    /// Of this machine, but not of its loopback interface.
    private static String otherAddress() throws IOException {
        Optional<InetAddress> found = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> address instanceof Inet4Address && !address.isLoopbackAddress())
                .findFirst();
        return found.orElseThrow().getHostAddress();
    }

    @Test
    void where_this_machine_alone_reaches_the_server_it_has_the_known_password(TestMongo mongo) throws IOException {
        try (var server = start(mongo, "127.0.0.1", "")) {
            assertStatus(200, client(server, "127.0.0.1", "admin", "secret").get("/"));
            assertThat(out()).doesNotContain("with the password");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::"})
    void where_others_reach_it_it_has_a_random_one_that_is_shown_once(String host, TestMongo mongo) throws IOException {
        var log = folder.resolve("gateway.log");
        String password;
        try (var server = start(mongo, host, "/logging/log-to-file->true;/logging/log-file-path->'" + log + "'")) {
            await().until(() -> SHOWN.matcher(out()).find());
            var shown = SHOWN.matcher(out());
            assertThat(shown.find()).isTrue();
            password = shown.group(1);
            assertStatus(401, client(server, "127.0.0.1", "admin", "secret").get("/"));
            assertStatus(200, client(server, "127.0.0.1", "admin", password).get("/"));
            assertStatus(200, client(server, otherAddress(), "admin", password).get("/"));
        }
        out.reset();
        try (var again = start(mongo, host, "")) {
            assertStatus(200, client(again, otherAddress(), "admin", password).get("/"));
            assertThat(out()).doesNotContain("with the password");
        }
        assertThat(Files.readString(log)).contains("Created the first account").doesNotContain(password);
    }

    @ParameterizedTest
    @ValueSource(strings = {"email", "profile.email"})
    void it_has_a_name_where_names_are_another_property(String property, TestMongo mongo) throws IOException {
        try (var server = start(mongo, "0.0.0.0", "/mongoRealmAuthenticator/prop-id->'%s'".formatted(property))) {
            await().until(() -> SHOWN.matcher(out()).find());
            var shown = SHOWN.matcher(out());
            assertThat(shown.find()).isTrue();
            assertStatus(
                    200, client(server, otherAddress(), "admin", shown.group(1)).get("/"));
        }
    }

    @Test
    void a_variable_or_a_file_gives_it_another(TestMongo mongo) throws IOException {
        environment = Map.of("RESTHEART_ADMIN_PASSWORD", "vIvid-0tter.Gazes7");
        try (var server = start(mongo, "0.0.0.0", "")) {
            assertStatus(
                    200,
                    client(server, otherAddress(), "admin", "vIvid-0tter.Gazes7")
                            .get("/"));
        }
        db = "";
        var file = Files.writeString(folder.resolve("password"), "from-a-File.7\n");
        environment = Map.of("RESTHEART_ADMIN_PASSWORD_FILE", file.toString());
        try (var server = start(mongo, "0.0.0.0", "")) {
            assertStatus(
                    200,
                    client(server, otherAddress(), "admin", "from-a-File.7").get("/"));
        }
        assertThat(out()).doesNotContain("with the password", "from-a-File");
    }

    @ParameterizedTest
    @CsvSource({
        "RESTHEART_ADMIN_PASSWORD, secret",
        "RESTHEART_ADMIN_PASSWORD, change-me",
        "RESTHEART_ADMIN_PASWORD, x-y-z-1",
        "RESTHEART_ADMIN_PASSWORD_FILE, /none"
    })
    void a_known_password_a_misspelt_variable_and_a_missing_file_end_the_start(String name, String value) {
        environment = Map.of(name, value);
        assertThat(exitCode("")).isEqualTo(255);
    }

    /// As after a start on loopback whose listener is opened later.
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "false | 127.0.0.1; ::1",
                "true | 127.0.0.1; ::ffff:127.0.0.1; 127.0.0.1, 203.0.113.9; 203.0.113.9, [::1]:4711; localhost;"
                        + " ::ffff:203.0.113.9"
            })
    void the_known_password_is_accepted_from_this_machine_only(boolean trusted, String forwarded, TestMongo mongo)
            throws IOException {
        start(mongo, "127.0.0.1", "").close();
        var trust = "/bruteForceAttackGuard/max-failed-attempts->100; /bruteForceAttackGuard/trust-x-forwarded-for->"
                + trusted;
        try (var server = start(mongo, "0.0.0.0", trust)) {
            var local = client(server, "127.0.0.1", "admin", "secret");
            assertStatus(200, local.get("/"));
            var other = client(server, otherAddress(), "admin", "secret");
            var others = new ArrayList<>(List.of(other));
            Stream.of(forwarded.split("; "))
                    .map(by -> other.with("X-Forwarded-For", by))
                    .forEach(others::add);
            for (var each : others) {
                assertStatus(401, each.get("/"));
                assertStatus(401, each.send("POST", "/token", ""));
            }
            assertStatus(401, local.with("X-Forwarded-For", "203.0.113.9").get("/")); // of a proxy on this machine
            assertStatus(401, local.with("X-Real-IP", "203.0.113.9").get("/"));
            assertStatus(401, local.with("Via", "1.1 proxy").get("/"));
            assertStatus(
                    401, local.with("X-Forwarded-For", "203.0.113.9, 127.0.0.1").get("/")); // of two of them
            var claimed = local.with("X-Forwarded-For", "127.0.0.1"); // by a client, and handed on by the proxy
            assertStatus(401, claimed.with("X-Real-IP", "203.0.113.9").get("/"));
            assertStatus(401, claimed.with("Forwarded", "for=203.0.113.9").get("/"));
            assertStatus(401, claimed.with("Via", "1.1 proxy").get("/"));
            assertStatus(
                    200,
                    local.with("X-Forwarded-For", "127.0.0.1, ::ffff:127.0.0.1")
                            .with("X-Forwarded-Host", "localhost")
                            .get("/"));
            assertStatus(200, local.get("/"));
        }
    }

    /// Browsers on this machine run pages of other sites, which know the password, too.
    @Test
    void the_known_password_is_not_accepted_from_pages_of_others(TestMongo mongo) throws IOException {
        try (var server = start(mongo, "127.0.0.1", "/bruteForceAttackGuard/max-failed-attempts->100;")) {
            var local = client(server, "127.0.0.1", "admin", "secret");
            for (var own : List.of("none", "same-origin", "same-site")) {
                assertStatus(200, local.with("Sec-Fetch-Site", own).get("/"));
            }
            var foreign = local.with("Origin", "https://evil.example").with("Sec-Fetch-Site", "cross-site");
            assertStatus(401, foreign.get("/"));
            assertStatus(401, foreign.send("POST", "/token", ""));
        }
    }

    @Test
    void that_of_a_file_too_by_basic_and_by_digest(TestMongo mongo) throws IOException {
        var file =
                "/basicAuthMechanism/authenticator->'fileRealmAuthenticator'; /fileRealmAuthenticator->{enabled: true,"
                        + " users: [{userid: 'admin', password: 'secret', roles: ['admin']}]};";
        try (var server = start(mongo, "0.0.0.0", file)) {
            assertStatus(200, client(server, "127.0.0.1", "admin", "secret").get("/"));
            assertStatus(401, client(server, otherAddress(), "admin", "secret").get("/"));
        }
    }

    @Test
    void sixty_guesses_at_once_are_few_checks_and_each_is_logged(TestMongo mongo) throws Exception {
        try (var server = start(mongo, "127.0.0.1", "");
                var log = new LogLines();
                var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            var statuses = new ConcurrentHashMap<Integer, AtomicInteger>();
            long begun = System.nanoTime();
            var guesses = Stream.iterate(0, i -> i < 60, i -> i + 1)
                    .map(i -> callers.submit(() -> statuses.computeIfAbsent(
                                    client(server, "127.0.0.1", i % 2 == 0 ? "admin" : "user" + i, "guess" + i)
                                            .get(i % 3 == 0 ? "/token" : "/")
                                            .statusCode(),
                                    _ -> new AtomicInteger())
                            .incrementAndGet()))
                    .toList();
            for (var guess : guesses) {
                guess.get();
            }
            // failures are forgotten after ten seconds
            long windows = 1 + Duration.ofNanos(System.nanoTime() - begun).toSeconds() / 10;
            assertThat(statuses).containsKeys(401, 429);
            if (windows == 1) { // on a machine that is busy, who waits long is told 503 without a check
                assertThat(statuses).containsOnlyKeys(401, 429);
            }
            assertThat((long) statuses.get(401).get()).isLessThanOrEqualTo(10 * windows);
            assertThat(log.all().stream().filter(line -> line.contains("failed authentication: user ")))
                    .hasSize(statuses.get(401).get());
            var more = client(server, "127.0.0.1", "admin", "guess");
            await().until(() -> more.get("/").statusCode() == 429);
            assertStatus(429, client(server, "127.0.0.1", "admin", "secret").get("/"));
        }
    }
}
