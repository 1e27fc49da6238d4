package org.restheart.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.util.Map;
import java.util.regex.Pattern;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// `core.warm-up-seconds`.
@WithMongo
class WarmUpTest extends LaunchFixture {
    private static final Pattern LINE = Pattern.compile("Warmed up by (\\d+) requests in 2 s");

    private RunningServer start(TestMongo mongo, String more) {
        var db = mongo.databaseName();
        var outcome = launch(
                "/http-listener/port->0; /logging/log-to-console->false; /logging/log-to-file->true;"
                        + "/logging/log-file-path->'" + folder.resolve("log")
                        + "'; /mongoRealmAuthenticator/users-db->'" + db
                        + "'; /mongoAclAuthorizer/acl-db->'" + db + "'; /mongo/mongo-mounts[1]/what->'/" + db + "';"
                        + "/mongoRealmAuthenticator/bcrypt-complexity->4;" + more,
                "--mongo",
                mongo.connectionString());
        assertThat(outcome).as(err()).isInstanceOf(Launch.Outcome.Running.class);
        return ((Launch.Outcome.Running) outcome).server();
    }

    private static TestClient client(RunningServer server) {
        return TestClient.of(new InetSocketAddress("127.0.0.1", server.uri().getPort()));
    }

    private String log() throws IOException {
        return Files.readString(folder.resolve("log"));
    }

    private static Map<String, Object> hashes(TestMongo mongo) {
        return mongo.database().runCommand(new Document("dbHash", 1)).get("collections", Document.class);
    }

    @Test
    void readiness_waits_for_it_requests_do_not_and_nothing_is_written(TestMongo mongo) throws IOException {
        mongo.database().getCollection("c").insertOne(new Document("_id", "one"));
        try (var before = start(mongo, "")) {
            await().until(() -> hashes(mongo).containsKey("users")); // the first account is there
            assertStatus(200, client(before).get("/health/ready"));
        }
        var hashes = hashes(mongo);
        Files.delete(folder.resolve("log"));
        try (var server = start(mongo, "/core/warm-up-seconds->2")) {
            var client = client(server);
            var early = client.get("/health/ready");
            assertStatus(503, early);
            assertThat(early.body()).contains("the server is starting");
            assertStatus(200, client.get("/health/live"));
            assertStatus(200, client.as("admin", "secret").get("/c/one"));
            await().until(() -> client.get("/health/ready").statusCode() == 200);
            var warmed = LINE.matcher(log());
            assertThat(warmed.find()).as(log()).isTrue();
            assertThat(Integer.parseInt(warmed.group(1))).isPositive(); // how many depends on the machine
            await().until(() -> log().contains("is ready at"));
        }
        assertThat(hashes(mongo)).isEqualTo(hashes);
    }

    @Test
    void a_stop_does_not_wait_for_it(TestMongo mongo) throws IOException {
        start(mongo, "/core/warm-up-seconds->600").close(); // the test has less time than that
        await().until(() -> log().contains("Stopped"));
        assertThat(log()).doesNotContain("Warmed up", "is ready at");
    }

    @Test
    void without_mongodb_the_server_is_ready_all_the_same() {
        var rho = "/http-listener/port->0; /logging/log-to-console->false; /core/warm-up-seconds->1";
        var outcome = launch(rho, "--mongo", "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100");
        try (var server = ((Launch.Outcome.Running) outcome).server()) {
            await().until(() -> client(server).get("/health/ready").statusCode() == 200);
        }
    }
}
