package org.restheart.core.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.chaos.GatewayChild.CREDENTIALS;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoClients;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.bson.BsonBoolean;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Reads of a session from a secondary that lags behind.
@Timeout(180)
class CausalSessionsTest {
    @TempDir
    private Path folder;

    private static HttpResponse<String> send(GatewayChild gateway, String method, String target, String body)
            throws Exception {
        try (var http =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
            return http.send(
                    HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + gateway.port() + target))
                            .timeout(Duration.ofSeconds(60))
                            .method(method, HttpRequest.BodyPublishers.ofString(body))
                            .header("Content-Type", "application/json")
                            .header("Authorization", CREDENTIALS)
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        }
    }

    private static String session(GatewayChild gateway, boolean causal) throws Exception {
        var location = send(gateway, "POST", "/_sessions", "{\"ops\": {\"causallyConsistent\": " + causal + "}}")
                .headers()
                .firstValue("Location")
                .orElseThrow();
        return location.substring(location.lastIndexOf('/') + 1);
    }

    private static String read(GatewayChild gateway, String parameters) throws Exception {
        return send(gateway, "GET", "/c/a?readPreference=secondary" + parameters, "")
                .body();
    }

    /// The second member is no voter, so that writes do not wait for it.
    private static void withoutVote(Members members) {
        try (var client = MongoClients.create(members.connectionString())) {
            var admin = client.getDatabase("admin");
            var config = admin.runCommand(new Document("replSetGetConfig", 1), BsonDocument.class)
                    .getDocument("config");
            config.getArray("members")
                    .get(1)
                    .asDocument()
                    .append("votes", new BsonInt32(0))
                    .append("priority", new BsonInt32(0));
            config.put("version", new BsonInt32(config.getNumber("version").intValue() + 1));
            admin.runCommand(new BsonDocument("replSetReconfig", config).append("force", BsonBoolean.TRUE));
            members.awaitHealthy(client);
        }
    }

    @Test
    void a_secondary_waits_for_what_the_session_wrote_through_another_gateway() throws Exception {
        try (var members = Members.start(2, folder);
                var writer = new GatewayChild(folder.resolve("writer"), members.connectionString());
                var reader = new GatewayChild(folder.resolve("reader"), members.connectionString())) {
            withoutVote(members);
            for (var gateway : new GatewayChild[] {writer, reader}) {
                gateway.awaitStart();
                await().ignoreExceptions()
                        .until(() -> send(gateway, "PUT", "/", "{}").statusCode() < 300);
            }
            assertStatus(201, send(writer, "PUT", "/c", "{}"));
            assertStatus(201, send(writer, "PUT", "/c/a?wm=upsert", "{\"v\": 1}"));
            await().untilAsserted(() -> assertThat(read(reader, "")).contains("\"v\": 1"));
            var secondary = members.all().get(1);
            var causal = session(writer, true);
            var other = session(writer, false);

            Members.ask(secondary, BsonDocument.parse("{fsync: 1, lock: true}")); // applies no writes
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                assertStatus(200, send(writer, "PATCH", "/c/a?sid=" + causal, "{\"v\": 2}"));
                assertThat(read(reader, "&sid=" + other))
                        .as("a session that is not causally consistent")
                        .contains("\"v\": 1");
                var waiting = threads.submit(() -> read(reader, "&sid=" + causal));
                assertThatThrownBy(() -> waiting.get(2, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
                Members.ask(secondary, BsonDocument.parse("{fsyncUnlock: 1}"));
                assertThat(waiting.get(60, TimeUnit.SECONDS)).as("the session").contains("\"v\": 2");
            }
        }
    }
}
