package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.mcp.McpClient.isError;
import static org.restheart.core.mcp.McpClient.text;
import static org.restheart.core.security.TestGateway.encode;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.mcp.McpClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Names that a later MongoDB may give to stages and operators are closed, by whatever way they come. MongoDB never
/// gets them: its own message would have a code.
@WithMongo
class NewOperatorsTest {
    private static final String OPERATOR = "{\"a\":{\"$newOp\":1}}";
    private static final String EXPRESSION = "{\"x\":{\"$newOp\":\"$a\"}}";
    private static final String VARIABLE = "{\"x\":\"$$FUTURE\"}";

    @AutoClose
    private static TestGateway gateway;

    /// Without lists of what is forbidden.
    @AutoClose
    private static TestGateway bare;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, """
            filterOperatorsBlacklist: {enabled: true, blacklist: [$where]}
            aggregationSecurity: {enabled: true, stageBlacklist: [$out, $merge], operatorBlacklist: [$where]}
            dataApi: {enabled: true}
            mcp: {enabled: true, read-only: false, confirm: false, calls-per-minute: 100000}
            graphql: {enabled: true, db: $db, collection: gql-apps}
            """);
        gateway.database().createCollection("gql-apps");
        bare = TestGateway.start(mongo, "");
        for (var each : List.of(gateway, bare)) {
            each.insert("c", "{_id: 'a', a: 1, owner: 'rows', secret: 'S', list: [{q: 1}]}");
            each.addUsers("rows", "fields");
            each.permit(
                    "rows",
                    "path-prefix('/c')",
                    "{readFilter: {owner: 'rows'}, writeFilter: {owner: 'rows'},"
                            + " allowBulkPatch: true, allowAdHocAggregations: true}");
            each.permit(
                    "fields",
                    "path-prefix('/c')",
                    "{projectResponse: {secret: 0}, allowBulkPatch: true," + " allowAdHocAggregations: true}");
        }
        assertStatus(200, gateway.as("admin").put("/c", """
            {"aggrs": [
               {"uri": "stage", "stages": [{"$futureStage": {}}]},
               {"uri": "filter", "stages": [{"$match": {"a": {"$newOp": 1}}}]},
               {"uri": "lookup", "stages": [{"$lookup": {"from": "c", "pipeline": [{"$futureStage": 1}], "as": "x"}}]},
               {"uri": "facet", "stages": [{"$facet": {"x": [{"$set": {"a": {"$newOp": 1}}}]}}]},
               {"uri": "case", "stages": [{"$Match": {}}]}],
             "streams": [
               {"uri": "stage", "stages": [{"$futureStage": {}}]},
               {"uri": "filter", "stages": [{"$match": {"fullDocument.a": {"$newOp": 1}}}]}]}\
            """));
    }

    private static String parameter(String name, String json) {
        return name + "=" + encode(json);
    }

    private static void assertRefused(HttpResponse<String> answer) {
        assertThat(answer.statusCode()).as(answer.body()).isIn(400, 403);
        assertThat(answer.body()).doesNotContain("Location", "codeName");
    }

    private static List<String> queries() {
        return List.of(
                parameter("filter", OPERATOR),
                parameter("filter", "{\"$newOp\":1}"),
                parameter("filter", "{\"$or\":[" + OPERATOR + "]}"),
                parameter("filter", "{\"list\":{\"$elemMatch\":{\"q\":{\"$newOp\":1}}}}"),
                parameter("filter", "{\"$expr\":{\"$newOp\":\"$a\"}}"),
                parameter("filter", "{\"$expr\":{\"$eq\":[\"$a\",\"$$FUTURE\"]}}"),
                parameter("keys", EXPRESSION),
                parameter("keys", VARIABLE),
                parameter("keys", "{\"list\":{\"$elemMatch\":{\"q\":{\"$newOp\":1}}}}"),
                parameter("sort", "{\"a\":{\"$newOp\":1}}"),
                parameter("hint", "{\"a\":{\"$newOp\":1}}"));
    }

    @Test
    void no_parameter_has_them() {
        for (var caller : List.of(gateway.as("admin"), gateway.user("rows"), gateway.user("fields"))) {
            for (var query : queries()) {
                assertRefused(caller.get("/c?" + query));
                assertRefused(caller.get("/c/a?" + query));
            }
            assertRefused(caller.get("/c/_size?" + parameter("filter", OPERATOR)));
        }
    }

    @Test
    void within_a_rule_they_are_closed_without_any_list() {
        for (var query : queries()) {
            if (!query.startsWith("hint")) {
                assertStatus(403, bare.user("rows").get("/c?" + query));
                assertStatus(403, bare.user("fields").get("/c?" + query));
            }
        }
        assertThat(bare.as("admin").get("/c?" + parameter("filter", OPERATOR)).body())
                .as("MongoDB's own answer, where nothing is forbidden")
                .contains("unknown operator: $newOp");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"$newOp\":{\"a\":1}}",
                "{\"$pull\":{\"list\":{\"q\":{\"$newOp\":1}}}}",
                "{\"$push\":{\"list\":{\"$each\":[],\"$newOp\":1}}}",
                "[{\"$futureStage\":{}}]",
                "[{\"$set\":{\"x\":{\"$newOp\":\"$secret\"}}}]",
                "[{\"$set\":{\"x\":\"$$FUTURE\"}}]"
            })
    void no_change_has_them(String change) {
        for (var caller : List.of(gateway.as("admin"), gateway.user("rows"), gateway.user("fields"))) {
            assertRefused(caller.patch("/c/a", change));
            if (change.startsWith("{")) {
                assertRefused(caller.patch("/c/*?" + parameter("filter", "{\"a\":1}"), change));
            }
        }
        assertStatus(403, bare.user("fields").patch("/c/a", change.replace("$push", "$newPush")));
    }

    @Test
    void no_array_filter_has_them() {
        for (var caller : List.of(gateway.as("admin"), gateway.user("rows"), gateway.user("fields"))) {
            assertRefused(caller.patch(
                    "/c/a?" + parameter("arrayFilters", "[{\"e.q\":{\"$newOp\":1}}]"),
                    "{\"$set\":{\"list.$[e].q\":2}}"));
        }
    }

    @Test
    void no_stored_pipeline_has_them() {
        var admin = gateway.as("admin");
        for (var name : List.of("stage", "filter", "lookup", "facet", "case")) {
            var answer = admin.get("/c/_aggrs/" + name);
            assertStatus(400, answer);
            assertRefused(answer);
        }
        for (var name : List.of("stage", "filter")) {
            assertRefused(admin.with("Accept", "text/event-stream").get("/c/_streams/" + name));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"$futureStage\":{}}",
                "{\"$match\":{\"a\":{\"$newOp\":1}}}",
                "{\"$project\":{\"x\":{\"$newOp\":1}}}",
                "{\"$project\":{\"x\":\"$$FUTURE\"}}",
                "{\"$group\":{\"_id\":null,\"x\":{\"$newOp\":1}}}",
                "{\"$setWindowFields\":{\"sortBy\":{\"a\":1},\"output\":{\"x\":{\"$newOp\":1}}}}",
                "{\"$facet\":{\"x\":[{\"$futureStage\":{}}]}}",
                "{\"$lookup\":{\"from\":\"c\",\"pipeline\":[{\"$futureStage\":{}}],\"as\":\"x\"}}",
                "{\"$unionWith\":{\"coll\":\"c\",\"pipeline\":[{\"$match\":{\"a\":{\"$newOp\":1}}}]}}"
            })
    void no_pipeline_of_a_caller_has_them(String stage) {
        for (var caller : List.of(gateway.as("admin"), gateway.user("rows"), gateway.user("fields"))) {
            assertRefused(caller.post("/c/_aggrs", "{\"stages\":[" + stage + "]}"));
        }
        var called = new McpClient(gateway.as("admin"))
                .call("aggregate", "{database: '%s', collection: 'c', pipeline: [%s]}".formatted(db(), stage));
        assertThat(isError(called)).isTrue();
        assertThat(text(called)).doesNotContain("Location");
        assertRefused(dataApi("aggregate", "\"pipeline\":[" + stage + "]"));
    }

    private static String db() {
        return gateway.database().getName();
    }

    private static HttpResponse<String> dataApi(String action, String members) {
        return gateway.as("admin")
                .post(
                        "/app/any/endpoint/data/v1/action/" + action,
                        "{\"dataSource\":\"x\",\"database\":\"%s\",\"collection\":\"c\",%s}".formatted(db(), members));
    }

    @Test
    void no_other_way_has_them() {
        assertRefused(dataApi("find", "\"filter\":" + OPERATOR));
        assertRefused(dataApi("updateMany", "\"filter\":{\"a\":1},\"update\":{\"$newOp\":{\"a\":1}}"));
        assertRefused(dataApi("deleteMany", "\"filter\":" + OPERATOR));
        var mcp = new McpClient(gateway.as("admin"));
        var find = "{database: '%s', collection: 'c', filter: %s}".formatted(db(), OPERATOR);
        assertThat(text(mcp.call("find", find))).contains("unknown operator: $newOp");
        assertThat(isError(mcp.call("count", find))).isTrue();
        var admin = gateway.as("admin");
        assertStatus(201, admin.post("/gql-apps", """
            {"_id": "app", "descriptor": {"name": "app", "uri": "app", "enabled": true},
             "schema": "type D { _id: String } type Query { stage: [D] find: [D] }",
             "mappings": {"Query": {
               "stage": {"db": "$db", "collection": "c", "stages": [{"$futureStage": {}}]},
               "find": {"db": "$db", "collection": "c", "find": {"a": {"$newOp": 1}}}}}}
            """.replace("$db", db())));
        for (var field : List.of("stage", "find")) {
            assertThat(admin.post("/graphql/app", "{\"query\":\"{" + field + "{_id}}\"}")
                            .body())
                    .containsAnyOf("Unrecognized pipeline stage name: '$futureStage'", "unknown operator: $newOp");
        }
    }

    @Test
    void what_is_stored_is_data() {
        var admin = gateway.as("admin");
        assertStatus(201, admin.post("/c", "{\"_id\":\"data\",\"v\":{\"$newOp\":1}}"));
        assertThat(admin.get("/c?" + parameter("filter", "{\"v\":{\"$eq\":{\"$newOp\":1}}}"))
                        .body())
                .contains("data");
        assertStatus(200, admin.patch("/c/data", "{\"$set\":{\"w\":{\"$newOp\":1}}}"));
        assertStatus(204, admin.delete("/c/data"));
    }
}
