package org.restheart.core.security;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;

/// When tokens end: with their account, its password, or by a log-out.

class TokenRevocationTest extends TokenFixture {
    @Test
    void a_token_has_the_current_claims() {
        gateway.insert("users", "{_id: 'eve', password: '" + TestGateway.hash("pw") + "', roles: ['a', 'b']}");
        var eve = gateway.anonymous().as("eve", "pw");
        var before = token(eve);
        gateway.collection("users")
                .updateOne(eq("_id", "eve"), set("roles", new BsonArray(List.of(new BsonString("c")))));
        await().until(() -> !token(eve).equals(before));
        var after = json(eve.send("POST", "/token", ""));
        var claims = claims(after.getString("access_token").getValue());
        assertThat(claims.getArray("roles")).containsExactly(new BsonString("c"));
        assertThat(after.getArray("roles")).isEqualTo(claims.getArray("roles"));
        assertThat(claims.get("jti")).isNotEqualTo(claims(before).get("jti"));
        // the revoked token is not accepted as a password either
        assertThat(gateway.anonymous().as("eve", before).get("/token").statusCode())
                .isEqualTo(200);
        assertThat(token(eve)).isEqualTo(after.getString("access_token").getValue());
    }

    @Test
    void a_revoked_token_is_refused() {
        gateway.insert("users", "{_id: 'ann', password: '" + TestGateway.hash("pw") + "', roles: ['editor']}");
        var token = token(gateway.anonymous().as("ann", "pw"));
        assertThat(bearer(token).get("/c").statusCode()).isEqualTo(200);
        var gone = bearer(token).send("DELETE", "/token", "");
        assertThat(gone.statusCode()).isEqualTo(204);
        assertThat(gone.headers().firstValue("Auth-Token")).isEmpty();
        assertThat(bearer(token).get("/c").statusCode()).isEqualTo(401);
        var other = token(gateway.anonymous().as("ann", "pw"));
        assertThat(other).isNotEqualTo(token);
        bearer(other).send("POST", "/logout", "");
        assertThat(bearer(other).get("/c").statusCode()).isEqualTo(401);
    }

    @Test
    void access_ends_when_the_account_does() {
        var token = insertedUser("gone", "editor");
        var derived = renewed(token);
        assertThat(bearer(derived).get("/c").statusCode()).isEqualTo(200);
        assertThat(gateway.as("admin").send("DELETE", "/users/gone", "").statusCode())
                .isEqualTo(204);
        for (var each : List.of(token, derived)) {
            assertThat(bearer(each).get("/c").statusCode()).isEqualTo(401);
            assertThat(bearer(each).get("/token?renew").statusCode()).isEqualTo(401);
            assertThat(gateway.anonymous().as("gone", each).get("/c").statusCode())
                    .isEqualTo(401);
        }
        // Nor does another account of that name inherit them.
        insertedUser("gone", "editor");
        assertThat(bearer(token).get("/c").statusCode()).isEqualTo(401);
    }

    @Test
    void access_ends_on_every_gateway_and_also_when_the_account_is_changed_behind_their_backs(TestMongo mongo) {
        var token = insertedUser("mary", "editor");
        var more = TestGateway.REALM.replace("$db", gateway.database().getName()) + TOKENS;
        try (var second = Gateway.start(
                TestGateway.config(mongo.connectionString(), gateway.database().getName(), more))) {
            var there = TestClient.of(second.address()).with("Authorization", "Bearer " + token);
            assertThat(there.get("/c").statusCode()).isEqualTo(200);
            gateway.collection("users")
                    .updateOne(eq("_id", "mary"), set("password", new BsonString(TestGateway.hash("other"))));
            await().until(() -> there.get("/c").statusCode() == 401);
            await().until(() -> bearer(token).get("/c").statusCode() == 401);
            assertThat(there.get("/token").statusCode()).isEqualTo(401);
        }
    }

    @Test
    void a_new_password_ends_the_tokens_that_the_old_one_has_bought() {
        var token = insertedUser("paul", "editor");
        assertThat(gateway.as("admin")
                        .patch("/users/paul", "{\"password\": \"new-pw\"}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(bearer(token).get("/c").statusCode()).isEqualTo(401);
        var next = token(gateway.anonymous().as("paul", "new-pw"));
        assertThat(bearer(next).get("/c").statusCode()).isEqualTo(200);
    }

    @Test
    void a_token_given_back_takes_those_with_it_that_were_made_of_it() {
        var first = insertedUser("lisa", "editor");
        var second = renewed(first);
        var third = renewed(second);
        assertThat(bearer(second).send("DELETE", "/token", "").statusCode()).isEqualTo(204);
        for (var each : List.of(first, second, third)) {
            assertThat(bearer(each).get("/c").statusCode()).isEqualTo(401);
        }
        assertThat(bearer(token(gateway.anonymous().as("lisa", "pw"))).get("/c").statusCode())
                .isEqualTo(200);
    }

    @Test
    void a_renewed_token_says_which_roles_the_account_has_now() {
        var token = insertedUser("olga", "editor");
        gateway.collection("users")
                .updateOne(eq("_id", "olga"), set("roles", new BsonArray(List.of(new BsonString("viewer")))));
        await().until(() ->
                claims(renewed(token)).getArray("roles").equals(new BsonArray(List.of(new BsonString("viewer")))));
    }
}
