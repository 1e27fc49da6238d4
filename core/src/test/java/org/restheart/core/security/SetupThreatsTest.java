package org.restheart.core.security;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.set;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.restheart.testkit.Statuses.assertStatus;

import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.core.config.Configuration;
import org.restheart.core.config.Finding;
import org.restheart.security.realm.DefaultAccount;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Warnings to operators, and the behavior of certain configurations.
@WithMongo
class SetupThreatsTest {
    private static final String TOKENS = """
        tokenBasicAuthMechanism: {enabled: true}
        jwtAuthenticationMechanism: {enabled: true}
        """;

    private static List<String> findings(String yaml) {
        return Configuration.parse(yaml).read().findings().stream()
                .filter(finding -> finding.level() != Finding.Level.DETAIL)
                .map(Finding::toString)
                .toList();
    }

    @Test
    void a_good_key_is_not_reported() {
        assertThat(findings("jwtConfigProvider: {key: 0123456789abcdef0123456789abcdef}"))
                .noneMatch(line -> line.contains("/jwtConfigProvider/key"));
    }

    @Test
    void without_a_configured_key_every_gateway_generates_one(TestMongo mongo) {
        try (var one = TestGateway.start(mongo, TOKENS + "jwtTokenManager: {enabled: true}\n");
                var other = TestGateway.start(mongo, TOKENS + "jwtTokenManager: {enabled: true}\n")) {
            var token = token(one.as("ada"));
            assertStatus(200, bearer(one, token).get("/roles/ada"));
            assertStatus(401, bearer(other, token).get("/roles/ada"));
        }
    }

    private static BsonDocument body(TestClient client) {
        return BsonDocument.parse(client.send("POST", "/token", "").body());
    }

    private static String token(TestClient client) {
        return body(client).getString("access_token").getValue();
    }

    private static TestClient bearer(TestGateway gateway, String token) {
        return gateway.anonymous().with("Authorization", "Bearer " + token);
    }

    private static BsonDocument claims(String token) {
        return BsonDocument.parse(new String(Base64.getUrlDecoder().decode(token.split("\\.")[1]), UTF_8));
    }

    private static void assertUsable(BsonDocument body) {
        assertThat(body.getNumber("expires_in").longValue()).isPositive();
        var claims = claims(body.getString("access_token").getValue());
        assertThat(Instant.ofEpochSecond(claims.getNumber("exp").longValue())).isAfter(Instant.now());
    }

    @Test
    void a_token_shown_as_a_password_does_not_replace_the_accounts_own(TestMongo mongo) {
        try (var gateway = TestGateway.start(mongo, TOKENS + "jwtTokenManager: {enabled: true}\n")) {
            var ada = gateway.as("ada");
            var before = token(ada);
            gateway.collection("users").updateOne(eq("_id", "ada"), set("roles", List.of("other")));
            await().until(() -> !token(ada).equals(before));
            var now = body(ada);
            assertUsable(now);
            for (int i = 0; i < 3; i++) {
                assertStatus(200, gateway.anonymous().as("ada", before).get("/token"));
            }
            assertThat(body(ada).getString("access_token")).isEqualTo(now.getString("access_token"));
            assertThat(body(ada).getArray("roles").toString()).contains("other").doesNotContain("editor");
        }
    }

    /// Takes longer than a token lives, which is a minute at least: run with `-Dlong=true`.
    @Test
    void tokens_stay_valid_however_often_they_are_requested(TestMongo mongo) {
        assumeTrue(Boolean.getBoolean("long"), "takes 75 seconds; run with -Dlong=true");
        try (var gateway = TestGateway.start(mongo, TOKENS + "jwtTokenManager: {enabled: true, ttl: 1}\n")) {
            var end = Instant.now().plusSeconds(75);
            await().atMost(Duration.ofSeconds(90))
                    .pollInterval(Duration.ofSeconds(3))
                    .until(() -> {
                        var body = body(gateway.as("ada"));
                        assertUsable(body);
                        assertStatus(
                                200,
                                bearer(gateway, body.getString("access_token").getValue())
                                        .get("/roles/ada"));
                        return Instant.now().isAfter(end);
                    });
        }
    }

    /// The accounts module is not part of this release: its paths lead to data that are not there.
    @Test
    void there_are_no_services_for_registration_and_password_resets(TestMongo mongo) {
        assertThat(findings("accountsConfig: {enabled: true}\noauthConfig: {enabled: true}"))
                .anyMatch(line -> line.startsWith("/accountsConfig"))
                .anyMatch(line -> line.startsWith("/oauthConfig"));
        try (var gateway =
                TestGateway.start(mongo, "accountsConfig: {enabled: true}\noauthConfig: {enabled: true}\n")) {
            for (var path : List.of("/auth/register", "/auth/forgot-password", "/auth/oauth/callback/google")) {
                assertThat(gateway.anonymous().post(path, "{}").statusCode())
                        .as(path)
                        .isEqualTo(401);
                assertThat(gateway.anonymous().get(path).statusCode()).as(path).isEqualTo(401);
            }
        }
    }

    /// What a back end gets is in `ProxyTest`.
    @Test
    void account_headers_of_clients_do_not_reach_proxied_servers(TestMongo mongo) {
        var proxy = "proxies: [{location: /back, proxy-pass: 'http://127.0.0.1:1'}]\n";
        try (var gateway = TestGateway.start(mongo, proxy)) {
            assertStatus(
                    401,
                    gateway.anonymous()
                            .with("X-Forwarded-Account-Id", "admin")
                            .with("X-Forwarded-Account-Roles", "admin")
                            .get("/back"));
            assertStatus(
                    403,
                    gateway.as("bob")
                            .with("X-Forwarded-Account-Id", "admin")
                            .with("X-Forwarded-Account-Roles", "admin")
                            .get("/back"));
        }
    }

    @Test
    void the_default_password_is_reported_at_every_start(TestMongo mongo) {
        try (var log = new LogLines();
                var gateway = TestGateway.start(mongo, "")) {
            var config = TestGateway.config(
                    mongo.connectionString(), gateway.database().getName(), TestGateway.REALM);
            gateway.collection("users").updateOne(eq("_id", "admin"), set("password", DefaultAccount.HASH));
            try (var again = Gateway.start(config)) {
                assertThat(again.address()).isNotNull();
                await().until(() -> log.all().stream()
                        .anyMatch(line -> line.startsWith("WARN") && line.contains("default password")));
            }
        }
    }
}
