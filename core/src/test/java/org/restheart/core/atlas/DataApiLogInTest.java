package org.restheart.core.atlas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Log-in as programs for the Atlas Data API know it.
class DataApiLogInTest extends LogInFixture {
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
        assertStatus(200, renewed);
        assertThat(renewed.headers().firstValue("cache-control")).contains("no-store");
        var second = BsonDocument.parse(renewed.body());
        assertThat(second.keySet()).containsExactly("access_token");
        assertThat(found(access(second), "c")).isEqualTo(200);
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
        assertStatus(200, renew(session));
    }

    @Test
    void callers_without_credentials_get_the_anonymous_account() {
        var session = session("anon-user", "");
        assertThat(found(access(session), "open")).isEqualTo(200);
        assertThat(found(access(session), "c")).isEqualTo(403);
        assertStatus(200, renew(session));
    }

    @Test
    void tokens_are_good_for_their_purpose_alone() {
        account("vera", "editor");
        var session = ofPassword("vera");
        assertThat(found(bearer(session, "refresh_token"), "c")).isEqualTo(401);
        assertStatus(401, access(session).post(SESSION, ""));
        var token = session.getString("access_token").getValue();
        var asPassword = logIn("local-userpass", "{\"username\": \"vera\", \"password\": \"%s\"}".formatted(token));
        assertStatus(401, asPassword);
        var key = key("vera", "").getString("key").getValue();
        assertStatus(401, logIn("custom-token", "{\"token\": \"%s\"}".formatted(key)));
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
        assertStatus(status, response);
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
        assertStatus(status, response);
        assertThat(BsonDocument.parse(response.body()).getString("error_code").getValue())
                .isEqualTo(code);
    }

    @Test
    void anonymous_sessions_make_neither_tokens_nor_keys() {
        var first = session("anon-user", "");
        for (var session : List.of(first, traded(first.getString("access_token").getValue()))) {
            var client = access(session);
            assertStatus(403, client.post("/_apikeys", "{\"days\": 7}"));
            assertStatus(403, client.get("/_apikeys"));
            assertStatus(403, client.post("/token", ""));
            var renewed = BsonDocument.parse(renew(session).body());
            assertStatus(403, access(renewed).get("/_apikeys"));
        }
    }

    @Test
    void anonymous_sessions_are_counted_by_address() {
        var stored = gateway.database().getCollection("_refreshTokens");
        for (var address : List.of("192.0.2.1", "127.0.0.1")) {
            stored.insertMany(IntStream.range(0, 1_000)
                    .mapToObj(i -> new Document("_id", address + " " + i)
                            .append("account", "guest")
                            .append("address", address)
                            .append("createdAt", new Date(i))
                            .append("expiresAt", new Date(Long.MAX_VALUE)))
                    .toList());
        }
        var session = session("anon-user", "");
        assertStatus(200, renew(session));
        assertThat(stored.countDocuments(new Document("address", "192.0.2.1"))).isEqualTo(1_000);
        assertThat(stored.countDocuments(new Document("_id", "127.0.0.1 0"))).isZero();
        assertThat(stored.countDocuments(new Document("_id", "127.0.0.1 1"))).isEqualTo(1);
    }

    /// Those that begin at the same time do not see each other, and are more than the bound together.
    @Test
    void surplus_anonymous_sessions_end_with_the_next_log_in() {
        var stored = gateway.database().getCollection("_refreshTokens");
        stored.insertMany(IntStream.range(0, 1_500)
                .mapToObj(i -> new Document("_id", "surplus " + i)
                        .append("account", "guest")
                        .append("address", "127.0.0.1")
                        .append("createdAt", new Date(1_000_000 + i))
                        .append("expiresAt", new Date(Long.MAX_VALUE)))
                .toList());
        assertStatus(200, renew(session("anon-user", "")));
        assertThat(stored.countDocuments(new Document("address", "127.0.0.1"))).isEqualTo(1_000);
    }

    @Test
    void unknown_addresses_are_not_found() {
        assertStatus(404, logIn("oauth2-google", "{}"));
        assertThat(logIn("local-user-pass", "{}").headers().firstValue("Warning"))
                .contains("299 - \"there is no provider local-user-pass; did you mean local-userpass?\"");
        var anonymous = gateway.anonymous();
        assertStatus(404, anonymous.post("/api/client/v2.0/app/other/auth/providers/anon-user/login", ""));
        assertStatus(405, anonymous.get("/api/client/v2.0/app/shop-abcde/auth/providers/anon-user/login"));
        assertStatus(400, anonymous.post(SESSION, ""));
        assertStatus(401, anonymous.with("Authorization", "Bearer rhr_nonsense").post(SESSION, ""));
        assertStatus(405, anonymous.get(SESSION));
    }

    @Test
    void no_refresh_token_is_stored_and_digests_are_out_of_reach() {
        account("wanda", "editor");
        var token = ofPassword("wanda").getString("refresh_token").getValue();
        var stored = gateway.collection("_refreshTokens")
                .find(BsonDocument.parse("{account: 'wanda'}"))
                .first();
        assertThat(stored.toJson()).doesNotContain(token);
        var admin = gateway.as("admin");
        key("wanda", "");
        for (var name : List.of("_refreshTokens", "apikeys")) {
            assertStatus(403, admin.get("/" + name));
            var lookUp = "{\"stages\": [{\"$lookup\": {\"from\": \"%s\", \"pipeline\": [], \"as\": \"x\"}}]}"
                    .formatted(name);
            assertThat(admin.post("/c/_aggrs", lookUp).statusCode()).as(name).isEqualTo(403);
            var app = "{\"_id\": \"leak-%s\", \"schema\": \"type S { _id: String } type Query { all: [S] }\","
                            .formatted(name)
                    + " \"mappings\": {\"Query\": {\"all\": {\"db\": \"%s\", \"collection\": \"%s\"}}}}"
                            .formatted(gateway.database().getName(), name);
            admin.put("/gql-apps", "{}");
            assertStatus(201, admin.post("/gql-apps", app));
            var answer = admin.post("/graphql/leak-" + name, "{\"query\": \"{all {_id}}\"}");
            assertStatus(200, answer);
            assertThat(answer.body())
                    .as(name)
                    .contains("errors")
                    .doesNotContain(stored.getString("_id").getValue())
                    .doesNotContain("\"_id\":")
                    .doesNotContain("\"_id\" :");
        }
    }

    @Test
    void sessions_are_bounded_in_time_by_an_index() {
        account("xena", "editor");
        ofPassword("xena");
        var indexes = gateway.collection("_refreshTokens").listIndexes().into(new ArrayList<>());
        assertThat(indexes)
                .anySatisfy(index -> assertThat(index.get("expireAfterSeconds")).isNotNull());
        var stored = gateway.collection("_refreshTokens")
                .find(BsonDocument.parse("{account: 'xena'}"))
                .first();
        var lasts = Duration.ofMillis(stored.getDateTime("expiresAt").getValue()
                - stored.getDateTime("createdAt").getValue());
        assertThat(lasts).isEqualTo(Duration.ofDays(60));
    }
}
