package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.Gateway;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Log-in, renewal and log-out as programs for the Atlas Data API know them.
@WithMongo
class DataApiLogInTest {
    private static final String SESSION = "/api/client/v2.0/auth/session";
    private static final String WRONG =
            "{error: 'invalid session: error finding user for endpoint', error_code: 'InvalidSession', link: ''}";

    private static final String CONFIG = """
            apiKeyAuthMechanism: {enabled: true}
            apiKeyRealm: {keys-db: $db, keys-collection: apikeys}
            jwtConfigProvider: {key: a-key-that-both-gateways-of-this-test-know}
            jwtAuthenticationMechanism: {enabled: true}
            jwtTokenManager: {enabled: true}
            dataApi: {enabled: true, login: true, app-ids: [shop-abcde], anonymous-account: guest, sessions-db: $db}
            graphql: {enabled: true, uri: /graphql, db: $db, collection: gql-apps}
            aggregationSecurity: {enabled: false}
            """;

    private static TestGateway gateway;
    /// On the same database. It does not know what the first one has revoked, as after a restart.
    private static Gateway another;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, CONFIG);
        another = Gateway.start(
                TestGateway.config(mongo.connectionString(), gateway.database().getName(), TestGateway.REALM + CONFIG));
        gateway.permit("{_id: 1, roles: ['editor'], predicate: \"path-prefix('/c')\"}");
        gateway.permit("{_id: 2, roles: ['guest'], predicate: \"path-prefix('/open')\"}");
        gateway.permit("{_id: 3, roles: ['viewer', 'editor'], predicate: \"path-prefix('/d')\"}");
        for (var name : List.of("c", "d", "open")) {
            gateway.insert(name, "{_id: 1}");
        }
        account("guest", "guest");
    }

    @AfterAll
    static void stop() {
        another.close();
        gateway.close();
    }

    private static void account(String name, String... roles) {
        gateway.database()
                .getCollection("users")
                .insertOne(new Document("_id", name)
                        .append("password", TestGateway.hash("pw"))
                        .append("roles", List.of(roles)));
    }

    private static HttpResponse<String> logIn(String provider, String content) {
        return gateway.anonymous()
                .post("/api/client/v2.0/app/shop-abcde/auth/providers/" + provider + "/login", content);
    }

    private static BsonDocument session(String provider, String content) {
        var response = logIn(provider, content);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(response.headers().allValues("content-type")).containsExactly("application/json");
        assertThat(response.headers().firstValue("cache-control")).contains("no-store");
        var session = BsonDocument.parse(response.body());
        assertThat(session.keySet()).containsExactly("access_token", "refresh_token", "user_id");
        return session;
    }

    private static BsonDocument ofPassword(String name) {
        return session("local-userpass", "{\"username\": \"%s\", \"password\": \"pw\"}".formatted(name));
    }

    private static TestClient bearer(BsonDocument session, String token) {
        return gateway.anonymous()
                .with("Authorization", "Bearer " + session.getString(token).getValue());
    }

    private static TestClient access(BsonDocument session) {
        return bearer(session, "access_token");
    }

    private static HttpResponse<String> renew(BsonDocument session) {
        return bearer(session, "refresh_token").post(SESSION, "");
    }

    private static int found(TestClient client, String collection) {
        return client.get("/" + collection).statusCode();
    }

    private static BsonDocument claims(BsonDocument session) {
        var part = session.getString("access_token").getValue().split("\\.")[1];
        return BsonDocument.parse(new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8));
    }

    @Test
    void a_password_is_traded_for_a_token_that_is_renewed() {
        account("nina", "editor");
        var session = ofPassword("nina");
        assertThat(session.getString("user_id").getValue()).isEqualTo("nina");
        var left = claims(session).getNumber("exp").longValue() - Instant.now().getEpochSecond();
        assertThat(left).isBetween(1_790L, 1_800L);
        assertThat(found(access(session), "c")).isEqualTo(200);
        var body = "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"c\"}"
                .formatted(gateway.database().getName());
        assertThat(access(session)
                        .post("/app/shop-abcde/endpoint/data/v1/action/find", body)
                        .body())
                .isEqualTo("{\"documents\": [{\"_id\": 1}]}");
        var renewed = renew(session);
        assertThat(renewed.statusCode()).as(renewed.body()).isEqualTo(200);
        assertThat(renewed.headers().firstValue("cache-control")).contains("no-store");
        var second = BsonDocument.parse(renewed.body());
        assertThat(second.keySet()).containsExactly("access_token");
        assertThat(found(access(second), "c")).isEqualTo(200);
    }

    @Test
    void a_log_out_ends_the_session_and_no_other() {
        account("olga", "editor");
        var session = ofPassword("olga");
        var other = ofPassword("olga");
        assertThat(bearer(session, "refresh_token").send("DELETE", SESSION, "").statusCode())
                .isEqualTo(204);
        assertThat(renew(session).statusCode()).isEqualTo(401);
        assertThat(found(access(session), "c")).isEqualTo(401);
        assertThat(renew(other).statusCode()).isEqualTo(200);
        assertThat(found(access(other), "c")).isEqualTo(200);
    }

    @Test
    void a_session_ends_with_the_password_and_the_account() {
        account("pia", "editor");
        var session = ofPassword("pia");
        assertThat(gateway.as("admin")
                        .patch("/users/pia", "{\"password\": \"another\"}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(renew(session).statusCode()).isEqualTo(401);
        assertThat(found(access(session), "c")).isEqualTo(401);
        account("quin", "editor");
        var second = ofPassword("quin");
        assertThat(gateway.as("admin").send("DELETE", "/users/quin", "").statusCode())
                .isEqualTo(204);
        assertThat(renew(second).statusCode()).isEqualTo(401);
        assertThat(found(access(second), "c")).isEqualTo(401);
    }

    @Test
    void renewed_tokens_have_the_roles_of_now() {
        account("rosa", "editor");
        var session = ofPassword("rosa");
        assertThat(gateway.as("admin")
                        .patch("/users/rosa", "{\"roles\": [\"viewer\"]}")
                        .statusCode())
                .isEqualTo(200);
        var renewed = BsonDocument.parse(renew(session).body());
        assertThat(found(access(renewed), "d")).isEqualTo(200);
        assertThat(found(access(renewed), "c")).isEqualTo(403);
    }

    private static BsonDocument key(String name, String members) {
        var made = gateway.user(name).post("/_apikeys", "{\"days\": 7" + members + "}");
        assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
        return BsonDocument.parse(made.body());
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
            assertThat(client.post("/_apikeys", "{\"days\": 7}").statusCode()).isEqualTo(403);
            assertThat(client.get("/_apikeys").statusCode()).isEqualTo(403);
            assertThat(client.get("/token").statusCode()).isEqualTo(403);
        }
        // A token of the key, traded once more, is still limited.
        var again = session(
                "custom-token",
                "{\"token\": \"%s\"}"
                        .formatted(session.getString("access_token").getValue()));
        assertThat(found(access(again), "d")).isEqualTo(200);
        assertThat(found(access(again), "c")).isEqualTo(403);
        assertThat(access(again).get("/token").statusCode()).isEqualTo(403);
    }

    @Test
    void a_session_of_a_key_ends_with_the_key() {
        account("tina", "editor");
        var key = key("tina", "");
        var session = ofKey(key);
        assertThat(found(access(session), "c")).isEqualTo(200);
        assertThat(gateway.user("tina").patch(path(key), "{\"disabled\": true}").statusCode())
                .isEqualTo(204);
        assertThat(found(access(session), "c")).isEqualTo(401);
        assertThat(renew(session).statusCode()).isEqualTo(401);
        assertThat(gateway.user("tina")
                        .patch(path(key), "{\"disabled\": false}")
                        .statusCode())
                .isEqualTo(204);
        assertThat(renew(session).statusCode()).isEqualTo(200);
        assertThat(gateway.user("tina").send("DELETE", path(key), "").statusCode())
                .isEqualTo(204);
        assertThat(found(access(session), "c")).isEqualTo(401);
        assertThat(renew(session).statusCode()).isEqualTo(401);
    }

    @Test
    void a_token_is_traded_for_a_session() {
        account("ulla", "editor");
        var token = BsonDocument.parse(gateway.user("ulla").get("/token").body())
                .getString("access_token")
                .getValue();
        var session = session("custom-token", "{\"token\": \"%s\"}".formatted(token));
        assertThat(session.getString("user_id").getValue()).isEqualTo("ulla");
        assertThat(found(access(session), "c")).isEqualTo(200);
        assertThat(renew(session).statusCode()).isEqualTo(200);
    }

    private static String ofToken(String name) {
        return BsonDocument.parse(gateway.user(name).get("/token").body())
                .getString("access_token")
                .getValue();
    }

    private static BsonDocument traded(String token) {
        return session("custom-token", "{\"token\": \"%s\"}".formatted(token));
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
        return gateway.collection("sessions").countDocuments(new Document("account", account));
    }

    @Test
    void a_log_out_ends_what_its_tokens_began() {
        account("yara", "editor");
        var session = ofPassword("yara");
        var derived = traded(session.getString("access_token").getValue());
        var other = ofPassword("yara");
        assertThat(renewedElsewhere(derived)).isEqualTo(200);
        assertThat(bearer(session, "refresh_token").send("DELETE", SESSION, "").statusCode())
                .isEqualTo(204);
        assertThat(renew(derived).statusCode()).isEqualTo(401);
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
        assertThat(bearer(derived, "refresh_token").send("DELETE", SESSION, "").statusCode())
                .isEqualTo(204);
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
        assertThat(gateway.anonymous()
                        .with("Authorization", "Bearer " + token)
                        .send(method, path, "")
                        .statusCode())
                .isEqualTo(status);
        assertThat(renew(session).statusCode()).isEqualTo(401);
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
        assertThat(gateway.collection("sessions")
                        .find(BsonDocument.parse("{account: 'dora'}"))
                        .map(stored -> stored.getDateTime("expiresAt").getValue() / 1_000)
                        .into(new ArrayList<>()))
                .hasSize(2)
                .contains(ends);
    }

    @Test
    void callers_without_credentials_get_the_anonymous_account() {
        var session = session("anon-user", "");
        assertThat(found(access(session), "open")).isEqualTo(200);
        assertThat(found(access(session), "c")).isEqualTo(403);
        assertThat(renew(session).statusCode()).isEqualTo(200);
    }

    @Test
    void tokens_are_good_for_their_purpose_alone() {
        account("vera", "editor");
        var session = ofPassword("vera");
        assertThat(found(bearer(session, "refresh_token"), "c")).isEqualTo(401);
        assertThat(access(session).post(SESSION, "").statusCode()).isEqualTo(401);
        var token = session.getString("access_token").getValue();
        var asPassword = logIn("local-userpass", "{\"username\": \"vera\", \"password\": \"%s\"}".formatted(token));
        assertThat(asPassword.statusCode()).isEqualTo(401);
        var key = key("vera", "").getString("key").getValue();
        assertThat(logIn("custom-token", "{\"token\": \"%s\"}".formatted(key)).statusCode())
                .isEqualTo(401);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            local-userpass | {"username": "ada", "password": "wrong"}   | 401
            local-userpass | {"username": "nobody", "password": "x"}    | 401
            api-key        | {"key": "rhk_0000000000000000000000000000"} | 401
            custom-token   | {"token": "a.b.c"}                         | 401
            """)
    void wrong_credentials_are_refused(String provider, String content, int status) {
        var response = logIn(provider, content);
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(BsonDocument.parse(response.body())).isEqualTo(BsonDocument.parse(WRONG));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            local-userpass | {"username": "ada"} | 400 | MissingParameter
            local-userpass | {"username": 1, "password": "x"} | 400 | MissingParameter
            api-key        | []                  | 400 | InvalidParameter
            custom-token   | nonsense            | 400 | InvalidParameter
            """)
    void requests_that_cannot_be_read_are_refused(String provider, String content, int status, String code) {
        var response = logIn(provider, content);
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(BsonDocument.parse(response.body()).getString("error_code").getValue())
                .isEqualTo(code);
    }

    @Test
    void unknown_addresses_are_not_found() {
        assertThat(logIn("oauth2-google", "{}").statusCode()).isEqualTo(404);
        var anonymous = gateway.anonymous();
        assertThat(anonymous
                        .post("/api/client/v2.0/app/other/auth/providers/anon-user/login", "")
                        .statusCode())
                .isEqualTo(404);
        assertThat(anonymous
                        .get("/api/client/v2.0/app/shop-abcde/auth/providers/anon-user/login")
                        .statusCode())
                .isEqualTo(405);
        assertThat(anonymous.post(SESSION, "").statusCode()).isEqualTo(400);
        assertThat(anonymous
                        .with("Authorization", "Bearer rhr_nonsense")
                        .post(SESSION, "")
                        .statusCode())
                .isEqualTo(401);
        assertThat(anonymous.get(SESSION).statusCode()).isEqualTo(405);
    }

    @Test
    void no_refresh_token_is_stored_and_digests_are_out_of_reach() {
        account("wanda", "editor");
        var token = ofPassword("wanda").getString("refresh_token").getValue();
        var stored = gateway.collection("sessions")
                .find(BsonDocument.parse("{account: 'wanda'}"))
                .first();
        assertThat(stored.toJson()).doesNotContain(token);
        var admin = gateway.as("admin");
        key("wanda", "");
        for (var name : List.of("sessions", "apikeys")) {
            assertThat(admin.get("/" + name).statusCode()).isEqualTo(403);
            var lookUp = "{\"stages\": [{\"$lookup\": {\"from\": \"%s\", \"pipeline\": [], \"as\": \"x\"}}]}"
                    .formatted(name);
            assertThat(admin.post("/c/_aggrs", lookUp).statusCode()).as(name).isEqualTo(403);
            var app = "{\"_id\": \"leak-%s\", \"schema\": \"type S { _id: String } type Query { all: [S] }\","
                            .formatted(name)
                    + " \"mappings\": {\"Query\": {\"all\": {\"db\": \"%s\", \"collection\": \"%s\"}}}}"
                            .formatted(gateway.database().getName(), name);
            admin.put("/gql-apps", "{}");
            assertThat(admin.post("/gql-apps", app).statusCode()).isEqualTo(201);
            assertThat(admin.post("/graphql/leak-" + name, "{\"query\": \"{all {_id}}\"}")
                            .body())
                    .as(name)
                    .doesNotContain(stored.getString("_id").getValue())
                    .doesNotContain("\"_id\":")
                    .doesNotContain("\"_id\" :");
        }
    }

    @Test
    void sessions_are_bounded_in_time_by_an_index() {
        account("xena", "editor");
        ofPassword("xena");
        var indexes = gateway.collection("sessions").listIndexes().into(new ArrayList<>());
        assertThat(indexes)
                .anySatisfy(index -> assertThat(index.get("expireAfterSeconds")).isNotNull());
        var stored = gateway.collection("sessions")
                .find(BsonDocument.parse("{account: 'xena'}"))
                .first();
        var lasts = Duration.ofMillis(stored.getDateTime("expiresAt").getValue()
                - stored.getDateTime("createdAt").getValue());
        assertThat(lasts).isEqualTo(Duration.ofDays(60));
    }
}
