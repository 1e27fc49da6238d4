package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.Filters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// An API key belongs to the account that it was made for, and to no other of that name.
@WithMongo
class ApiKeyAccountsTest {
    private static final String PARTS = """
            apiKeyAuthMechanism: {enabled: true}
            apiKeyRealm: {keys-db: $db, keys-collection: apikeys}
            """;
    private static final Duration SECOND = Duration.ofSeconds(1);

    @AutoClose
    private static TestGateway gateway;

    @AutoClose
    private static Gateway other;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, PARTS);
        gateway.permit("{_id: 1, roles: ['editor'], predicate: \"path-prefix('/c')\"}");
        gateway.insert("c", "{_id: 1}");
        other = Gateway.start(
                TestGateway.config(mongo.connectionString(), gateway.database().getName(), TestGateway.REALM + PARTS));
    }

    private static void addAccount(String name, String password) {
        var added = gateway.as("admin")
                .post(
                        "/users",
                        "{\"_id\":\"%s\",\"password\":\"%s\",\"roles\":[\"editor\"]}".formatted(name, password));
        assertStatus(201, added);
    }

    private static BsonDocument make(TestClient client, String content) {
        var response = client.post("/_apikeys", content);
        assertStatus(201, response);
        return BsonDocument.parse(response.body());
    }

    private static int status(BsonDocument made) {
        return with(gateway.anonymous(), made).get("/c").statusCode();
    }

    private static int elsewhere(BsonDocument made) {
        return with(TestClient.of(other.address()), made).get("/c").statusCode();
    }

    private static TestClient with(TestClient client, BsonDocument made) {
        return client.with("api-key", made.getString("key").getValue());
    }

    @ParameterizedTest
    @ValueSource(strings = {"rest", "mongo"})
    void a_new_account_of_the_name_does_not_revive_a_key(String way) {
        var name = "kk-" + way;
        addAccount(name, "one-pw");
        var made = make(gateway.anonymous().as(name, "one-pw"), "{\"name\": \"of the first\", \"days\": 7}");
        assertThat(status(made)).isEqualTo(200);
        assertThat(elsewhere(made)).isEqualTo(200);
        if (way.equals("rest")) {
            assertStatus(204, gateway.as("admin").send("DELETE", "/users/" + name, ""));
        } else {
            gateway.collection("users").deleteOne(Filters.eq("_id", name));
        }
        Patience.within(SECOND).until(() -> status(made) == 401 && elsewhere(made) == 401);
        addAccount(name, "two-pw");
        var second = gateway.anonymous().as(name, "two-pw");
        assertThat(status(made)).isEqualTo(401);
        assertThat(elsewhere(made)).isEqualTo(401);
        var fresh = make(second, "{\"days\": 7}");
        assertThat(status(fresh)).isEqualTo(200);
        assertThat(elsewhere(fresh)).isEqualTo(200);
        assertThat(status(made)).isEqualTo(401);
        assertThat(elsewhere(made)).isEqualTo(401);
        assertThat(second.get("/_apikeys").body()).doesNotContain("of the first");
        var path = "/_apikeys/" + made.getString("handle").getValue();
        assertStatus(404, second.patch(path, "{\"disabled\": false}"));
        assertStatus(404, second.send("DELETE", path, ""));
        assertThat(gateway.as("admin").get("/_apikeys?account=" + name).body()).contains("of the first");
    }

    @Test
    void a_key_survives_a_changed_password_and_an_administrator_ends_it() {
        addAccount("changed", "one-pw");
        var made = make(gateway.anonymous().as("changed", "one-pw"), "{\"days\": 7}");
        var admin = gateway.as("admin");
        assertStatus(200, admin.patch("/users/changed", "{\"password\": \"two-pw\"}"));
        assertThat(status(made)).isEqualTo(200);
        assertThat(elsewhere(made)).isEqualTo(200);
        var listed = BsonArray.parse(admin.get("/_apikeys?account=changed").body());
        assertThat(listed).hasSize(1);
        var handle = listed.getFirst().asDocument().getString("handle").getValue();
        assertStatus(204, admin.send("DELETE", "/_apikeys/" + handle, ""));
        assertThat(status(made)).isEqualTo(401);
        Patience.within(SECOND).until(() -> elsewhere(made) == 401);
    }

    @Test
    void what_tells_accounts_apart_is_no_part_of_keys_that_are_shown() {
        var made = make(gateway.as("bob"), "{\"days\": 7}");
        var identity = gateway.stored("users", "bob").getObjectId("_identity").getValue();
        assertThat(made.toJson() + gateway.as("bob").get("/_apikeys").body()).doesNotContain(identity.toHexString());
    }

    @Test
    void an_entry_of_a_file_with_another_password_is_another_account(TestMongo mongo) {
        var database = mongo.newDatabaseName();
        BsonDocument made;
        try (var first = Gateway.start(withFile(mongo, database, "one"))) {
            made = make(TestClient.of(first.address()).as("kk", "one"), "{\"days\": 7}");
            assertThat(roles(first, made)).isEqualTo(200);
        }
        try (var again = Gateway.start(withFile(mongo, database, "one"))) {
            assertThat(roles(again, made)).isEqualTo(200);
        }
        try (var second = Gateway.start(withFile(mongo, database, "two"))) {
            assertThat(roles(second, made)).isEqualTo(401);
            assertThat(TestClient.of(second.address())
                            .as("kk", "two")
                            .get("/_apikeys")
                            .body())
                    .isEqualTo("[]");
        }
    }

    private static int roles(Gateway at, BsonDocument made) {
        return with(TestClient.of(at.address()), made).get("/roles/kk").statusCode();
    }

    private static GatewayConfig withFile(TestMongo mongo, String database, String password) {
        return GatewayConfig.parse("""
                http-listener: {host: 127.0.0.1, port: 0}
                mclient: {connection-string: "$uri"}
                basicAuthMechanism: {enabled: true, authenticator: fileRealmAuthenticator}
                fileRealmAuthenticator: {enabled: true, users: [{userid: kk, password: $pw, roles: [user]}]}
                mongoRealmAuthenticator: {enabled: false}
                apiKeyAuthMechanism: {enabled: true}
                apiKeyRealm: {keys-db: $db, keys-collection: apikeys}
                """.replace("$uri", mongo.connectionString())
                .replace("$db", database)
                .replace("$pw", password));
    }

    @Test
    void a_key_in_a_header_of_any_name_is_not_logged(TestMongo mongo) {
        try (var robots = TestGateway.start(
                        mongo,
                        PARTS.replace("apiKeyAuthMechanism: {", "apiKeyAuthMechanism: {header-names: [X-Robot], ")
                                + "logging: {requests-log-mode: 2}\n");
                var log = new LogLines()) {
            for (var name : List.of("X-Robot", "X-Other")) {
                assertStatus(
                        401,
                        robots.anonymous()
                                .with(name, "rhk_" + "s3cret".repeat(6))
                                .get("/c"));
            }
            assertStatus(401, robots.anonymous().with("X-Robot", "s3cret-alone").get("/c"));
            await().until(() -> log.all().stream()
                            .filter(line -> line.contains("request X-"))
                            .count()
                    == 3);
            assertThat(log.all()).noneMatch(line -> line.contains("s3cret"));
        }
    }

    @Test
    void guessing_keys_locks_a_source_out(TestMongo mongo) {
        try (var guarded =
                TestGateway.start(mongo, PARTS + "bruteForceAttackGuard: {enabled: true, max-failed-attempts: 5}\n")) {
            for (int i = 0; i < 5; i++) {
                assertStatus(
                        401, guarded.anonymous().with("api-key", "rhk_" + i).get("/c"));
            }
            assertStatus(429, guarded.anonymous().with("api-key", "rhk_6").get("/c"));
        }
    }

    @Test
    void who_makes_which_keys_is_configured(TestMongo mongo) {
        var realm = "apiKeyRealm: {keys-db: $db, self-service: false, allow-unlimited: true, max-lifetime-days: 10}\n";
        try (var few = TestGateway.start(mongo, "apiKeyAuthMechanism: {enabled: true}\n" + realm)) {
            assertStatus(403, few.as("ada").post("/_apikeys", "{\"days\": 1}"));
            var admin = few.as("admin");
            assertStatus(400, admin.post("/_apikeys", "{\"account\": \"ada\", \"days\": 11}"));
            var unlimited = make(admin, "{\"account\": \"ada\"}");
            assertThat(unlimited).doesNotContainKey("expiresAt");
            assertStatus(200, with(few.anonymous(), unlimited).get("/roles/ada"));
            var ends = few.collection("apikeys").listIndexes().into(new ArrayList<>()).stream()
                    .filter(index -> index.containsKey("expireAfterSeconds"))
                    .toList();
            assertThat(ends).hasSize(1);
            assertThat(((Number) ends.getFirst().get("expireAfterSeconds")).longValue())
                    .isEqualTo(Duration.ofDays(30).toSeconds());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1234", "127.1", "face.de", "abcd", "10.0.0.0/33", "::1/129", "256.1.1.1", "::1%lo"})
    void a_range_is_written_in_full(String range) {
        var content = "{\"days\": 1, \"from\": [\"" + range + "\"]}";
        assertStatus(400, gateway.as("ada").post("/_apikeys", content));
    }
}
