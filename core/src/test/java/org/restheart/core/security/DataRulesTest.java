package org.restheart.core.security;

import static com.mongodb.client.model.Filters.eq;
import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.security.TestGateway.encode;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Grants of permissions on data.
@WithMongo
class DataRulesTest {
    private static final ObjectId TEAM = new ObjectId();

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "filterOperatorsBlacklist: {enabled: true, blacklist: [\"$where\"]}\n");
        gateway.insertUsers(
                "{_id: 'tim', roles: ['team'], team: {$oid: '" + TEAM.toHexString() + "'}}",
                "{_id: 'eve', roles: ['limited']}",
                "{_id: 'writer', roles: ['writer']}",
                "{_id: 'own', roles: ['owner']}",
                "{_id: 'o\\'neil', roles: ['self']}",
                "{_id: 'ada\\\\', roles: ['self']}",
                "{_id: 'a)', roles: ['self']}");
        gateway.insert(
                "c", "{_id: 'a', secret: 1, n: [{secret: 1, open: 2}], status: 'public'}", "{_id: 'b', secret: 2}");
        gateway.insert("self", "{_id: 'ada'}", "{_id: 'o\\'neil'}", "{_id: 'ada\\\\'}", "{_id: 'a)'}");
        gateway.insert("w", "{_id: 'mine', owner: 'own'}", "{_id: 'theirs', owner: 'bob'}");
        gateway.permit("{_id: 1, roles: ['editor'], predicate: \"path('/c') and method(GET)\"}");
        gateway.permit("{_id: 2, roles: ['limited'], predicate: \"path-prefix('/c') and not path('/c/b')\", mongo:"
                + " {projectResponse: {secret: 0, 'n.secret': 0}}}");
        gateway.permit("{_id: 3, roles: ['team'], predicate: \"path-prefix('/t') and bson-request-blacklist(owner)\","
                + " mongo: {allowWriteMode: true, allowManagementRequests: true, mergeRequest: {team: '@user.team'}}}");
        gateway.permit("{_id: 4, roles: ['self'],"
                + " predicate: \"path-template('/self/{id}') and equals(@user._id, ${id})\"}");
        gateway.permit("{_id: 5, roles: ['owner'], predicate: \"path-prefix('/w')\", mongo:"
                + " {writeFilter: {owner: '@user._id'}, allowWriteMode: true}}");
        gateway.permit("{_id: 6, roles: ['writer'], predicate: \"path-prefix('/drop') and not method(GET)\"}");
        gateway.permit("{_id: 7, roles: ['team'], predicate: \"path-prefix('/typo')\","
                + " mongo: {mergeRequest: {author: '@user.nmae'}}}");
        gateway.insert("typo", "{_id: 'first'}");
        gateway.insert("t", "{_id: 'first'}");
        gateway.insert("drop", "{_id: 'first'}");
    }

    private static int status(TestClient client, String target) {
        return client.get(target).statusCode();
    }

    @Test
    void hidden_properties_stay_hidden_under_other_names() {
        var eve = gateway.user("eve");
        assertThat(eve.get("/c").body()).contains("\"open\"").doesNotContain("secret");
        for (var query : List.of(
                "keys={\"x\":\"$secret\"}",
                "keys={\"secret\":1}",
                "keys={\"all\":\"$$ROOT\"}",
                "keys={\"n.secret\":1}")) {
            int equals = query.indexOf('=');
            var target = "/c?" + query.substring(0, equals + 1) + encode(query.substring(equals + 1));
            var answer = eve.get(target);
            assertStatus(200, answer);
            assertThat(answer.body()).as(query).doesNotContain("\"x\"").doesNotContain("\"secret\": 1");
        }
        for (var query : List.of("filter={\"secret\":1}", "filter={\"$or\":[{\"n.secret\":1}]}", "sort=secret")) {
            int equals = query.indexOf('=');
            var target = "/c?" + query.substring(0, equals + 1) + encode(query.substring(equals + 1));
            assertThat(status(eve, target)).as(query).isEqualTo(403);
        }
    }

    @Test
    void a_misspelt_property_of_the_caller_in_a_merge_is_in_the_log_once() {
        var tim = gateway.user("tim");
        try (var log = new LogLines()) {
            assertStatus(201, tim.post("/typo", "{\"n\": 1}"));
            assertStatus(201, tim.post("/typo", "{\"n\": 2}"));
            assertThat(log.all().stream().filter(line -> line.contains("@user.nmae")))
                    .hasSize(1);
        }
    }

    @Test
    void content_rules_see_every_form_of_a_change() {
        var tim = gateway.user("tim");
        assertStatus(403, tim.patch("/t/first", "{\"$rename\":{\"status\":\"owner\"}}"));
        assertStatus(403, tim.patch("/t/first", "[{\"$addFields\":{\"owner\":1}}]"));
        assertStatus(200, tim.patch("/t/first", "{\"a\":1}"));
    }

    @Test
    void only_the_accounts_own_document_is_visible_for_any_account_name() {
        assertThat(status(gateway.user("ada\\"), "/self/ada")).isEqualTo(403);
        for (var name : List.of("o'neil", "ada\\", "a)")) {
            assertThat(status(gateway.user(name), "/self/" + encode(name)))
                    .as(name)
                    .isEqualTo(200);
            assertThat(status(gateway.user(name), "/self/ada")).as(name).isEqualTo(403);
        }
        assertThat(status(gateway.anonymous(), "/self/@user._id")).isEqualTo(401);
    }

    @Test
    void merged_values_keep_their_type() {
        assertStatus(201, gateway.user("tim").post("/t", "{\"_id\":\"t11\",\"team\":\"other\"}"));
        assertThat(gateway.collection("t").find(eq("_id", "t11")).first().get("team"))
                .isEqualTo(new BsonObjectId(TEAM));
    }

    private static BsonDocument stored(String id) {
        return gateway.collection("t").find(eq("_id", id)).first();
    }

    @Test
    void merged_values_win_in_every_form() {
        var tim = gateway.user("tim");
        assertStatus(200, tim.post("/t", "[{\"_id\":\"m1\",\"team\":1},{\"_id\":\"m2\"}]"));
        assertThat(stored("m1").get("team")).isEqualTo(new BsonObjectId(TEAM));
        assertThat(stored("m2").get("team")).isEqualTo(new BsonObjectId(TEAM));
        for (var content : List.of(
                "{\"team\":1}",
                "{\"team.x\":1}",
                "{\"$set\":{\"team\":1}}",
                "{\"$unset\":{\"team\":1}}",
                "{\"$inc\":{\"team\":1}}",
                "{\"$rename\":{\"a\":\"team\"}}",
                "[{\"$set\":{\"team\":1}}]",
                "[{\"$unset\":\"team\"}]")) {
            assertThat(tim.patch("/t/m1", content).statusCode()).as(content).isIn(200, 400, 403);
            assertThat(stored("m1").get("team")).as(content).isEqualTo(new BsonObjectId(TEAM));
        }
    }

    @Test
    void write_filters_answer_as_if_other_documents_were_not_there() {
        var own = gateway.user("own");
        assertStatus(200, own.patch("/w/mine", "{\"x\":1}"));
        assertStatus(404, own.patch("/w/theirs", "{\"x\":1}"));
        assertStatus(404, own.put("/w/theirs", "{\"owner\":\"own\"}"));
        assertStatus(409, own.patch("/w/theirs?wm=upsert", "{\"x\":1}"));
        assertStatus(404, own.delete("/w/theirs"));
        assertThat(gateway.collection("w").find(eq("_id", "theirs")).first().get("owner"))
                .isEqualTo(new BsonString("bob"));
    }

    @Test
    void rules_and_handlers_interpret_paths_in_the_same_way() {
        var ada = gateway.as("ada");
        var admin = gateway.as("admin");
        for (var same : List.of("/c", "/c/", "/c//", "/%63", "/c;x=1")) {
            assertThat(status(ada, same)).as(same).isEqualTo(200);
        }
        for (var other :
                List.of("/C", "//c", "/./c", "/x/../c", "/%2e/c", "/c%2Fb", "/c%3Fa", "/c.", "/c%20", "/c%00")) {
            assertThat(status(ada, other)).as(other).isEqualTo(403);
        }
        assertThat(status(admin, "//c")).isEqualTo(403);
        assertThat(status(admin, "/c%2Fb")).isEqualTo(404);
        assertThat(status(admin, "/c%20")).isEqualTo(404);
        assertThat(status(admin, "/c%00")).isEqualTo(400);
        assertThat(status(admin, "/c/b/x")).isEqualTo(404);
    }

    @Test
    void no_spelling_of_a_path_gets_around_a_rule() {
        for (var path : List.of(
                "/c/b",
                "/c/b/",
                "/c/b//",
                "/c/%62",
                "/c/b;x",
                "/c/b%20",
                "/c/b%0A",
                "/c/b%20/",
                "/c/b/x",
                "/c/b%09",
                "/c/b%E2%80%83",
                "/c//b",
                "/c/./b",
                "/c%2Fb")) {
            var response = gateway.user("eve").get(path);
            assertThat(response.statusCode()).as(path).isIn(403, 404);
            assertThat(response.body()).as(path).doesNotContain("\"_id\"");
        }
    }

    @Test
    void methods_cannot_be_overridden() {
        assertStatus(200, gateway.as("ada").send("HEAD", "/c", "")); // as GET
        assertStatus(403, gateway.as("ada").send("HEAD", "/w", ""));
        assertStatus(200, gateway.user("own").send("HEAD", "/w", "")); // is no management
        var writer = gateway.user("writer");
        assertStatus(201, writer.post("/drop", "{_id: 'x', n: 1}"));
        for (var path : List.of("/drop", "/drop/x", "/drop/_size?filter=%7B%22n%22:1%7D")) {
            assertThat(writer.get(path).statusCode()).as(path).isEqualTo(403);
            var head = writer.send("HEAD", path, "");
            assertThat(head.statusCode()).as(path).isEqualTo(403);
            assertThat(head.headers().firstValue("ETag")).as(path).isEmpty();
        }
        assertStatus(200, gateway.as("admin").send("HEAD", "/c", ""));
        assertStatus(
                200, gateway.as("ada").with("X-HTTP-Method-Override", "DELETE").get("/c"));
        assertStatus(200, gateway.anonymous().send("OPTIONS", "/c/new", ""));
        assertThat(gateway.collection("c").countDocuments(eq("_id", "new"))).isZero();
    }

    @Test
    void javascript_is_refused_everywhere_for_all_callers() {
        for (var query : List.of(
                "filter={\"$where\":\"true\"}",
                "filter={\"$or\":[{\"a\":1},{\"$where\":\"true\"}]}",
                "filter={\"$expr\":{\"$function\":{\"body\":\"f\",\"args\":[],\"lang\":\"js\"}}}",
                "keys={\"x\":{\"$function\":{\"body\":\"f\",\"args\":[],\"lang\":\"js\"}}}",
                "keys={\"x\":{\"$accumulator\":{\"lang\":\"js\"}}}",
                "sort={\"a\":{\"$function\":{\"lang\":\"js\"}}}",
                "hint={\"$where\":1}")) {
            int equals = query.indexOf('=');
            var parameter = query.substring(0, equals + 1) + encode(query.substring(equals + 1));
            assertThat(status(gateway.as("admin"), "/c?" + parameter)).as(query).isEqualTo(403);
            assertThat(status(gateway.as("admin"), "/c/_size?" + parameter))
                    .as("size, %s", query)
                    .isEqualTo(403);
            if (query.startsWith("filter")) {
                var admin = gateway.as("admin");
                for (var path : List.of("/c/*?", "/c/a?")) {
                    assertThat(admin.patch(path + parameter, "{\"t24\":1}").statusCode())
                            .as(path + query)
                            .isEqualTo(403);
                    assertThat(admin.delete(path + parameter).statusCode())
                            .as(path + query)
                            .isEqualTo(403);
                }
            }
        }
        assertThat(gateway.collection("c").countDocuments(eq("t24", 1))).isZero();
    }

    @Test
    void repeated_parameters_narrow_and_never_widen() {
        var both = "/c?filter=" + encode("{\"_id\":\"a\"}") + "&filter=" + encode("{\"_id\":\"b\"}");
        assertThat(gateway.as("ada").get(both).body()).isEqualTo("[]");
        assertThat(gateway.as("ada")
                        .get("/c?%66ilter=" + encode("{\"_id\":\"a\"}"))
                        .body())
                .contains("\"a\"")
                .doesNotContain("\"b\"");
    }

    @Test
    void readers_with_different_filters_share_no_results(TestMongo mongo) {
        try (var other = TestGateway.start(mongo, "")) {
            other.insert("c", "{_id: 'a', for: 'ada'}", "{_id: 'b', for: 'bob'}");
            other.permit("{_id: 1, roles: ['editor', 'viewer'], predicate: \"path-prefix('/c')\","
                    + " mongo: {readFilter: {for: '@user._id'}}}");
            for (int i = 0; i < 3; i++) {
                assertThat(other.as("ada").get("/c?cache").body())
                        .contains("\"a\"")
                        .doesNotContain("\"b\"");
                assertThat(other.as("bob").get("/c?cache").body())
                        .contains("\"b\"")
                        .doesNotContain("\"a\"");
                assertThat(status(other.as("ada"), "/c/b")).isEqualTo(404);
                assertThat(status(other.as("bob"), "/c/b")).isEqualTo(200);
            }
        }
    }
}
