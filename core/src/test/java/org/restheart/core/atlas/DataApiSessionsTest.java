package org.restheart.core.atlas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.Gateway;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;

/// How sessions of the Atlas Data API are renewed, limited and ended.
class DataApiSessionsTest extends LogInFixture {
    @Test
    void a_log_out_ends_the_session_and_no_other() {
        account("olga", "editor");
        var session = ofPassword("olga");
        var other = ofPassword("olga");
        assertStatus(204, bearer(session, "refresh_token").send("DELETE", SESSION, ""));
        assertStatus(401, renew(session));
        assertThat(found(access(session), "c")).isEqualTo(401);
        assertStatus(200, renew(other));
        assertThat(found(access(other), "c")).isEqualTo(200);
    }

    @Test
    void a_session_ends_with_the_password_and_the_account() {
        account("pia", "editor");
        var session = ofPassword("pia");
        assertStatus(200, gateway.as("admin").patch("/users/pia", "{\"password\": \"another\"}"));
        assertStatus(401, renew(session));
        assertThat(found(access(session), "c")).isEqualTo(401);
        account("quin", "editor");
        var second = ofPassword("quin");
        assertStatus(204, gateway.as("admin").send("DELETE", "/users/quin", ""));
        assertStatus(401, renew(second));
        assertThat(found(access(second), "c")).isEqualTo(401);
    }

    @Test
    void anonymous_sessions_end_when_the_configuration_has_none(TestMongo mongo) {
        var session = session("anon-user", "");
        var without = CONFIG.replace("anonymous-account: guest, ", "");
        try (var changed = Gateway.start(TestGateway.config(
                mongo.connectionString(), gateway.database().getName(), TestGateway.REALM + without))) {
            var refresh = "Bearer " + session.getString("refresh_token").getValue();
            var client = TestClient.of(changed.address()).with("Authorization", refresh);
            assertStatus(401, client.post(SESSION, ""));
            assertStatus(204, client.send("DELETE", SESSION, ""));
        }
        assertStatus(401, renew(session));
    }

    @Test
    void renewed_tokens_have_the_roles_of_now() {
        account("rosa", "editor");
        var session = ofPassword("rosa");
        assertStatus(200, gateway.as("admin").patch("/users/rosa", "{\"roles\": [\"viewer\"]}"));
        var renewed = BsonDocument.parse(renew(session).body());
        assertThat(found(access(renewed), "d")).isEqualTo(200);
        assertThat(found(access(renewed), "c")).isEqualTo(403);
    }

    private static BsonDocument ofKey(BsonDocument key) {
        return session(
                "api-key", "{\"key\": \"%s\"}".formatted(key.getString("key").getValue()));
    }

    private static String path(BsonDocument key) {
        return "/_apikeys/" + key.getString("handle").getValue();
    }

    @Test
    void a_session_of_a_key_has_the_limits_of_the_key() {
        account("sara", "editor", "viewer");
        var session = ofKey(key("sara", ", \"roles\": [\"viewer\"]"));
        assertThat(found(access(session), "d")).isEqualTo(200);
        assertThat(found(access(session), "c")).isEqualTo(403);
        var renewed = BsonDocument.parse(renew(session).body());
        assertThat(found(access(renewed), "d")).isEqualTo(200);
        assertThat(found(access(renewed), "c")).isEqualTo(403);
        for (var client : List.of(access(session), access(renewed))) {
            assertStatus(403, client.post("/_apikeys", "{\"days\": 7}"));
            assertStatus(403, client.get("/_apikeys"));
            assertStatus(403, client.get("/token"));
        }
        // A token of the key, traded once more, is still limited.
        var again = session(
                "custom-token",
                "{\"token\": \"%s\"}"
                        .formatted(session.getString("access_token").getValue()));
        assertThat(found(access(again), "d")).isEqualTo(200);
        assertThat(found(access(again), "c")).isEqualTo(403);
        assertStatus(403, access(again).get("/token"));
    }

