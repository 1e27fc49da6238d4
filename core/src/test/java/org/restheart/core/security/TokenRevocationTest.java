package org.restheart.core.security;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Responses.json;
import static org.restheart.testkit.Statuses.assertStatus;

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
        gateway.insertUsers("{_id: 'eve', roles: ['a', 'b']}");
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
        assertStatus(200, gateway.anonymous().as("eve", before).get("/token"));
        assertThat(token(eve)).isEqualTo(after.getString("access_token").getValue());
    }

    @Test
    void a_revoked_token_is_refused() {
        gateway.insertUsers("{_id: 'ann', roles: ['editor']}");
        var token = token(gateway.anonymous().as("ann", "pw"));
        assertStatus(200, bearer(token).get("/c"));
        var gone = bearer(token).delete("/token");
        assertStatus(204, gone);
        assertThat(gone.headers().firstValue("Auth-Token")).isEmpty();
        assertStatus(401, bearer(token).get("/c"));
        var other = token(gateway.anonymous().as("ann", "pw"));
        assertThat(other).isNotEqualTo(token);
        bearer(other).send("POST", "/logout", "");
        assertStatus(401, bearer(other).get("/c"));
    }

    @Test
    void access_ends_when_the_account_does() {
        var token = insertedUser("gone", "editor");
        var derived = renewed(token);
        assertStatus(200, bearer(derived).get("/c"));
        assertStatus(204, gateway.as("admin").delete("/users/gone"));
        for (var each : List.of(token, derived)) {
            assertStatus(401, bearer(each).get("/c"));
            assertStatus(401, bearer(each).get("/token?renew"));
            assertStatus(401, gateway.anonymous().as("gone", each).get("/c"));
        }
        // Nor does another account of that name inherit them.
        insertedUser("gone", "editor");
        assertStatus(401, bearer(token).get("/c"));
    }

    @Test
    void access_ends_on_every_gateway_and_also_when_the_account_is_changed_behind_their_backs(TestMongo mongo) {
        var token = insertedUser("mary", "editor");
        var more = TestGateway.REALM.replace("$db", gateway.database().getName()) + TOKENS;
        try (var second = Gateway.start(
                TestGateway.config(mongo.connectionString(), gateway.database().getName(), more))) {
            var there = TestClient.of(second.address()).with("Authorization", "Bearer " + token);
            assertStatus(200, there.get("/c"));
            gateway.collection("users")
                    .updateOne(eq("_id", "mary"), set("password", new BsonString(TestGateway.hash("other"))));
            await().until(() -> there.get("/c").statusCode() == 401);
            await().until(() -> bearer(token).get("/c").statusCode() == 401);
            assertStatus(401, there.get("/token"));
        }
    }

    @Test
    void a_new_password_ends_the_tokens_that_were_made_with_the_old_one() {
        var token = insertedUser("paul", "editor");
        assertStatus(200, gateway.as("admin").patch("/users/paul", "{\"password\": \"new-pw\"}"));
        assertStatus(401, bearer(token).get("/c"));
        var next = token(gateway.anonymous().as("paul", "new-pw"));
        assertStatus(200, bearer(next).get("/c"));
    }

    @Test
    void a_token_given_back_takes_those_with_it_that_were_made_of_it() {
        var first = insertedUser("lisa", "editor");
        var second = renewed(first);
        var third = renewed(second);
        assertStatus(204, bearer(second).delete("/token"));
        for (var each : List.of(first, second, third)) {
            assertStatus(401, bearer(each).get("/c"));
        }
        assertStatus(200, bearer(token(gateway.anonymous().as("lisa", "pw"))).get("/c"));
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
