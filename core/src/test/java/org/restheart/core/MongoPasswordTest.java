package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoSecurityException;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntSupplier;
import org.bson.Document;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.EventStreamClient;
import org.restheart.testkit.OwnMongod;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestClient;

/// The password of the gateway's account in MongoDB changes while it serves requests.
class MongoPasswordTest extends LaunchFixture {
    private static final Duration TIME_LIMIT = Duration.ofMinutes(1);
    private static final String SECOND = "n3w/p@ss:w%rd";
    private static final String LOG_IN = "Authorization: " + TestClient.basic("admin", "secret");

    private OwnMongod mongod;
    private MongoClient root;

    @BeforeEach
    void start() throws IOException {
        mongod = launchWithAccounts();
        root = rootOf(mongod);
        admin(root, "{createUser: 'gateway', pwd: 'first', roles: ['root']}");
    }

    @AfterEach
    void stop() {
        root.close();
        mongod.close();
    }

    private RunningServer gateway(String password, String... args) {
        var outcome = launch(
                "/http-listener/port->0; /http-listener/host->'127.0.0.1'; /mongo/mongo-mounts[1]/what->'/shop';"
                        + "/logging/log-to-console->false; /mongoRealmAuthenticator/bcrypt-complexity->4;"
                        + (password.isEmpty()
                                ? ""
                                : "/mclient/connection-string->'mongodb://gateway:" + password + "@127.0.0.1:"
                                        + mongod.port() + "/?replicaSet=own';"),
                args);
        assertThat(outcome).as(err()).isInstanceOf(Launch.Outcome.Running.class);
        return ((Launch.Outcome.Running) outcome).server();
    }

    private void change(String password) {
        root.getDatabase("admin").runCommand(new Document("updateUser", "gateway").append("pwd", password));
    }

    /// Ends the connections that were authenticated before.
    private void restart() throws Exception {
        mongod.process().destroy();
        mongod.process().waitFor();
        mongod.restart();
    }

    /// Sends requests all the time, and leaves some of it to the server.
    private static final class Load implements AutoCloseable {
        private static final Duration PAUSE = Duration.ofMillis(10);

        final Set<Integer> statuses = new ConcurrentSkipListSet<>();
        private final List<Thread> threads;
        private volatile boolean ended;

        Load(RunningServer server) {
            var client = TestClient.of(server.uri().getPort()).as("admin", "secret");
            threads = List.of(
                    begin(() -> client.get("/c/a").statusCode()),
                    begin(() -> client.get("/c?count").statusCode()),
                    begin(() -> client.patch("/c/a", "{\"$inc\": {\"n\": 1}}").statusCode()));
        }

        private Thread begin(IntSupplier request) {
            return Thread.ofVirtual().start(() -> {
                while (!ended) {
                    statuses.add(request.getAsInt());
                    LockSupport.parkNanos(PAUSE.toNanos());
                }
            });
        }

        @Override
        public void close() throws InterruptedException {
            ended = true;
            for (var thread : threads) {
                thread.join();
            }
        }
    }

    private static TestClient client(RunningServer server) {
        return TestClient.of(server.uri().getPort()).as("admin", "secret");
    }

    private static void fill(RunningServer server) {
        assertThat(client(server).put("", "").statusCode()).isEqualTo(201);
        assertThat(client(server)
                        .put("/c", "{\"streams\": [{\"uri\": \"s\", \"stages\": []}]}")
                        .statusCode())
                .isEqualTo(201);
        assertThat(client(server).put("/c/a?wm=upsert", "{\"n\": 0}").statusCode())
                .isEqualTo(201);
    }

    @Test
    void a_file_with_the_new_password_is_used_without_a_restart() throws Exception {
        var password = file("password", "first\n");
        try (var server = gateway("${file:" + password + "}")) {
            fill(server);
            try (var load = new Load(server);
                    var events = new EventStreamClient(
                            server.uri().getPort(), "GET /c/_streams/s", List.of(LOG_IN), "") {}) {
                assertThat(events.status()).contains("200");
                assertThat(events.next().data()).contains("\"update\"");

                change(SECOND);
                restart();
                Patience.within(TIME_LIMIT).until(() -> load.statuses.contains(503));
                try (var former = MongoClients.create("mongodb://gateway:first@127.0.0.1:" + mongod.port())) {
                    assertThatThrownBy(() -> admin(former, "{ping: 1}")).isInstanceOf(MongoSecurityException.class);
                }
                Files.writeString(password, SECOND);
                Patience.within(TIME_LIMIT)
                        .until(() -> client(server).get("/c/a").statusCode() == 200);

                assertThat(client(server).put("/c/after?wm=upsert", "{}").statusCode())
                        .isEqualTo(201);
                String event;
                do {
                    event = events.next().data();
                } while (!event.contains("\"after\""));
                load.close();
                assertThat(load.statuses).isSubsetOf(200, 503);
            }
        }
    }

