package org.restheart.core.security;

import static com.mongodb.client.model.Filters.eq;
import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSObject;
import com.nimbusds.jose.Payload;
import com.nimbusds.jose.crypto.MACSigner;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.bson.BsonDocument;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.atlas.LogInFixture;
import org.restheart.testkit.ClientTransaction;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;

/// What is kept for a caller between requests, idempotency keys and sessions, is kept for no other one: neither
/// for another account of the same name, nor for another client of a shared one.
class CallerIdentityTest extends LogInFixture {
    private static final String KEY = "a-key-that-both-gateways-of-this-test-know";

    @BeforeAll
    static void permissions() {
        gateway.permit("{_id: 'identity', roles: ['editor', 'guest'], predicate: \"path-prefix('/shared') or"
                + " path-prefix('/_sessions')\", mongo: {allowWriteMode: true}}");
        gateway.insert("shared", "{_id: 1}");
        account("ida", "editor");
    }

    /// Of another issuer, which has the key too.
    private static TestClient foreign(String name, String id) throws Exception {
        var token = new JWSObject(
                new JWSHeader(JWSAlgorithm.HS256),
                new Payload(Map.of("iss", "restheart.org", "sub", name, "roles", List.of("editor"), "jti", id)));
        token.sign(new MACSigner(KEY));
        return gateway.anonymous().with("Authorization", "Bearer " + token.serialize());
    }

    private static String inserted(TestClient client, String key) {
        var response = client.with("Idempotency-Key", key).post("/shared", "{\"n\": 1}");
        assertStatus(201, response);
        return response.headers().firstValue("Location").orElseThrow();
    }

    private static int begun(TestClient client, UUID session) {
        return client.send("POST", "/_sessions/" + session + "/_txns", "").statusCode();
    }

    private static void assertStrangers(TestClient one, TestClient other) {
        var key = UUID.randomUUID().toString();
        var first = inserted(one, key);
        assertThat(inserted(other, key)).isNotEqualTo(first);
        assertThat(inserted(one, key)).isEqualTo(first);
        var chosen = UUID.randomUUID();
        assertThat(begun(one, chosen)).isEqualTo(201);
        assertThat(begun(one, chosen)).isEqualTo(304);
        assertThat(begun(other, chosen)).isEqualTo(201);
        for (var each : List.of(one, other)) {
            assertStatus(200, each.send("DELETE", "/_sessions/" + chosen, ""));
        }
        var session = UUID.fromString(ClientTransaction.beginSession(one));
        assertThat(begun(other, session)).isEqualTo(404);
        assertThat(begun(one, session)).isEqualTo(201);
        assertStatus(200, one.send("DELETE", "/_sessions/" + session, ""));
    }

    @Test
    void accounts_of_one_name_from_different_realms_share_nothing() throws Exception {
        assertStrangers(gateway.user("ida"), foreign("ida", "1"));
    }

    @Test
    void anonymous_sessions_share_nothing() {
        assertStrangers(access(session("anon-user", "")), access(session("anon-user", "")));
    }

    @Test
    void anonymous_sessions_do_not_see_each_others_imports() {
        var one = access(session("anon-user", ""));
        var other = access(session("anon-user", ""));
        var begun = one.with("Content-Type", "application/x-ndjson")
                .send("POST", "/_imports?into=/shared", "{\"_id\": \"i\"}");
        assertStatus(202, begun);
        var path = begun.headers().firstValue("Location").orElseThrow().replaceAll("^https?://[^/]+", "");
        assertThat(other.get("/_imports").body()).isEqualTo("[]");
        assertStatus(404, other.get(path));
        assertStatus(200, one.get(path));
    }

    /// Otherwise a client would have as many imports as it begins sessions.
    @Test
    void anonymous_sessions_of_one_address_share_the_limits_of_imports(TestMongo mongo) {
        gateway.insert("shared", "{_id: 'locked'}");
        try (var holding = mongo.client().startSession()) {
            holding.startTransaction();
            gateway.collection("shared")
                    .updateOne(holding, BsonDocument.parse("{_id: 'locked'}"), BsonDocument.parse("{$set: {held: 1}}"));
            var statuses = IntStream.range(0, 6)
                    .mapToObj(_ -> access(session("anon-user", ""))
                            .with("Content-Type", "application/x-ndjson")
                            .send("POST", "/_imports?into=/shared&wm=upsert", "{\"_id\": \"locked\"}"))
                    .map(HttpResponse::statusCode)
                    .toList();
            assertThat(statuses).containsExactly(202, 202, 202, 202, 429, 429);
            var account = gateway.user("ida")
                    .with("Content-Type", "application/x-ndjson")
                    .send("POST", "/_imports?into=/shared", "{\"_id\": \"of-an-account\"}");
            assertStatus(202, account);
        }
        Awaitility.await().until(() -> gateway.collection("_imports").countDocuments(eq("state", "running")) == 0);
    }

    @Test
    void an_api_key_shares_nothing_with_its_account() {
        assertStrangers(
                gateway.user("ida"),
                gateway.anonymous()
                        .with(
                                "Authorization",
                                "Bearer " + key("ida", "").getString("key").getValue()));
    }

    @Test
    void an_account_is_the_same_with_its_password_and_with_its_tokens() throws Exception {
        var first = inserted(gateway.user("ida"), "one account");
        assertThat(inserted(access(ofPassword("ida")), "one account")).isEqualTo(first);
        var token = foreign("eve", "1");
        var foreigns = inserted(token, "one subject");
        assertThat(inserted(foreign("eve", "2"), "one subject")).isEqualTo(foreigns);
    }
}
