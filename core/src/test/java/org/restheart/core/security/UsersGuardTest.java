package org.restheart.core.security;

import static com.mongodb.client.model.Filters.eq;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class UsersGuardTest {
    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.permit("""
                {_id: 'merge', roles: ['merger'], predicate: "path-prefix('/users')",
                 mongo: {mergeRequest: {password: "@qparams['p']"}, allowWriteMode: true}}""");
        gateway.permit("{_id: 'mergeroot', roles: ['rooter'], predicate: \"path-prefix('/users')\","
                + " mongo: {mergeRequest: {roles: [\"@qparams['r']\"]}, allowWriteMode: true}}");
        gateway.permit("{_id: 'staff', roles: ['editor'], predicate: \"path-prefix('/users')\", mongo:"
                + " {allowWriteMode: true, projectResponse: {_id: 1, password: 1}}}");
        gateway.insertUsers("{_id: 'mia', roles: ['merger']}", "{_id: 'rob', roles: ['rooter']}");
    }

    @BeforeEach
    void victim() {
        gateway.collection("users").deleteOne(eq("_id", "x"));
        gateway.insert(
                "users",
                "{_id: 'x', password: '" + TestGateway.hash("old") + "', roles: ['viewer'], x: ['admin'],"
                        + " inviteToken: 'abc'}");
    }

    private static TestClient root() {
        return gateway.as("admin");
    }

    private static BsonDocument stored() {
        return gateway.collection("users").find(eq("_id", "x")).first();
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }

    private static int status(HttpResponse<String> response) {
        return response.statusCode();
    }

    @Test
    void a_name_as_in_files_is_refused() {
        var answer = root().post("/users", "{\"userid\": \"ada\", \"password\": \"x\", \"roles\": []}");
        assertStatus(400, answer);
        assertThat(answer.body()).contains("userid is for files; here the name of an account is _id");
        var named = root().post("/users", "{\"_id\": \"x9\", \"userid\": 9, \"password\": \"x\", \"roles\": []}");
        assertStatus(201, named);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/users", "/acl"})
    void accounts_and_permissions_do_not_expire_by_an_index(String collection) {
        var index = collection + "/_indexes/by-time";
        var answer = root().put(index, "{\"keys\": {\"at\": 1}, \"ops\": {\"expireAfterSeconds\": 1}}");
        assertStatus(409, answer);
        assertThat(answer.body()).contains("do not expire by an index");
        assertThat(status(root().put(index, "{\"keys\": {\"at\": 1}}"))).isEqualTo(201);
        assertThat(status(root().delete(index))).isEqualTo(204);
    }

    @Test
    void no_write_gives_the_root_role() {
        for (var content : List.of(
                "{\"roles\":[\"admin\"]}",
                "{\"$set\":{\"roles\":[\"admin\"]}}",
                "{\"$push\":{\"roles\":\"admin\"}}",
                "{\"$push\":{\"roles\":{\"$each\":[\"admin\"]}}}",
                "{\"$addToSet\":{\"roles\":\"admin\"}}",
                "{\"$setOnInsert\":{\"roles\":[\"admin\"]}}",
                "{\"roles.0\":\"admin\"}",
                "{\"$set\":{\"roles.$[]\":\"admin\"}}",
                "{\"$rename\":{\"x\":\"roles\"}}",
                "[{\"$set\":{\"roles\":[\"admin\"]}}]",
                "[{\"$set\":{\"roles\":\"$x\"}}]",
                "[{\"$addFields\":{\"roles\":{\"$concatArrays\":[\"$roles\",\"$x\"]}}}]",
                "[{\"$replaceWith\":{\"_id\":\"x\",\"roles\":\"$x\"}}]",
                "[{\"$project\":{\"roles\":\"$x\"}}]")) {
            var response = root().patch("/users/x", content);
            assertThat(status(response)).as(content).isEqualTo(403);
            assertThat(response.body())
                    .contains("Forbidden. The request has been logged.", "the root role", "--reset-admin");
            assertThat(status(root().patch("/users/x?wm=upsert", content)))
                    .as(content)
                    .isEqualTo(403);
        }
        assertThat(status(root().patch("/users/*?filter=" + encode("{\"_id\":\"x\"}"), "{\"roles\":[\"admin\"]}")))
                .isEqualTo(403);
        assertThat(status(root().put("/users/x?wm=upsert", "{\"roles\":[\"admin\"],\"password\":\"pw\"}")))
                .isEqualTo(403);
        assertThat(status(root().post("/users?wm=upsert", "{\"_id\":\"x\",\"roles\":[\"a\",\"admin\"]}")))
                .isEqualTo(403);
        assertThat(status(root().post("/users", "[{\"_id\":\"y\"},{\"_id\":\"z\",\"roles\":[\"admin\"]}]")))
                .isEqualTo(403);
        assertThat(status(root().send("PATCH", "/users/x", "{\"roles\":[\"admin\"]}")))
                .as("no content type")
                .isEqualTo(403);
        assertThat(status(gateway.anonymous().as("rob", "pw").patch("/users/x?r=admin", "{\"a\":1}")))
                .as("through mergeRequest")
                .isEqualTo(403);
        var form = root().with("Content-Type", "application/x-www-form-urlencoded");
        assertThat(status(form.send("POST", "/users", "_id=f&roles=" + encode("[\"admin\"]"))))
                .isEqualTo(403);
        var multipart = root().with("Content-Type", "multipart/form-data; boundary=b");
        assertThat(status(multipart.send("POST", "/users", """
                --b\r
                Content-Disposition: form-data; name="roles"\r
                \r
                ["admin"]\r
                --b--\r
                """))).isEqualTo(403);
        assertThat(stored().getArray("roles")).containsExactly(new BsonString("viewer"));
    }

    @Test
    void other_roles_can_be_given_and_roles_taken_away() {
        assertThat(status(root().patch("/users/x", "{\"roles\":[\"editor\",\"viewer\"]}")))
                .isEqualTo(200);
        assertThat(status(root().patch("/users/x", "{\"$pull\":{\"roles\":\"editor\"}}")))
                .isEqualTo(200);
        assertThat(status(root().patch("/users/x", "{\"$push\":{\"roles\":\"other\"}}")))
                .isEqualTo(200);
        assertThat(stored().getArray("roles")).containsExactly(new BsonString("viewer"), new BsonString("other"));
    }

    private static void assertPassword(String password) {
        assertThat(stored().getString("password").getValue()).startsWith("$2a$04$");
        assertThat(status(gateway.anonymous().as("x", password).get("/roles/x")))
                .as(password)
                .isEqualTo(200);
    }

    @Test
    void passwords_are_hashed_in_whatever_form_they_are_written() {
        assertThat(status(root().patch("/users/x", "{\"password\":\"p1\"}"))).isEqualTo(200);
        assertPassword("p1");
        assertThat(status(gateway.anonymous().as("x", "old").get("/roles/x"))).isEqualTo(401);
        assertThat(status(root().patch("/users/x", "{\"$set\":{\"password\":\"p2\"}}")))
                .isEqualTo(200);
        assertPassword("p2");
        assertThat(status(root().patch("/users/x", "[{\"$set\":{\"password\":\"p3\"}}]")))
                .isEqualTo(200);
        assertPassword("p3");
        assertThat(status(root().patch("/users/x", "[{\"$set\":{\"password\":{\"$literal\":\"$p4\"}}}]")))
                .isEqualTo(200);
        assertPassword("$p4");
        assertThat(status(root().patch("/users/*?filter=" + encode("{\"_id\":\"x\"}"), "{\"password\":\"p5\"}")))
                .isEqualTo(200);
        assertPassword("p5");
        assertThat(status(root().put("/users/x", "{\"password\":\"p6\",\"roles\":[]}")))
                .isEqualTo(200);
        assertPassword("p6");
        assertThat(status(root().post("/users?wm=upsert", "[{\"_id\":\"x\",\"password\":\"p7\",\"roles\":[]}]")))
                .isEqualTo(200);
        assertPassword("p7");
        assertThat(status(root().send("PATCH", "/users/x", "{\"password\":\"p8\"}")))
                .isEqualTo(200);
        assertPassword("p8");
        assertThat(status(gateway.anonymous().as("mia", "pw").patch("/users/x?p=p9", "{\"a\":1}")))
                .isEqualTo(200);
        assertPassword("p9");
        var form = root().with("Content-Type", "application/x-www-form-urlencoded");
        assertThat(status(form.send("PUT", "/users/x", "password=p10"))).isEqualTo(200);
        assertPassword("p10");
    }

    @Test
    void passwords_that_cannot_be_hashed_are_refused() {
        for (var content : List.of(
                "{\"password\":5}",
                "{\"password\":null}",
                "{\"password.x\":\"a\"}",
                "{\"$set\":{\"password\":true}}",
                "{\"$rename\":{\"x\":\"password\"}}",
                "{\"$rename\":{\"password\":\"x\"}}",
                "{\"$min\":{\"password\":\"a\"}}",
                "[{\"$set\":{\"password\":\"$x\"}}]",
                "[{\"$set\":{\"password\":{\"$concat\":[\"a\",\"b\"]}}}]")) {
            assertThat(status(root().patch("/users/x", content))).as(content).isEqualTo(400);
        }
        assertPassword("old");
    }

    @Test
    void password_hashes_are_never_shown() {
        for (var target : List.of(
                "/users/x",
                "/users",
                "/users?rep=hal",
                "/users/x?rep=shal",
                "/users?keys=" + encode("{\"roles\":1}"),
                "/users?keys=" + encode("{\"all\":{\"$concat\":[\"$_id\",\"-\"]}}"))) {
            var response = root().get(target);
            assertThat(status(response)).as(target).isEqualTo(200);
            assertThat(response.body()).as(target).doesNotContain("$2a$").doesNotContain("\"password\"");
        }
        assertThat(root().get("/users/x").body()).contains("inviteToken");
        var staff = gateway.as("ada").get("/users");
        assertThat(status(staff)).isEqualTo(200);
        assertThat(staff.body()).contains("\"x\"").doesNotContain("$2a$").doesNotContain("inviteToken");
    }

    @Test
    void no_query_of_a_client_may_depend_on_password_hashes() {
        for (var query : List.of(
                "filter={\"password\":{\"$regex\":\"^.\"}}",
                "filter={\"$or\":[{\"_id\":1},{\"password\":{\"$gt\":\"a\"}}]}",
                "filter={\"_id\":\"x\"}&filter={\"password\":{\"$exists\":true}}",
                "filter={\"$expr\":{\"$gt\":[\"$password\",\"a\"]}}",
                "filter={\"$expr\":{\"$gt\":[\"$$ROOT.password\",\"a\"]}}",
                "filter={\"$expr\":{\"$eq\":[{\"$getField\":{\"field\":{\"$concat\":[\"pass\",\"word\"]},\"input\":\"$$ROOT\"}},\"a\"]}}",
                "filter={\"$expr\":{\"$let\":{\"vars\":{\"d\":\"$$ROOT\"},\"in\":{\"$gt\":[\"$$d.password\",\"a\"]}}}}",
                "filter={\"$jsonSchema\":{\"properties\":{\"password\":{\"pattern\":\"^.\"}}}}",
                "sort=password",
                "sort=-password",
                "sort={\"password\":1}",
                "keys={\"p\":\"$password\"}",
                "keys={\"password\":1}",
                "keys={\"p\":\"$$ROOT\"}",
                "hint={\"password\":1}",
                "hint=password_1",
                "avars={\"a\":\"$password\"}")) {
            var encoded = query.replaceAll("[{}\"$\\[\\]^|: ]", "?");
            var target = new StringBuilder();
            for (var pair : query.split("&(?=filter)")) {
                int equals = pair.indexOf('=');
                target.append(target.isEmpty() ? "?" : "&")
                        .append(pair, 0, equals)
                        .append("=")
                        .append(encode(pair.substring(equals + 1)));
            }
            for (var path : List.of("/users", "/users/x", "/users/_size")) {
                var response = root().get(path + target);
                assertThat(status(response)).as(path + " " + query + encoded).isEqualTo(403);
                assertThat(response.body()).contains("Using filters on the password property is forbidden");
            }
        }
        assertThat(status(
                        root().patch("/users/*?filter=" + encode("{\"password\":{\"$regex\":\"^.\"}}"), "{\"hit\":1}")))
                .isEqualTo(403);
        assertThat(status(root().delete("/users/*?filter=" + encode("{\"password\":{\"$gt\":\"\"}}"))))
                .isEqualTo(403);
        assertThat(status(gateway.as("ada").get("/users?filter=" + encode("{\"inviteToken\":\"abc\"}"))))
                .isEqualTo(403);
        assertThat(status(root().get("/users?filter=" + encode("{\"name\":\"password\"}"))))
                .isEqualTo(200);
    }

    @Test
    void accounts_are_not_aggregated() {
        assertThat(status(root().get("/users/_aggrs/any"))).isEqualTo(403);
    }

    @Test
    void empty_and_overlong_passwords_are_refused() {
        assertThat(status(root().patch("/users/x", "{\"password\":\"\"}"))).isEqualTo(400);
        assertThat(status(root().patch("/users/x", "{\"password\":\"" + "a".repeat(73) + "\"}")))
                .isEqualTo(400);
        assertThat(status(root().patch("/users/x", "{\"password\":\"" + "ä".repeat(37) + "\"}")))
                .isEqualTo(400);
        assertThat(status(root().patch("/users/x", "{\"password\":\"" + "a".repeat(72) + "\"}")))
                .isEqualTo(200);
    }

    @Test
    void old_hashes_of_long_passwords_keep_working() {
        gateway.insert(
                "users",
                "{_id: 'long', password: '" + TestGateway.hash("a".repeat(71) + "b") + "', roles: ['editor']}");
        await().until(() -> status(gateway.anonymous()
                        .as("long", "a".repeat(71) + "b and more")
                        .get("/roles/long"))
                == 200);
        assertThat(status(gateway.anonymous().as("long", "a".repeat(72)).get("/roles/long")))
                .isEqualTo(401);
    }

    @Test
    void weak_passwords_are_refused_where_that_is_wanted(TestMongo mongo) {
        var strict = "mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 4,"
                + " enforce-minimum-password-strength: true, minimum-password-strength: 3}\n";
        try (var other = TestGateway.startWithRealm(mongo, strict, "")) {
            var weak = other.as("admin").patch("/users/bob", "{\"password\":\"password1\"}");
            assertThat(status(weak)).isEqualTo(400);
            assertThat(weak.body()).contains("Password is too weak");
            assertThat(other.as("admin")
                            .post("/users", "[{\"_id\":\"n\",\"password\":\"abc\"}]")
                            .body())
                    .contains("Password is too weak in user document at index 0");
            assertThat(status(other.as("admin").patch("/users/bob", "{\"password\":\"vIvid-0tter.Gazes7\"}")))
                    .isEqualTo(200);
        }
    }
}