    /// As secrets that are mounted change some time before the account does.
    @Test
    void a_password_that_mongodb_does_not_know_yet_changes_nothing() throws Exception {
        var password = file("password", "first");
        try (var server = gateway("${file:" + password + "}")) {
            fill(server);
            Files.writeString(password, SECOND);
            server.reload();
            assertThat(client(server).get("/c/a").statusCode()).isEqualTo(200);
            assertThat(metrics(server)).contains("gateway_reload_success 0");

            change(SECOND);
            Patience.within(TIME_LIMIT).until(() -> metrics(server).contains("gateway_reload_success 1"));
            restart();
            Patience.within(TIME_LIMIT).until(() -> client(server).get("/c/a").statusCode() == 200);
        }
    }

    private static String metrics(RunningServer server) {
        return client(server).get("/metrics/gateway").body();
    }

    @Test
    void a_reload_takes_over_another_account_but_no_other_deployment() throws Exception {
        var overrides = folder.resolve("more.yml");
        write(overrides, "gateway:first", "own");
        try (var server = gateway("", "-o", overrides.toString())) {
            fill(server);
            admin(root, "{createUser: 'other', pwd: 'other', roles: ['root']}");
            write(overrides, "other:other", "own");
            server.reload();
            admin(root, "{dropUser: 'gateway'}");
            restart();
            Patience.within(TIME_LIMIT).until(() -> client(server).get("/c/a").statusCode() == 200);

            write(overrides, "other:other", "elsewhere");
            server.reload();
            assertThat(client(server).get("/c/a").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void the_metric_tells_whether_the_files_are_used() throws Exception {
        var password = file("password", "first");
        var credentials = "gateway:${file:" + password + "}";
        var overrides = folder.resolve("more.yml");
        write(overrides, "gateway:first", "own");
        try (var server = gateway("", "-o", overrides.toString())) {
            write(overrides, credentials, "own");
            server.reload(); // from here on it has a file
            Files.writeString(password, "wrong");
            Patience.within(TIME_LIMIT).until(() -> metrics(server).contains("gateway_reload_success 0"));
            Files.writeString(password, "first");
            Patience.within(TIME_LIMIT).until(() -> metrics(server).contains("gateway_reload_success 1"));

            write(overrides, credentials, "elsewhere");
            Files.writeString(password, "first\n");
            Patience.within(TIME_LIMIT).until(() -> metrics(server).contains("gateway_reload_success 0"));
        }
    }

    @Test
    void an_account_without_privileges_is_not_used_nor_is_none_at_all() throws Exception {
        var overrides = folder.resolve("more.yml");
        write(overrides, "gateway:first", "own");
        try (var server = gateway("", "-o", overrides.toString())) {
            fill(server);
            admin(root, "{createUser: 'idle', pwd: 'idle', roles: []}");
            write(overrides, "idle:idle", "own");
            server.reload();
            assertThat(metrics(server)).contains("gateway_reload_success 0");
            assertThat(client(server).get("/c/a").statusCode()).isEqualTo(200);

            Files.writeString(overrides, Files.readString(overrides).replace("idle:idle@", ""));
            server.reload();
            assertThat(client(server).get("/c/a").statusCode()).isEqualTo(200);
        }
    }

    /// Such as withdrawn permissions, which do not wait until the credentials work.
    @Test
    void a_reload_takes_over_all_the_rest() throws Exception {
        var overrides = folder.resolve("more.yml");
        var acl = """
            /fileAclAuthorizer/enabled: true
            /fileAclAuthorizer/permissions: [{role: $unauthenticated, predicate: "path-prefix('%s')"}]
            """;
        write(overrides, "gateway:first", "own");
        Files.writeString(overrides, acl.formatted("/metrics"), StandardOpenOption.APPEND);
        try (var server = gateway("", "-o", overrides.toString())) {
            var anonymous = TestClient.of(server.uri().getPort());
            assertThat(anonymous.get("/metrics/gateway").statusCode()).isEqualTo(200);
            write(overrides, "gateway:wrong", "own");
            Files.writeString(overrides, acl.formatted("/other"), StandardOpenOption.APPEND);
            server.reload();
            assertThat(anonymous.get("/metrics/gateway").statusCode()).isEqualTo(401);
            assertThat(metrics(server)).contains("gateway_reload_success 0");
        }
    }

    private void write(Path overrides, String credentials, String replicaSet) throws IOException {
        Files.writeString(
                overrides,
                "/mclient/connection-string: mongodb://%s@127.0.0.1:%d/?replicaSet=%s\n"
                        .formatted(credentials, mongod.port(), replicaSet));
    }
}
