package org.restheart.core.security;

import static com.mongodb.client.model.Filters.eq;
import static com.mongodb.client.model.Filters.in;
import static com.mongodb.client.model.Updates.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.awaitility.Durations.ONE_MINUTE;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.List;
import java.util.concurrent.Executors;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.core.Gateway;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.data.ConformanceGateway;
import org.restheart.core.server.StartException;
import org.restheart.testkit.ClientTransaction;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What an operator does by mistake: locking everybody out, and writing permissions that have no effect.
@WithMongo
class MistakesOfOperatorsTest {
    @AutoClose
    private TestGateway gateway;

    @BeforeEach
    void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.permit("{_id: 'staff', roles: ['editor'], predicate: \"path-prefix('/users')\", mongo:"
                + " {allowBulkDelete: true, allowWriteMode: true, writeFilter: {roles: 'viewer'}}}");
    }

    private TestClient admin() {
        return gateway.as("admin");
    }

    private boolean adminIsLetIn() {
        return admin().get("/users").statusCode() == 200;
    }

    @Test
    void the_last_account_that_may_manage_stays() {
        for (var change : List.of(
                "DELETE /users/admin ",
                "DELETE /users/*?filter={\"roles\":\"admin\"} ",
                "DELETE /users/*?filter={\"_id\":{\"$exists\":true}} ",
                "PUT /users/admin {\"password\":\"x\",\"roles\":[\"editor\"]}",
                "PATCH /users/admin {\"roles\":[]}",
                "PATCH /users/admin {\"$pull\":{\"roles\":\"admin\"}}",
                "PATCH /users/admin {\"$unset\":{\"password\":true}}",
                "PATCH /users/*?filter={\"roles\":\"admin\"} {\"roles\":[]}",
                "POST /users?wm=upsert {\"_id\":\"admin\",\"password\":\"x\",\"roles\":[]}")) {
            var parts = change.split(" ", 3);
            var target = parts[1].replace("{", "%7B").replace("}", "%7D").replace("\"", "%22");
            var answer = admin().json(parts[0], target, parts[2]);
            assertStatus(409, answer);
            assertThat(answer.body()).as(change).contains("nobody could manage this server any more");
            assertThat(adminIsLetIn()).as(change).isTrue();
        }
    }

    @Test
    void changes_of_others_by_a_filter_are_no_concern_of_the_last_one() {
        var others = "/users/*?filter=%7B%22_id%22:%7B%22$in%22:[%22ada%22,%22nobody%22]%7D%7D";
        var json = admin().with("Content-Type", "application/json");
        for (var answer : List.of(
                json.send("PATCH", others, "{\"roles\":[\"viewer\"]}"),
                json.send("PATCH", others, "{\"$unset\":{\"password\":true}}"),
                admin().delete(others))) {
            assertStatus(200, answer);
        }
        assertThat(gateway.collection("users").countDocuments(eq("_id", "ada"))).isZero();
        var hidden = json.send("PATCH", "/users/*?filter=%7B%22password%22:%22x%22%7D", "{\"roles\":[]}");
        assertStatus(403, hidden);
        assertThat(adminIsLetIn()).isTrue();
    }

    @Test
    void within_a_transaction_none_that_may_manage_is_deleted_or_disarmed() {
        gateway.insert("users", "{_id: 'second', password: '" + TestGateway.hash("second-pw") + "', roles: ['admin']}");
        var within = ClientTransaction.begin(admin()).in("");
        for (var answer : List.of(
                admin().delete("/users/second" + within),
                // as if the transaction had made them match before
                admin().delete("/users/second" + within + "&filter=%7B%22tag%22:1%7D"),
                admin().delete("/users/*" + within + "&filter=%7B%22tag%22:1%7D"),
                admin().json("PATCH", "/users/*" + within + "&filter=%7B%22tag%22:1%7D", "{\"roles\":[]}"),
                admin().json("PATCH", "/users/second" + within, "{\"roles\":[]}"),
                admin().delete("/users/*" + within + "&filter=%7B%22_id%22:%22admin%22%7D"),
                admin().put("/users/second" + within + "&wm=upsert", "{\"password\":\"x\",\"roles\":[]}"))) {
            assertStatus(409, answer);
            assertThat(answer.body()).contains("outside of transactions");
        }
        assertStatus(204, admin().delete("/users/second"));
    }

    @Test
    void neither_does_its_collection_go() {
        var tag = admin().get("/users/_meta").headers().firstValue("ETag").orElse("");
        assertStatus(409, admin().with("If-Match", tag).delete("/users"));
        assertThat(adminIsLetIn()).isTrue();
    }

    @Test
    void what_deletes_no_account_is_no_concern_of_the_last_one() {
        assertStatus(201, admin().put("/users/_indexes/byRole", "{\"keys\": {\"roles\": 1}}"));
        assertStatus(404, admin().delete("/users/_validator")); // there is none of accounts
        assertStatus(204, admin().delete("/users/_indexes/byRole"));
    }

    @Test
    void one_of_two_may_go_and_then_the_other_stays() {
        gateway.insert(
                "users",
                "{_id: 'root', password: '" + TestGateway.hash("root-pw") + "', roles: ['admin']}",
                "{_id: 'unarmed', roles: ['admin']}");
        assertStatus(204, admin().delete("/users/admin"));
        assertStatus(409, gateway.as("root").delete("/users/root"));
        assertStatus(204, gateway.as("root").delete("/users/unarmed"));
    }

    @Test
    void of_the_last_two_one_stays_when_two_gateways_delete_them(TestMongo mongo) throws Exception {
        gateway.insert("users", "{_id: 'root', password: '" + TestGateway.hash("root-pw") + "', roles: ['admin']}");
        var db = gateway.database().getName();
        try (var other = Gateway.start(TestGateway.config(mongo.connectionString(), db, TestGateway.REALM));
                var session = mongo.client().startSession();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            session.startTransaction(); // for which deletions wait that were found to be allowed
            gateway.collection("users").updateMany(session, in("_id", "admin", "root"), set("held", true));
            var here = threads.submit(() -> admin().delete("/users/admin"));
            var there = threads.submit(
                    () -> TestClient.of(other.address()).as("root", "root-pw").delete("/users/root"));
            await().until(() -> deletions(mongo, db) > 0);
            // the second one has no other way than to ask for the lock again and again
            TestMongo.awaitExecuted(gateway.database(), "{'command.findAndModify': '_manager_lock'}", 10, () -> {});
            session.abortTransaction();
            assertThat(List.of(here.get().statusCode(), there.get().statusCode()))
                    .containsExactlyInAnyOrder(204, 409);
        }
        assertThat(gateway.collection("users").countDocuments(eq("roles", "admin")))
                .isEqualTo(1);
    }

    @Test
    void a_gateway_that_has_stopped_does_not_hold_the_lock_for_ever() {
        gateway.insert("users", "{_id: 'root', password: '" + TestGateway.hash("root-pw") + "', roles: ['admin']}");
        gateway.insert("_manager_lock", "{_id: 'managers', owner: 'stopped', until: {$date: '2020-01-01T00:00:00Z'}}");
        assertStatus(204, admin().delete("/users/root"));
        assertThat(gateway.collection("_manager_lock").countDocuments()).isZero();
    }

    private static long deletions(TestMongo mongo, String db) {
        return TestMongo.operations(
                        mongo.client(),
                        "{ns: '" + db + ".users', op: {$in: ['remove', 'command']}, active: true,"
                                + " 'command.aggregate': {$exists: false}, 'command.find': {$exists: false},"
                                + " 'command.getMore': {$exists: false}}")
                .size();
    }

    @Test
    void the_last_account_may_change_its_password_and_what_else_it_has() {
        assertStatus(200, admin().patch("/users/admin", "{\"email\": \"a@example.org\"}"));
        assertStatus(200, admin().patch("/users/admin", "{\"$push\": {\"roles\": \"editor\"}}"));
        assertStatus(200, admin().patch("/users/admin", "{\"password\": \"better\"}"));
        assertStatus(200, gateway.anonymous().as("admin", "better").get("/users"));
    }

    @Test
    void whoever_may_not_change_it_is_told_nothing_of_it() {
        assertStatus(404, gateway.as("ada").delete("/users/admin"));
        assertStatus(404, gateway.as("ada").delete("/users/missing"));
        assertStatus(204, gateway.as("ada").delete("/users/bob"));
    }

    @Test
    void a_start_without_any_permission_says_so(TestMongo mongo) {
        var config = """
            http-listener: {host: 127.0.0.1, port: 0}
            mclient: {connection-string: "%s"}
            mongoRealmAuthenticator: {users-db: %2$s, bcrypt-complexity: 4}
            mongoAclAuthorizer: {acl-db: %2$s, acl-collection: none}
            """.formatted(mongo.connectionString(), gateway.database().getName());
        try (var lines = new LogLines();
                var started = Gateway.start(GatewayConfig.parse(config))) {
            await().atMost(ONE_MINUTE)
                    .untilAsserted(() ->
                            assertThat(lines.all()).anyMatch(text -> text.contains("No account may do anything")));
            var token = TestClient.of(started.address()).as("admin", "admin-pw").post("/token", "");
            assertStatus(501, token);
            assertThat(token.body()).contains("jwtTokenManager");
        }
    }

    @Test
    void a_start_with_the_name_of_another_replica_set_is_refused(TestMongo mongo) {
        var uri = mongo.connectionString("replicaSet=other");
        var config = TestGateway.config(uri, gateway.database().getName(), TestGateway.REALM);
        assertThatThrownBy(() -> Gateway.start(config))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("/mclient/connection-string has replicaSet=other, but ")
                .hasMessageMatching(".* belongs to .*replica set.*");
    }

    @Test
    void so_is_one_where_accounts_and_permissions_are_in_files(TestMongo mongo) {
        var uri = mongo.connectionString("replicaSet=other");
        var config = GatewayConfig.parse(ConformanceGateway.GUARDS + ConformanceGateway.ACCOUNTS
                + ConformanceGateway.PERMISSIONS + "mclient: {connection-string: '" + uri + "'}\n");
        assertThatThrownBy(() -> Gateway.start(config))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("/mclient/connection-string has replicaSet=other, but ");
    }

    @Test
    void a_start_with_files_and_without_MongoDB_says_so() {
        var config = GatewayConfig.parse(ConformanceGateway.GUARDS + ConformanceGateway.ACCOUNTS
                + ConformanceGateway.PERMISSIONS
                + "mclient: {connection-string: 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=500'}\n");
        try (var lines = new LogLines();
                var _ = Gateway.start(config)) {
            await().atMost(ONE_MINUTE)
                    .untilAsserted(() -> assertThat(lines.all())
                            .anyMatch(text -> text.contains("MongoDB does not answer at 127.0.0.1:1")
                                    && text.endsWith("until it answers, requests for data get 503")));
        }
    }

    @Test
    void a_doubtful_filter_of_a_permission_is_told_when_it_is_written_and_at_start(TestMongo mongo) {
        var answer = gateway.as("admin")
                .post(
                        "/acl",
                        "{\"_id\": \"doubtful\", \"roles\": [\"guest\"], \"predicate\": \"path('/one')\","
                                + " \"mongo\": {\"readFilter\": {\"owner\": \"user._id\"}}}");
        assertStatus(201, answer);
        assertThat(answer.headers().firstValue("Warning").orElse(""))
                .contains(
                        "mongo.readFilter has the text user._id for owner, which is taken literally; a property of the"
                                + " account is written @user._id");
        gateway.permit("{_id: 'unused', roles: ['guest'], predicate: 'path(', mongo: {}}");
        try (var lines = new LogLines();
                var _ = Gateway.start(TestGateway.config(
                        mongo.connectionString(), gateway.database().getName(), TestGateway.REALM))) {
            await().atMost(ONE_MINUTE)
                    .untilAsserted(() -> assertThat(lines.all())
                            .anyMatch(text -> text.startsWith("WARN permission ")
                                    && text.contains("doubtful")
                                    && text.endsWith(": mongo.readFilter has the text user._id for owner, which is"
                                            + " taken literally; a property of the account is written"
                                            + " @user._id"))
                            .anyMatch(text -> text.contains("unused") && text.contains("is not used")));
        } finally {
            gateway.collection("acl").deleteMany(in("_id", "doubtful", "unused"));
        }
    }

    @Test
    void a_start_without_an_account_that_may_manage_says_so(TestMongo mongo) {
        gateway.collection("users").deleteOne(eq("_id", "admin"));
        try (var lines = new LogLines();
                var _ = Gateway.start(TestGateway.config(
                        mongo.connectionString(), gateway.database().getName(), TestGateway.REALM))) {
            await().atMost(ONE_MINUTE)
                    .untilAsserted(() -> assertThat(lines.all())
                            .anyMatch(text -> text.contains("No account can manage this server")));
        }
    }

    @Test
    void a_change_of_a_permission_is_looked_at_too() {
        assertStatus(400, admin().patch("/acl/staff", "{\"predicate\": \"foo(\"}"));
        assertStatus(400, admin().patch("/acl/staff", "{\"$set\": {\"role\": \"x\"}}"));
        for (var change : List.of(
                "{\"readFilter\": {\"a\": 1}}",
                "{\"mongo.readfilter\": {\"a\": 1}}",
                "{\"$set\": {\"mongo.readfilter.a\": 1}}",
                "{\"mongo.readFilter.a\": {\"$gtt\": 1}}",
                "{\"mongo\": {\"readFilter\": {\"a\": \"@usr\"}}}")) {
            assertThat(admin().patch("/acl/staff", change).statusCode())
                    .as(change)
                    .isEqualTo(400);
        }
        assertStatus(
                200,
                admin().patch(
                                "/acl/staff",
                                "{\"mongo.readFilter\": {\"roles\": \"viewer\"}, \"mongo.comment\": \"x\"}"));
        assertStatus(200, admin().patch("/acl/staff", "{\"description\": \"for staff\", \"priority\": 5}"));
        assertThat(gateway.database()
                        .getCollection("acl")
                        .find(new Document("_id", "staff"))
                        .first())
                .containsEntry("priority", 5);
    }

    @Test
    void an_account_without_a_password_is_warned_of() {
        var answer = admin().post("/users", "{\"_id\": \"n\", \"roles\": [], \"passwordHint\": \"a cat\"}");
        assertStatus(201, answer);
        assertThat(answer.headers().firstValue("Warning").orElse("")).contains("the account has no password");
        assertThat(admin().post("/users", "{\"_id\": \"o\", \"roles\": [], \"password\": \"xyz\"}")
                        .headers()
                        .firstValue("Warning"))
                .isEmpty();
    }

    @Test
    void a_stored_permission_whose_restriction_would_not_hold_is_not_used() {
        gateway.insert("users", "{_id: 'guest', password: '" + TestGateway.hash("guest-pw") + "', roles: ['guest']}");
        gateway.permit("{_id: 'm', roles: ['guest'], predicate: \"path('/one')\", readFilter: {a: 1}}");
        gateway.permit("{_id: 'n', roles: ['guest'], predicate: \"path('/two')\", mongo: {readfilter: {a: 1}}}");
        gateway.permit("{_id: 'o', roles: ['guest'], predicate: \"path('/three')\", note: 'x', priority: 'high'}");
        gateway.insert("one", "{_id: 1}");
        gateway.insert("two", "{_id: 1}");
        gateway.insert("three", "{_id: 1}");
        assertStatus(403, gateway.as("guest").get("/one"));
        assertStatus(403, gateway.as("guest").get("/two"));
        assertStatus(200, gateway.as("guest").get("/three"));
    }
}
