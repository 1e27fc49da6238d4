package org.restheart.core.security;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Updates.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class StoredSecurityTest {
    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.insert(
                "c", "{_id: 'a', status: 'public', owner: 'ada'}", "{_id: 'b', status: 'private', owner: 'bob'}");
        gateway.permit("{_id: 'p', roles: ['editor'], predicate: \"path-prefix('/c') and method(GET)\"}");
        gateway.permit("{_id: 'broken', roles: ['editor', 'viewer'], predicate: 'less-than(1, 2)', priority: 9}");
        gateway.permit(
                "{_id: 'malformed', roles: ['viewer'], predicate: 'true', mongo: {projectResponse: {a: 0, b: 1}}}");
    }

    @Test
    void accounts_of_the_collection_do_what_its_permissions_allow() {
        assertStatus(401, gateway.anonymous().get("/c"));
        assertStatus(200, gateway.as("ada").get("/c"));
        assertStatus(401, gateway.anonymous().as("ada", "wrong").get("/c"));
        assertStatus(401, gateway.anonymous().as("nobody", "x").get("/c"));
    }

    @Test
    void the_root_role_needs_no_permission() {
        assertStatus(200, gateway.as("admin").get("/c"));
    }

    @Test
    void a_malformed_permission_does_not_allow_and_does_not_fail() {
        assertStatus(403, gateway.as("bob").get("/c"));
    }

    @Test
    void a_malformed_hash_or_password_fails_the_login_only() {
        gateway.insert(
                "users",
                "{_id: 'odd1', password: 'no hash', roles: ['editor']}",
                "{_id: 'odd2', password: 5, roles: ['editor']}",
                "{_id: 'odd3', roles: ['editor']}",
                "{_id: 'odd4', password: '$2a$12$short', roles: ['editor']}");
        for (var name : new String[] {"odd1", "odd2", "odd3", "odd4"}) {
            assertThat(gateway.anonymous().as(name, "no hash").get("/c").statusCode())
                    .as(name)
                    .isEqualTo(401);
        }
    }

    @Test
    void roles_that_are_no_list_fail_the_login_and_missing_ones_do_not() {
        var hash = TestGateway.hash("pw");
        gateway.insert(
                "users",
                "{_id: 'one', password: '" + hash + "', roles: 'editor'}",
                "{_id: 'none', password: '" + hash + "'}",
                "{_id: 'mixed', password: '" + hash + "', roles: [1, 'editor']}");
        assertStatus(401, gateway.anonymous().as("one", "pw").get("/c"));
        assertStatus(403, gateway.anonymous().as("none", "pw").get("/c"));
        assertStatus(200, gateway.anonymous().as("mixed", "pw").get("/c"));
    }

    /// Accounts are in memory, and some may change themselves.
    @Test
    void an_account_that_is_too_large_cannot_log_in() {
        gateway.insertUsers("{_id: 'large', roles: ['editor'], photo: '" + "x".repeat(250_000) + "'}");
        var large = gateway.anonymous().as("large", "pw");
        assertStatus(200, large.get("/c"));
        gateway.collection("users").updateOne(eq("_id", "large"), set("photo", "x".repeat(270_000)));
        await().until(() -> large.get("/c").statusCode() == 401);
    }

    @Test
    void other_variants_of_bcrypt_are_understood() {
        var hash = TestGateway.hash("pw");
        gateway.insert(
                "users",
                "{_id: 'v2b', password: '" + hash.replace("$2a$", "$2b$") + "', roles: ['editor']}",
                "{_id: 'v2y', password: '" + hash.replace("$2a$", "$2y$") + "', roles: ['editor']}");
        assertStatus(200, gateway.anonymous().as("v2b", "pw").get("/c"));
        assertStatus(200, gateway.anonymous().as("v2y", "pw").get("/c"));
    }

    @Test
    void changes_behind_the_servers_back_are_noticed() {
        gateway.insertUsers("{_id: 'eve', roles: ['viewer']}");
        var eve = gateway.anonymous().as("eve", "pw");
        assertStatus(403, eve.get("/c"));
        var users = gateway.collection("users");
        users.updateOne(eq("_id", "eve"), set("roles", new BsonArray(java.util.List.of(new BsonString("editor")))));
        await().until(() -> eve.get("/c").statusCode() == 200);
        users.updateOne(eq("_id", "eve"), set("password", TestGateway.hash("other")));
        await().until(() -> eve.get("/c").statusCode() == 401);
        users.deleteOne(eq("_id", "eve"));
        await().until(() -> gateway.anonymous().as("eve", "other").get("/c").statusCode() == 401);
    }

    @Test
    void a_permission_that_is_withdrawn_stops_allowing() {
        gateway.collection("acl")
                .insertOne(BsonDocument.parse("{_id: 'once', roles: ['viewer'], predicate: \"path('/once')\"}"));
        gateway.insert("once", "{}");
        await().until(() -> gateway.as("bob").get("/once").statusCode() == 200);
        gateway.collection("acl").deleteOne(eq("_id", "once"));
        await().until(() -> gateway.as("bob").get("/once").statusCode() == 403);
    }

    @Test
    void what_a_write_changed_before_it_failed_counts_at_once() {
        var admin = gateway.as("admin");
        for (int i = 0; i < 20; i++) { // a change stream alone would be late for one of them
            var path = "/half" + i;
            gateway.insert("half" + i, "{}");
            assertStatus(403, gateway.as("bob").get(path));
            var permission =
                    "{\"_id\": \"half%d\", \"roles\": [\"viewer\"], \"predicate\": \"path('%s')\"}".formatted(i, path);
            assertStatus(207, admin.post("/acl?wm=insert", "[" + permission + "," + permission + "]"));
            assertStatus(200, gateway.as("bob").get(path));
        }
    }

    @Test
    void roles_in_the_order_of_the_account_and_then_priority_select_the_permission(TestMongo mongo) {
        try (var other = TestGateway.start(mongo, "")) {
            other.insert("c", "{_id: 'a', status: 'public'}", "{_id: 'b', status: 'private'}");
            var where = "predicate: \"path('/c') and method(GET)\"";
            other.permit(
                    "{_id: 1, roles: ['r1'], priority: 1, " + where + ", mongo: {readFilter: {status: 'public'}}}");
            other.permit(
                    "{_id: 2, roles: ['r1'], priority: 2, " + where + ", mongo: {readFilter: {status: 'private'}}}");
            other.permit("{_id: 3, roles: ['r2'], priority: 100, " + where + ", mongo: {readFilter: {_id: 'none'}}}");
            other.insertUsers(
                    "{_id: 'u1', roles: ['r1']}",
                    "{_id: 'u12', roles: ['r1', 'r2']}",
                    "{_id: 'u21', roles: ['r2', 'r1']}",
                    "{_id: 'u0', roles: []}");
            assertThat(other.anonymous().as("u1", "pw").get("/c?rep=s").body())
                    .contains("\"b\"")
                    .doesNotContain("\"a\"");
            assertThat(other.anonymous().as("u12", "pw").get("/c?rep=s").body())
                    .contains("\"b\"")
                    .doesNotContain("\"a\"");
            assertThat(other.anonymous().as("u21", "pw").get("/c?rep=s").body()).isEqualTo("[]");
            var none = other.anonymous().as("u0", "pw").get("/c");
            assertStatus(403, none);
            assertThat(none.body())
                    .contains("no permission of u0 (roles: ) covers GET /c", "; POST /_access/check tells which");
            var anonymous = other.anonymous().get("/c");
            assertStatus(401, anonymous);
            assertThat(anonymous.headers().firstValue("WWW-Authenticate")).contains("Basic realm=\"RESTHeart Realm\"");
        }
    }

    @Test
    void the_first_start_creates_an_account_and_both_collections(TestMongo mongo) {
        var database = mongo.client().getDatabase(mongo.newDatabaseName());
        try (var fresh =
                Gateway.start(TestGateway.config(mongo.connectionString(), database.getName(), TestGateway.REALM))) {
            assertStatus(
                    200, TestClient.of(fresh.address()).as("admin", "secret").get("/users"));
            assertThat(database.listCollectionNames()).contains("users", "acl", "_properties");
        }
    }

    @Test
    void without_mongodb_no_request_is_admitted_and_the_server_starts() {
        var config = TestGateway.config(
                "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=300",
                "nowhere",
                TestGateway.REALM + "ping: {secured: true}");
        try (var gateway = Gateway.start(config)) {
            var client = TestClient.of(gateway.address());
            assertStatus(503, client.get("/ping"));
            assertStatus(503, client.as("admin", "secret").get("/ping"));
        }
    }
}