    @Test
    void a_session_of_a_key_ends_with_the_key() {
        account("tina", "editor");
        var key = key("tina", "");
        var session = ofKey(key);
        assertThat(found(access(session), "c")).isEqualTo(200);
        assertStatus(204, gateway.user("tina").patch(path(key), "{\"disabled\": true}"));
        assertThat(found(access(session), "c")).isEqualTo(401);
        assertStatus(401, renew(session));
        assertStatus(204, gateway.user("tina").patch(path(key), "{\"disabled\": false}"));
        assertStatus(200, renew(session));
        assertStatus(204, gateway.user("tina").send("DELETE", path(key), ""));
        assertThat(found(access(session), "c")).isEqualTo(401);
        assertStatus(401, renew(session));
    }

    private static String ofToken(String name) {
        return BsonDocument.parse(gateway.user(name).get("/token").body())
                .getString("access_token")
                .getValue();
    }

    private static int renewedElsewhere(BsonDocument session) {
        return TestClient.of(another.address())
                .with(
                        "Authorization",
                        "Bearer " + session.getString("refresh_token").getValue())
                .post(SESSION, "")
                .statusCode();
    }

    private static long stored(String account) {
        return gateway.collection("_refreshTokens").countDocuments(new Document("account", account));
    }

    @Test
    void a_log_out_ends_what_its_tokens_began() {
        account("yara", "editor");
        var session = ofPassword("yara");
        var derived = traded(session.getString("access_token").getValue());
        var other = ofPassword("yara");
        assertThat(renewedElsewhere(derived)).isEqualTo(200);
        assertStatus(204, bearer(session, "refresh_token").send("DELETE", SESSION, ""));
        assertStatus(401, renew(derived));
        assertThat(renewedElsewhere(derived)).isEqualTo(401);
        assertThat(renewedElsewhere(session)).isEqualTo(401);
        assertThat(renewedElsewhere(other)).isEqualTo(200);
        assertThat(stored("yara")).isEqualTo(1);
    }

    @Test
    void a_log_out_of_a_derived_session_ends_the_first() {
        account("abel", "editor");
        var session = ofPassword("abel");
        var derived = traded(session.getString("access_token").getValue());
        assertStatus(204, bearer(derived, "refresh_token").send("DELETE", SESSION, ""));
        assertThat(renewedElsewhere(session)).isEqualTo(401);
        assertThat(renewedElsewhere(derived)).isEqualTo(401);
    }

    @ParameterizedTest
    @CsvSource({"DELETE, /token, 204, bela", "POST, /logout, 200, cleo"})
    void the_revocation_of_a_token_ends_its_sessions(String method, String path, int status, String name) {
        account(name, "editor");
        var token = ofToken(name);
        var session = traded(token);
        var other = ofPassword(name);
        assertThat(renewedElsewhere(session)).isEqualTo(200);
        assertStatus(
                status,
                gateway.anonymous().with("Authorization", "Bearer " + token).send(method, path, ""));
        assertStatus(401, renew(session));
        assertThat(renewedElsewhere(session)).isEqualTo(401);
        assertThat(renewedElsewhere(other)).isEqualTo(200);
    }

    @Test
    void a_session_of_a_token_lasts_no_longer_than_the_token() {
        account("dora", "editor");
        var first = ofPassword("dora");
        var ends = claims(first).getNumber("exp").longValue();
        var derived = traded(first.getString("access_token").getValue());
        assertThat(claims(derived).getNumber("exp").longValue()).isLessThanOrEqualTo(ends);
        var renewed = BsonDocument.parse(renew(derived).body());
        assertThat(claims(renewed).getNumber("exp").longValue()).isLessThanOrEqualTo(ends);
        assertThat(gateway.collection("_refreshTokens")
                        .find(BsonDocument.parse("{account: 'dora'}"))
                        .map(stored -> stored.getDateTime("expiresAt").getValue() / 1_000)
                        .into(new ArrayList<>()))
                .hasSize(2)
                .contains(ends);
    }
}
