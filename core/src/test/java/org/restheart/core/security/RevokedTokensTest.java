package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.Filters;
import com.nimbusds.jose.JWSAlgorithm;
import java.time.Duration;
import java.time.Instant;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Tokens that were given back to one of several gateways with the same key.
@WithMongo
class RevokedTokensTest {
    private static final String MORE = """
            jwtConfigProvider: {enabled: true, key: "0123456789abcdef0123456789abcdef", revocations-db: $db}
            jwtAuthenticationMechanism: {enabled: true}
            jwtTokenManager: {enabled: true, ttl: 5256000}
            """;

    @AutoClose
    private TestGateway first;

    @AutoClose
    private Gateway second;

    @BeforeEach
    void start(TestMongo mongo) {
        first = TestGateway.start(mongo, MORE);
        second = another(mongo);
    }

    private Gateway another(TestMongo mongo) {
        return Gateway.start(
                TestGateway.config(mongo.connectionString(), first.database().getName(), TestGateway.REALM + MORE));
    }

    private String token() {
        return BsonDocument.parse(first.as("ada").send("POST", "/token", "").body())
                .getString("access_token")
                .getValue();
    }

    private static TestClient bearing(TestClient client, String token) {
        return client.with("Authorization", "Bearer " + token);
    }

    private static int status(TestClient client, String token) {
        return bearing(client, token).get("/roles/ada").statusCode();
    }

    @Test
    void a_token_that_was_given_back_is_refused_by_every_gateway_within_a_second(TestMongo mongo) {
        var token = token();
        var there = TestClient.of(second.address());
        assertThat(status(there, token)).isEqualTo(200);
        var renewed = BsonDocument.parse(
                        bearing(there, token).get("/token?renew").body())
                .getString("access_token")
                .getValue();
        assertThat(status(first.anonymous(), renewed)).isEqualTo(200);

        assertStatus(204, bearing(first.anonymous(), token).send("DELETE", "/token", ""));
        assertThat(status(first.anonymous(), token)).isEqualTo(401);
        Patience.within(Duration.ofSeconds(1)).until(() -> status(there, token) == 401);
        Patience.within(Duration.ofSeconds(1)).until(() -> status(there, renewed) == 401);
        assertThat(status(there, token())).isEqualTo(200);
        try (var third = another(mongo)) {
            assertThat(status(TestClient.of(third.address()), token)).isEqualTo(401);
        }
    }

    /// Tokens here are good for ten years; those of other issuers may be so for good.
    @Test
    void a_token_that_was_given_back_is_remembered_until_it_expires() throws Exception {
        assertStatus(204, bearing(first.anonymous(), token()).send("DELETE", "/token", ""));
        var nineYears = Instant.now().plus(Duration.ofDays(9 * 365));
        assertThat(first.collection("_revokedTokens").find())
                .isNotEmpty()
                .allMatch(revoked -> Instant.ofEpochMilli(
                                revoked.getDateTime("until").getValue())
                        .isAfter(nineYears));
        var endless = TokenFixture.signed(
                TokenFixture.KEY,
                JWSAlgorithm.HS256,
                "{\"iss\": \"restheart.org\", \"sub\": \"ada\", \"roles\": [\"admin\"], \"jti\": \"endless\"}");
        assertThat(status(first.anonymous(), endless)).isEqualTo(200);
        assertStatus(204, bearing(first.anonymous(), endless).send("DELETE", "/token", ""));
        assertThat(first.collection("_revokedTokens").find(Filters.eq("_id", "endless")))
                .singleElement()
                .matches(revoked -> !revoked.containsKey("until"));
        await().until(() -> status(TestClient.of(second.address()), endless) == 401);
    }

    @Test
    void revoked_tokens_are_nobodys_data() {
        bearing(first.anonymous(), token()).send("DELETE", "/token", "");
        assertStatus(403, first.as("admin").get("/_revokedTokens"));
        assertThat(first.collection("_revokedTokens").countDocuments()).isPositive();
    }
}
