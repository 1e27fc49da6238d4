package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Responses.json;
import static org.restheart.testkit.Statuses.assertStatus;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// API keys as credentials for every endpoint.
@WithMongo
class ApiKeyTest {
    private static final String IMPORTED = "A1b2C3d4E5f6A1b2C3d4E5f6A1b2C3d4E5f6A1b2C3d4E5f6A1b2C3d4E5f6abcd";

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(
                mongo,
                "apiKeyAuthMechanism: {enabled: true}\n"
                        + "apiKeyRealm: {keys-db: $db, keys-collection: apikeys, pepper:"
                        + " salt-and-pepper-of-more-than-32-bytes}\n"
                        + "dataApi: {enabled: true}\n");
        gateway.permit("{_id: 1, roles: ['editor'], predicate: \"path-prefix('/c')\"}");
        gateway.insert("c", "{_id: 1}");
    }

    private static BsonDocument make(String who, String content) {
        var response = gateway.as(who).post("/_apikeys", content);
        assertStatus(201, response);
        assertThat(response.headers().firstValue("Cache-Control")).contains("no-store");
        return json(response);
    }

    private static int status(String header, String key) {
        return gateway.anonymous().with(header, key).get("/c").statusCode();
    }

    @Test
    void a_key_stands_for_its_account() {
        var made = make("ada", "{\"name\": \"robot\", \"days\": 7}");
        var key = made.getString("key").getValue();
        assertThat(key).matches("rhk_[A-Za-z0-9_-]{43}");
        assertThat(status("api-key", key)).isEqualTo(200);
        assertThat(status("APIKEY", key)).isEqualTo(200);
        assertThat(status("Authorization", "Bearer " + key)).isEqualTo(200);
        assertThat(status("api-key", key + "x")).isEqualTo(401);
        assertStatus(401, gateway.anonymous().get("/c?api-key=" + key));
        var body = "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"c\"}"
                .formatted(gateway.database().getName());
        var found = gateway.anonymous().with("api-key", key).post("/app/a/endpoint/data/v1/action/find", body);
        assertStatus(200, found);
    }

    @Test
    void only_a_digest_is_stored_and_it_is_never_shown() {
        var made = make("ada", "{\"name\": \"digest\", \"days\": 7}");
        var stored = gateway.collection("apikeys")
                .find(BsonDocument.parse("{name: 'digest'}"))
                .first();
        assertThat(stored.toJson()).doesNotContain(made.getString("key").getValue());
        var digest = stored.getString("_id").getValue();
        assertThat(made.toJson()).doesNotContain(digest);
        var list = gateway.as("ada").get("/_apikeys").body();
        assertThat(list).contains("digest").doesNotContain(digest);
    }

    @Test
    void keys_end_are_disabled_and_withdrawn() {
        var made = make("ada", "{\"days\": 7}");
        var key = made.getString("key").getValue();
        var path = "/_apikeys/" + made.getString("handle").getValue();
        var ada = gateway.as("ada");
        assertThat(status("api-key", key)).isEqualTo(200);
        assertStatus(204, ada.patch(path, "{\"disabled\": true}"));
        assertThat(status("api-key", key)).isEqualTo(401);
        assertStatus(204, ada.patch(path, "{\"disabled\": false}"));
        assertThat(status("api-key", key)).isEqualTo(200);
        var later = Instant.now().plus(30, ChronoUnit.DAYS);
        assertStatus(400, ada.patch(path, "{\"expiresAt\": \"" + later + "\"}"));
        assertStatus(204, ada.patch(path, "{\"expiresAt\": \"2020-01-01T00:00:00Z\"}"));
        assertThat(status("api-key", key)).isEqualTo(401);
        var other = make("ada", "{\"days\": 7}");
        assertThat(status("api-key", other.getString("key").getValue())).isEqualTo(200);
        assertStatus(204, ada.delete("/_apikeys/" + other.getString("handle").getValue()));
        assertThat(status("api-key", other.getString("key").getValue())).isEqualTo(401);
    }

    @Test
    void a_key_dies_with_its_account_and_has_its_roles_of_now() {
        gateway.insert(
                "users", "{_id: 'gone', password: '" + TestGateway.hash("gone-pw") + "', roles: ['editor', 'x']}");
        var all = make("gone", "{\"days\": 7}").getString("key").getValue();
        var few = make("gone", "{\"days\": 7, \"roles\": [\"x\"]}")
                .getString("key")
                .getValue();
        assertThat(status("api-key", all)).isEqualTo(200);
        assertThat(status("api-key", few)).isEqualTo(403);
        gateway.as("admin").delete("/users/gone");
        assertThat(status("api-key", all)).isEqualTo(401);
    }

    @Test
    void an_administrator_imports_keys_of_the_retired_service() {
        assertStatus(403, gateway.as("ada").post("/_apikeys", "{\"days\": 1, \"key\": \"" + IMPORTED + "\"}"));
        make("admin", "{\"account\": \"ada\", \"days\": 90, \"key\": \"" + IMPORTED + "\"}");
        assertThat(status("api-key", IMPORTED)).isEqualTo(200);
        assertStatus(
                409,
                gateway.as("admin")
                        .post("/_apikeys", "{\"account\": \"ada\", \"days\": 90, \"key\": \"" + IMPORTED + "\"}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"days\": 1000}",
                "{\"days\": 0}",
                "{\"expiresAt\": \"2020-01-01T00:00:00Z\"}",
                "{\"expiresAt\": \"tomorrow\"}",
                "{\"days\": 1, \"roles\": [\"admin\"]}",
                "{\"days\": 1, \"roles\": \"editor\"}",
                "{\"days\": 1, \"from\": [\"localhost\"]}",
                "[]",
                "{"
            })
    void what_a_key_cannot_be_is_refused(String content) {
        assertStatus(400, gateway.as("ada").post("/_apikeys", content));
    }

    @Test
    void others_keys_are_not_ones_own() {
        var made = make("ada", "{\"days\": 7}");
        var bob = gateway.as("bob");
        var keys = bob.get("/_apikeys");
        assertStatus(200, keys);
        assertThat(keys.body()).doesNotContain(made.getString("handle").getValue());
        assertStatus(404, bob.delete("/_apikeys/" + made.getString("handle").getValue()));
        assertStatus(403, bob.post("/_apikeys", "{\"days\": 1, \"account\": \"ada\"}"));
        assertThat(BsonArray.parse(gateway.as("admin").get("/_apikeys").body())).isNotEmpty();
        assertStatus(401, gateway.anonymous().get("/_apikeys"));
    }

    @Test
    void a_key_makes_no_keys() {
        var key = make("ada", "{\"days\": 7}").getString("key").getValue();
        assertStatus(403, gateway.anonymous().with("api-key", key).post("/_apikeys", "{\"days\": 300}"));
    }

    @Test
    void a_key_may_be_bound_to_addresses() {
        var here = make("ada", "{\"days\": 7, \"from\": [\"127.0.0.0/8\", \"::1\"]}")
                .getString("key")
                .getValue();
        var elsewhere = make("ada", "{\"days\": 7, \"from\": [\"192.0.2.0/24\"]}")
                .getString("key")
                .getValue();
        assertThat(status("api-key", here)).isEqualTo(200);
        assertThat(status("api-key", elsewhere)).isEqualTo(401);
    }

    @Test
    void its_use_is_noted_to_the_hour() {
        var made = make("ada", "{\"name\": \"noted\", \"days\": 7}");
        status("api-key", made.getString("key").getValue());
        await().untilAsserted(() -> assertThat(gateway.collection("apikeys")
                        .find(BsonDocument.parse("{name: 'noted'}"))
                        .first())
                .containsKey("lastUsedAt"));
    }

    /// What somebody writes into them while they are not in use would count as soon as they are.
    @ParameterizedTest
    @ValueSource(strings = {"_refreshTokens", "_revokedTokens", "_rates", "_manager_lock"})
    void the_collections_of_the_gateway_itself_are_out_of_reach_while_they_are_not_in_use(
            String name, TestMongo mongo) {
        try (var off = TestGateway.start(mongo, """
            dataApi: {enabled: true, sessions-db: $db}
            jwtConfigProvider: {revocations-db: $db}
            rateLimits: {shared-db: $db}
            """)) {
            off.insert(name, "{_id: 'digest', account: 'admin'}");
            off.insert("c", "{_id: 1}");
            var admin = off.as("admin");
            assertThat(admin.get("/c").statusCode()).isEqualTo(200);
            assertThat(admin.get("/" + name).statusCode()).isEqualTo(403);
            assertThat(admin.post("/" + name, "{\"account\": \"admin\"}").statusCode())
                    .isEqualTo(403);
            assertThat(admin.send("PUT", "/" + name + "/x", "{\"a\": 1}").statusCode())
                    .isEqualTo(403);
            assertThat(admin.delete("/" + name).statusCode()).isEqualTo(403);
            var action = "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"%s\", %s}";
            assertThat(admin.post(
                                    "/app/a/endpoint/data/v1/action/insertOne",
                                    action.formatted(off.database().getName(), name, "\"document\": {\"a\": 1}"))
                            .statusCode())
                    .isEqualTo(403);
            assertThat(admin.post(
                                    "/app/a/endpoint/data/v1/action/aggregate",
                                    action.formatted(
                                            off.database().getName(),
                                            "c",
                                            "\"pipeline\": [{\"$unionWith\": \"" + name + "\"}]"))
                            .statusCode())
                    .isEqualTo(403);
            assertThat(off.collection(name).countDocuments()).isEqualTo(1);
        }
    }

    /// A key that somebody writes while none are accepted would be accepted later.
    @Test
    void the_collection_of_keys_is_out_of_reach_while_none_are_accepted(TestMongo mongo) {
        try (var off = TestGateway.start(
                mongo, "apiKeyRealm: {keys-db: $db, keys-collection: apikeys}\ndataApi: {enabled: true}\n")) {
            off.insert("apikeys", "{_id: 'digest', account: 'admin'}");
            off.insert("c", "{_id: 1}");
            var admin = off.as("admin");
            assertThat(admin.get("/apikeys").statusCode()).isEqualTo(403);
            assertThat(admin.post("/apikeys", "{\"account\": \"admin\"}").statusCode())
                    .isEqualTo(403);
            assertThat(admin.delete("/apikeys").statusCode()).isEqualTo(403);
            var action =
                    "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"%s\", \"document\": {\"a\": 1},"
                            + " %s}";
            for (var insert : List.of("insertOne", "find")) {
                assertThat(admin.post(
                                        "/app/a/endpoint/data/v1/action/" + insert,
                                        action.formatted(off.database().getName(), "apikeys", "\"sort\": {}"))
                                .statusCode())
                        .as(insert)
                        .isEqualTo(403);
            }
            var union = "\"pipeline\": [{\"$unionWith\": \"apikeys\"}]";
            assertThat(admin.post(
                                    "/app/a/endpoint/data/v1/action/aggregate",
                                    action.formatted(off.database().getName(), "c", union))
                            .statusCode())
                    .isEqualTo(403);
            assertThat(off.collection("apikeys").countDocuments()).isEqualTo(1);
        }
    }

    @Test
    void the_collection_of_keys_is_out_of_reach() {
        var admin = gateway.as("admin");
        for (var target : List.of(
                "/apikeys",
                "/apikeys/x",
                "/apikeys/_size",
                "/apikeys/",
                "/%61pikeys",
                "/apikeys/_indexes",
                "/apikeys/_streams/all",
                "/apikeys/_aggrs/all",
                "/APIKEYS",
                "/apikeys/_meta")) {
            assertThat(admin.get(target).statusCode()).as(target).isEqualTo(403);
        }
        for (var method : List.of("POST", "PUT", "PATCH", "DELETE")) {
            assertThat(admin.json(
                                    method,
                                    "/apikeys/*?filter={\"a\":1}"
                                            .replace("{", "%7B")
                                            .replace("}", "%7D")
                                            .replace("\"", "%22"),
                                    "{\"a\": 1}")
                            .statusCode())
                    .as(method)
                    .isEqualTo(403);
        }
        var body = "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"apikeys\"}"
                .formatted(gateway.database().getName());
        assertStatus(403, admin.post("/app/a/endpoint/data/v1/action/find", body));
    }
}
