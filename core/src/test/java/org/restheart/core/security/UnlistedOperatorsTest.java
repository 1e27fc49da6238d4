package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.security.TestGateway.encode;
import static org.restheart.testkit.Statuses.assertStatus;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Operators and stages that reach hidden data, or MongoDB itself, by means of their own: only known ones are allowed.
@WithMongo
class UnlistedOperatorsTest {
    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.addUsers("hiding", "owning", "asking", "titles", "names", "member");
        gateway.permit("hiding", "path-prefix('/docs')", "{projectResponse: {secret: 0, 'n.secret': 0}}");
        gateway.permit(
                "owning", "path-prefix('/docs')", "{readFilter: {owner: '@user._id'}, allowAdHocAggregations: true}");
        gateway.permit(
                "asking", "path-prefix('/docs')", "{projectResponse: {secret: 0}, allowAdHocAggregations: true}");
        gateway.permit("titles", "path-prefix('/docs')", "{projectResponse: {title: 1}}");
        gateway.permit("names", "path-prefix('/users') and method(GET)", "{}");
        gateway.permit(
                "member",
                "path-prefix('/teams')",
                "{readFilter: {members: '@user._id'}, writeFilter: {members: '@user._id'}, projectResponse: {members:"
                        + " 0}, allowBulkPatch: true}");
        gateway.insert(
                "docs",
                "{_id: 'a1', owner: 'owning', title: 'x', secret: 'S-a1', n: [[[[[[{secret: 'x', v: 1}]]]]]], k: 1}",
                "{_id: 'b1', owner: 'bob', title: 'y', secret: 'S-b1', k: 2}");
        gateway.insert("teams", "{_id: 't', members: ['x', 'y', 'member'], votes: [0, 0, 0]}");
        gateway.collection("docs").createIndex(BsonDocument.parse("{owner: 1, secret: 1}"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"$_internalFindAllValuesAtPath\":\"secret\"}",
                "{\"$_internalJsEmit\":{\"eval\":\"function(){}\",\"this\":{}}}",
                "{\"$_internalOwningShard\":1}",
                "{\"$const\":\"$secret\"}",
                "{\"$getField\":\"secret\"}",
                "{\"$notYetInvented\":\"secret\"}",
            })
    void what_may_read_a_hidden_field_is_refused_in_filters_and_changes(String expression) {
        var hiding = gateway.user("hiding");
        assertStatus(403, hiding.get("/docs?filter=" + encode("{\"$expr\":{\"$in\":[\"S-b1\"," + expression + "]}}")));
        assertStatus(403, hiding.patch("/docs/b1", "[{\"$set\":{\"leak\":" + expression + "}}]"));
        assertThat(gateway.stored("docs", "b1")).doesNotContainKey("leak");
    }

    @Test
    void passwords_are_read_by_no_internal_operator() {
        for (var query : List.of(
                "filter=" + encode("{\"$expr\":{\"$in\":[\"x\",{\"$_internalFindAllValuesAtPath\":\"password\"}]}}"),
                "keys=" + encode("{\"x\":{\"$_internalFindAllValuesAtPath\":\"password\"}}"))) {
            assertStatus(403, gateway.user("names").get("/users?" + query));
        }
    }

    @Test
    void nobody_may_use_what_is_internal_to_MongoDB() {
        var admin = gateway.as("admin");
        var emit = "{\"$_internalJsEmit\":{\"eval\":\"function(){emit(1,1)}\",\"this\":\"$$ROOT\"}}";
        assertStatus(403, admin.get("/docs?keys=" + encode("{\"x\":" + emit + "}")));
        assertStatus(403, admin.get("/docs?filter=" + encode("{\"$expr\":" + emit + "}")));
        assertStatus(403, admin.patch("/docs/a1", "[{\"$set\":{\"x\":" + emit + "}}]"));
        assertStatus(403, admin.patch("/docs/*?filter=" + encode("{\"$_internalExprEq\":1}"), "{\"x\":1}"));
        for (var stage : List.of(
                "{\"$mergeCursors\":{\"remotes\":[]}}",
                "{\"$_internalInhibitOptimization\":{}}",
                "{\"$project\":{\"x\":" + emit + "}}",
                "{\"$facet\":{\"f\":[{\"$queue\":[]}]}}")) {
            assertThat(admin.post("/docs/_aggrs", "{\"stages\":[" + stage + "]}")
                            .statusCode())
                    .as(stage)
                    .isIn(400, 403);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"$project\":{\"k\":{\"$meta\":\"indexKey\"}}}",
                "{\"$facet\":{\"f\":[{\"$set\":{\"k\":{\"$meta\":\"indexKey\"}}}]}}",
                "{\"$collStats\":{\"count\":{}}}",
                "{\"$indexStats\":{}}",
                "{\"$unionWith\":\"users\"}",
                "{\"$facet\":{\"f\":[{\"$unionWith\":\"users\"}]}}",
                "{\"$notYetInvented\":{}}",
            })
    void pipelines_within_a_rule_contain_known_stages_and_no_keys_of_indexes(String stage) {
        for (var caller : List.of("owning", "asking")) {
            assertThat(gateway.user(caller)
                            .post("/docs/_aggrs", "{\"stages\":[" + stage + "]}")
                            .statusCode())
                    .as(caller)
                    .isIn(400, 403);
        }
    }

