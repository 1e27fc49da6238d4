package org.restheart.core.security;

import static com.mongodb.client.model.Filters.eq;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.security.TestGateway.encode;
import static org.restheart.testkit.Statuses.assertStatus;

import at.favre.lib.crypto.bcrypt.BCrypt;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.ThreadCpu;
import org.restheart.testkit.WithMongo;

/// Attacks on the data behind a gateway that is configured as it is shipped.
@WithMongo
class AttacksTest {
    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, """
            tokenBasicAuthMechanism: {enabled: true}
            jwtAuthenticationMechanism: {enabled: true}
            jwtTokenManager: {enabled: true}
            requestsMetricsCollector: {enabled: true}
            filterOperatorsBlacklist: {enabled: true, blacklist: [$where]}
            aggregationSecurity:
              enabled: true
              stageBlacklist: [$out, $merge, $lookup, $graphLookup, $unionWith]
              operatorBlacklist: [$where, $function, $accumulator]
            """);
        gateway.insertUsers(
                "{_id: 'eve', roles: ['limited'], inviteToken: 'invite-eve'}", "{_id: 'kim', roles: ['planter']}");
        gateway.permit(
                "{_id: 'same', roles: ['viewer']," + " predicate: \"path('/same') and equals(%{q,a}, %{i,X-A})\"}");
        gateway.permit("{_id: 'aggr', roles: ['editor'], predicate: \"path-prefix('/g')\"}");
        gateway.permit("{_id: 'hides', roles: ['limited'], predicate: \"path-prefix('/h')\", mongo:"
                + " {projectResponse: {secret: 0, 'n.secret': 0}, allowBulkPatch: true, allowWriteMode: true}}");
        gateway.permit("{_id: 'self', roles: ['limited'], predicate: \"path-template('/users/{id}')"
                + " and equals(@user._id, ${id}) and bson-request-whitelist(password, profile)\"}");
        gateway.permit("{_id: 'plants', roles: ['planter'], predicate: \"path-prefix('/p')\", mongo:"
                + " {writeFilter: {owner: '@user._id'}, checkWritten: true, allowWriteMode: true}}");
        gateway.permit("{_id: 'reads', roles: ['planter'], predicate: \"path-prefix('/h') and method(GET)\", mongo:"
                + " {readFilter: {n: '@user._id'}}}");
        gateway.insert("same", "{_id: 1}");
        gateway.insert("h", "{_id: 'a', secret: 'TOP', n: [{secret: 'TOP', open: 1}]}");
        gateway.insert("p", "{_id: 'mine', owner: 'kim'}", "{_id: 'theirs', owner: 'bob'}");
        gateway.insert("g", "{_id: 1, team: 'red'}");
        assertStatus(200, gateway.as("admin").put("/g", """
            {"aggrs": [
              {"uri": "team", "type": "pipeline", "stages": [{"$match": {"team": {"$var": "@user.team"}}}]},
              {"uri": "facet", "type": "pipeline", "stages": [{"$facet": {"x": [{"$lookup":
                {"from": "users", "localField": "_id", "foreignField": "_id", "as": "u"}}]}}]},
              {"uri": "deep", "type": "pipeline", "stages": [{"$facet": {"x": [{"$unionWith":
                {"coll": "users", "pipeline": []}}]}}]},
              {"uri": "out", "type": "pipeline", "stages": [{"$out": {"db": "other", "coll": "c"}}]},
              {"uri": "merge", "type": "pipeline", "stages": [{"$merge": {"into": "acl"}}]},
              {"uri": "case", "type": "pipeline", "stages": [{"$UNIONWITH": "users"}]},
              {"uri": "function", "type": "pipeline", "stages": [{"$project": {"x":
                {"$cond": [true, {"$function": {"body": "f", "args": [], "lang": "js"}}, 1]}}}]}
            ]}\
            """));
    }

    private static int status(TestClient client, String target) {
        return client.get(target).statusCode();
    }

    @Test
    void no_change_copies_a_password_hash_to_where_it_is_shown() {
        for (var change : List.of(
                "[{\"$set\":{\"profile\":\"$password\"}}]",
                "[{\"$set\":{\"profile\":\"$$ROOT\"}}]",
                "[{\"$set\":{\"profile\":\"$$CURRENT.password\"}}]",
                "[{\"$set\":{\"profile\":{\"$getField\":\"password\"}}}]",
                "[{\"$set\":{\"profile\":{\"$objectToArray\":\"$$ROOT\"}}}]",
                "[{\"$set\":{\"profile\":{\"$map\":{\"input\":[\"$$ROOT\"],\"in\":\"$$this.password\"}}}}]",
                "[{\"$set\":{\"profile\":\"$inviteToken\"}}]",
                "{\"$rename\":{\"inviteToken\":\"profile\"}}")) {
            assertThat(gateway.user("eve").patch("/users/eve", change).statusCode())
                    .as(change)
                    .isEqualTo(403);
        }
        for (var change : List.of("[{\"$set\":{\"profile\":\"$password\"}}]", "{\"$rename\":{\"password\":\"x\"}}")) {
            assertThat(gateway.as("admin").patch("/users/eve", change).statusCode())
                    .as(change)
                    .isIn(400, 403);
        }
        assertThat(gateway.user("eve").get("/users/eve").body())
                .contains("limited")
                .doesNotContain("$2a$", "invite-eve");
        assertStatus(
                200,
                gateway.user("eve").patch("/users/eve", "[{\"$set\":{\"profile\":{\"$concat\":[\"$_id\",\"!\"]}}}]"));
    }

    @Test
    void no_change_copies_hidden_fields_to_where_they_are_shown() {
        for (var change : List.of(
                "[{\"$set\":{\"x\":\"$secret\"}}]",
                "[{\"$set\":{\"x\":\"$n\"}}]",
                "[{\"$replaceWith\":{\"_id\":\"a\",\"x\":\"$$ROOT\"}}]",
                "[{\"$project\":{\"x\":\"$secret\"}}]",
                "{\"$rename\":{\"secret\":\"x\"}}",
                "{\"$pull\":{\"n\":{\"secret\":\"TOP\"}}}",
                "{\"$push\":{\"n\":{\"$each\":[],\"$sort\":{\"secret\":1}}}}")) {
            assertThat(gateway.user("eve").patch("/h/a", change).statusCode())
                    .as(change)
                    .isEqualTo(403);
            assertThat(gateway.user("eve").patch("/h/a?wm=upsert", change).statusCode())
                    .as(change)
                    .isEqualTo(403);
            if (change.startsWith("{")) {
                assertThat(gateway.user("eve")
                                .patch("/h/*?filter=" + encode("{\"_id\":\"a\"}"), change)
                                .statusCode())
                        .as(change)
                        .isEqualTo(403);
            }
        }
        assertThat(gateway.user("eve").get("/h").body()).contains("\"open\"").doesNotContain("TOP");
        assertStatus(200, gateway.user("eve").patch("/h/a", "[{\"$set\":{\"y\":{\"$literal\":\"$secret\"}}}]"));
    }

    /// Wrong passwords of accounts with hashes of the configured cost and of a lower one, and of accounts that do not
    /// exist, in turn.
    @Test
    void unknown_accounts_cannot_be_detected_by_response_time(TestMongo mongo) {
        var realm = "mongoRealmAuthenticator: {users-db: $db, users-collection: users, bcrypt-complexity: 8}\n";
        try (var slow = TestGateway.startWithRealm(mongo, realm, "")) {
            slow.insert("users", account("strong", 8), account("weak", 5));
            var costs = new long[3];
            for (int i = 0; i < 40; i++) {
                costs[0] += costOfRefusal(slow.anonymous().as("strong", "wrong" + i));
                costs[1] += costOfRefusal(slow.anonymous().as("nobody" + i, "wrong" + i));
                costs[2] += costOfRefusal(slow.anonymous().as("weak", "wrong" + i));
            }
            assertThat((double) costs[0] / costs[1]).as("strong to unknown").isBetween(0.75, 1.33);
            assertThat((double) costs[2] / costs[1]).as("weak to unknown").isBetween(0.75, 1.33);
        }
    }

    private static String account(String name, int cost) {
        return "{_id: '" + name + "', password: '" + BCrypt.withDefaults().hashToString(cost, "pw".toCharArray())
                + "', roles: ['editor']}";
    }

    /// All but this is the same for all, and small beside it.
    private static long costOfRefusal(TestClient client) {
        long before = ThreadCpu.nanos("bcrypt-");
        assertStatus(401, client.get("/same"));
        return ThreadCpu.nanos("bcrypt-") - before;
    }

    @Test
    void a_missing_value_equals_nothing() {
        var bob = gateway.as("bob");
        assertThat(status(bob, "/same")).isEqualTo(403);
        assertThat(status(bob, "/same?a=1")).isEqualTo(403);
        assertThat(status(bob.with("X-A", "1"), "/same")).isEqualTo(403);
        assertThat(status(bob.with("X-A", "1"), "/same?a=1")).isEqualTo(200);
    }

    @Test
    void clients_cannot_set_variables_of_the_server() {
        for (var avars : List.of("{\"@user.team\":\"red\"}", "{\"@user\":{\"team\":\"red\"}}", "{\"@page\":7}")) {
            assertThat(status(gateway.as("ada"), "/g/_aggrs/team?avars=" + encode(avars)))
                    .as(avars)
                    .isEqualTo(400);
        }
        // ada has no team: the variable stays unbound, whatever else she says
        var unbound = gateway.as("ada")
                .get("/g/_aggrs/team?avars=" + encode("{\"team\":\"red\"}") + "&avars="
                        + encode("{\"@user.team\":\"red\"}"));
        assertStatus(400, unbound);
        assertThat(unbound.body()).doesNotContain("red");
    }

    @Test
    void stages_are_found_inside_others() {
        for (var name : List.of("facet", "deep", "out", "merge", "case", "function")) {
            var response = gateway.as("admin").get("/g/_aggrs/" + name);
            assertThat(response.statusCode()).as(name).isEqualTo(403);
            assertThat(response.body()).contains("aggregation pipeline security violation");
        }
        for (var avars : List.of("{\"x\":{\"$where\":1}}", "{\"x\":[{\"$out\":\"c\"}]}")) {
            assertThat(status(gateway.as("admin"), "/g/_aggrs/team?avars=" + encode(avars)))
                    .isEqualTo(400);
        }
    }

    @Test
    void depth_and_size_of_what_is_sent_are_bounded() {
        var deep = "[".repeat(150) + "]".repeat(150);
        var admin = gateway.as("admin");
        for (var text : List.of("{\"a\":" + deep + "}", "{\"a\":".repeat(150) + "1" + "}".repeat(150))) {
            assertStatus(400, admin.post("/g", text));
            assertThat(status(admin, "/g?filter=" + encode(text))).isEqualTo(400);
            assertThat(status(admin, "/g?keys=" + encode(text))).isEqualTo(400);
            assertThat(status(admin, "/g/_aggrs/team?avars=" + encode(text))).isEqualTo(400);
        }
        assertStatus(400, admin.post("/g", "[".repeat(500_000)));
        assertStatus(400, admin.post("/g", "{\"a\":".repeat(100_000)));
    }

    @Test
    void csv_files_meet_the_same_rules() {
        var name = gateway.database().getName();
        var rows = "_id,password,roles\nzed,plain,admin\n";
        var root = gateway.as("admin").with("Content-Type", "text/csv");
        assertStatus(
                401,
                gateway.anonymous().with("Content-Type", "text/csv").send("POST", "/csv?db=" + name + "&coll=g", rows));
        assertStatus(
                403,
                gateway.as("ada").with("Content-Type", "text/csv").send("POST", "/csv?db=" + name + "&coll=g", rows));
        for (var target : List.of("/csv?db=" + name + "&coll=users", "/csv?db=" + name + "&coll=_properties")) {
            assertThat(root.send("POST", target, rows).statusCode()).as(target).isEqualTo(403);
        }
        for (var db : List.of("admin", "local", "config")) {
            assertThat(root.send("POST", "/csv?db=" + db + "&coll=x", rows).statusCode())
                    .as(db)
                    .isEqualTo(403);
        }
        assertStatus(200, root.send("POST", "/csv?db=" + name + "&coll=users", "_id,password\nzed,plain\n"));
        assertThat(gateway.collection("users")
                        .find(eq("_id", "zed"))
                        .first()
                        .getString("password")
                        .getValue())
                .startsWith("$2a$");
    }

    @Test
    void answers_contain_no_internals() {
        var ping = gateway.anonymous()
                .with("X-Forwarded-For", "a\"b\\")
                .with("X-Forwarded-Host", "\"},{\"")
                .get("/ping");
        assertThat(BsonDocument.parse(ping.body()).getString("client_ip").getValue())
                .isEqualTo("a\"b\\");
        var database = gateway.database().getName();
        for (var target : List.of(
                "/h?hint=nothing", "/h?hint=" + encode("{\"nothing\":1}"), "/h?filter=" + encode("{\"$no\":1}"))) {
            var response = gateway.user("kim").get(target);
            assertThat(response.statusCode()).as(target).isEqualTo(400);
            assertThat(response.body())
                    .as(target)
                    .doesNotContain(database, "kim", "127.0.0.1", "org.restheart", "com.mongodb", "Tree:");
        }
        var probe = gateway.anonymous().get("/health/db").body();
        assertThat(probe).contains("latencyMs").doesNotContain("127.0.0.1", "27017");
    }

    @Test
    void caches_cannot_be_invalidated_without_an_account() {
        assertStatus(401, gateway.anonymous().send("POST", "/ic?db=any&coll=any", ""));
        assertStatus(403, gateway.as("bob").send("POST", "/ic?db=any&coll=any", ""));
    }

    @Test
    void no_document_is_written_outside_of_the_callers_partition() {
        var kim = gateway.user("kim");
        for (var wm : List.of("", "?wm=upsert")) {
            assertStatus(403, kim.post("/p" + wm, "{\"_id\":\"new\",\"owner\":\"bob\"}"));
            assertStatus(403, kim.post("/p" + wm, "[{\"_id\":\"new\",\"owner\":\"bob\"}]"));
            assertStatus(403, kim.put("/p/mine" + wm, "{\"owner\":\"bob\"}"));
            assertStatus(403, kim.patch("/p/mine" + wm, "{\"owner\":\"bob\"}"));
            assertStatus(403, kim.patch("/p/mine" + wm, "{\"$unset\":{\"owner\":1}}"));
            assertStatus(403, kim.patch("/p/mine" + wm, "[{\"$set\":{\"owner\":\"$_id\"}}]"));
        }
        assertStatus(403, kim.put("/p/new?wm=upsert", "{\"owner\":\"bob\"}"));
        assertStatus(200, kim.patch("/p/mine", "{\"x\":1}"));
        assertThat(gateway.collection("p").find(eq("_id", "mine")).first().getString("owner"))
                .isEqualTo(new org.bson.BsonString("kim"));
        assertThat(gateway.collection("p").countDocuments(eq("_id", "new"))).isZero();
    }

    @Test
    void control_characters_do_not_reach_the_log() {
        try (var log = new LogLines()) {
            gateway.anonymous().as("eve\r\nFAKE\u001b[31m", "x").get("/g/%0D%0AFAKE%1B?x=%0D%0AFAKE");
            gateway.user("eve")
                    .with("X-Forwarded-For", "a\tFAKE")
                    .patch("/users/eve%0AFAKE", "{\"roles\":[\"admin\"]}");
            gateway.as("admin").with("X-Forwarded-For", "a\tFAKE").patch("/users/a%0AFAKE", "{\"roles\":[\"admin\"]}");
            await().until(() -> log.all().stream().anyMatch(line -> line.contains("root role")));
            assertThat(log.all()).noneMatch(line -> line.matches("(?s).*[\\r\\n\\u001b]+FAKE.*"));
        }
    }

    @Test
    void secrets_do_not_reach_the_log() {
        try (var log = new LogLines()) {
            gateway.anonymous().as("eve", "S3CRET-1").get("/g?access_token=S3CRET-2&password=S3CRET-3&code=S3CRET-4");
            gateway.anonymous()
                    .with("Authorization", "Bearer S3CRET-5")
                    .with("Cookie", "rh_auth=Bearer_S3CRET-6")
                    .get("/g");
            gateway.anonymous()
                    .with("Content-Type", "application/x-www-form-urlencoded")
                    .send("POST", "/token", "grant_type=password&username=eve&password=S3CRET-7");
            gateway.as("admin").patch("/users/eve", "{\"password\":\"S3CRET-8\",\"roles\":[\"admin\"]}");
            await().until(() -> log.all().stream().anyMatch(line -> line.contains("root role")));
            assertThat(log.all()).noneMatch(line -> line.contains("S3CRET"));
            var metrics = gateway.as("admin").get("/metrics/*");
            assertStatus(200, metrics);
            assertThat(metrics.body()).contains("http_requests_duration").doesNotContain("S3CRET");
        }
    }
}