    @Test
    void pipelines_within_a_rule_do_what_they_are_for() {
        var answer = gateway.user("owning")
                .post(
                        "/docs/_aggrs",
                        "{\"stages\":[{\"$facet\":{\"f\":[{\"$group\":{\"_id\":\"$owner\",\"n\":{\"$sum\":1}}}]}}]}");
        assertStatus(200, answer);
        assertThat(answer.body()).contains("\"owning\"").doesNotContain("bob");
    }

    @Test
    void a_page_does_not_begin_after_a_value_that_is_hidden() {
        var after = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString("{\"_id\":\"a5\"}".getBytes(StandardCharsets.UTF_8));
        gateway.permit("{_id: 'no-id', roles: ['titles'], predicate: \"path-prefix('/docs')\", priority: -1, "
                + "mongo: {projectResponse: {title: 1, _id: 0}}}");
        assertStatus(403, gateway.user("titles").get("/docs?pagesize=1&after=" + after));
    }

    @Test
    void many_positions_in_a_path_do_not_hide_what_it_names() {
        for (var zeros : List.of("0", "0.0.0.0.0", "0.0.0.0.0.0", "0.0.0.0.0.0.0.0")) {
            assertThat(gateway.user("hiding")
                            .get("/docs?filter=" + encode("{\"n." + zeros + ".secret\":{\"$exists\":true}}"))
                            .statusCode())
                    .as(zeros)
                    .isEqualTo(403);
        }
    }

    @Test
    void a_view_over_accounts_is_closed_by_every_way() {
        gateway.database().createView("people", "users", List.of());
        gateway.database().createView("persons", "people", List.of());
        gateway.database()
                .createView(
                        "joined",
                        "docs",
                        List.of(BsonDocument.parse("{$lookup: {from: 'users', pipeline: [], as: 'u'}}")));
        for (var view : List.of("people", "persons", "joined")) {
            var admin = gateway.as("admin");
            assertThat(admin.get("/" + view).statusCode()).as(view).isEqualTo(403);
            assertStatus(403, admin.get("/" + view + "/admin?keys=" + encode("{\"password\":1}")));
            assertStatus(403, admin.post("/" + view + "/_aggrs", "{\"stages\":[]}"));
        }
        gateway.database().createView("open", "docs", List.of());
        assertStatus(200, gateway.as("admin").get("/open"));
    }

    @Test
    void a_hidden_id_is_not_compared_with_a_guess() {
        gateway.permit("{_id: 'hidden-id', roles: ['names'], predicate: \"path-prefix('/docs')\", "
                + "mongo: {projectResponse: {_id: 0}}}");
        for (var change : List.of("{\"_id\":\"a1\"}", "{\"$set\":{\"_id\":\"a1\"}}", "{\"$set\":{\"_id.x\":1}}")) {
            assertThat(gateway.user("names").patch("/docs/a1", change).statusCode())
                    .as(change)
                    .isEqualTo(403);
        }
    }

    @Test
    void no_index_over_positions_is_made_within_a_rule() {
        gateway.permit(
                "{_id: 'indexes', roles: ['titles'], predicate: \"path-prefix('/docs/_indexes')\", priority: -9, "
                        + "mongo: {readFilter: {owner: 'x'}, allowManagementRequests: true}}");
        assertStatus(403, gateway.user("titles").put("/docs/_indexes/p", "{\"keys\":{\"n.0\":1}}"));
    }

    @Test
    void a_permission_without_restrictions_reads_no_other_collection() {
        gateway.permit("{_id: 'all', roles: ['owning'], predicate: \"path-prefix('/teams')\", mongo: {"
                + "allowManagementRequests: true, allowBulkPatch: true, allowBulkDelete: true, allowWriteMode: true, "
                + "allowAdHocAggregations: true}}");
        var answer = gateway.user("owning").post("/teams/_aggrs", "{\"stages\":[{\"$documents\":[]}]}");
        assertStatus(403, answer);
        assertThat(answer.body()).contains("'$documents' at pipeline[0] is not allowed in pipelines of clients");
        var unsigned = gateway.user("owning").post("/teams/_aggrs", "{\"stages\":[{\"match\":{}}]}");
        assertStatus(400, unsigned);
        assertThat(unsigned.body()).contains("stage name: 'match' at pipeline[0]", "did you mean $match?");
    }

    @Test
    void a_change_is_not_put_where_a_hidden_array_matched() {
        var member = gateway.user("member");
        assertStatus(403, member.patch("/teams/t", "{\"$set\":{\"votes.$\":1}}"));
        assertStatus(403, member.patch("/teams/*?filter=" + encode("{\"votes\":0}"), "{\"$inc\":{\"votes.$\":1}}"));
        assertStatus(200, member.patch("/teams/t", "{\"$set\":{\"votes.2\":1}}"));
    }
}
