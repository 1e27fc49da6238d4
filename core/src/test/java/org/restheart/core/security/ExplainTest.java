package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// `explain` in place of results, and who may have it.
@WithMongo
class ExplainTest {
    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, """
                aggregationSecurity: {enabled: true, stageBlacklist: []}
                """);
        gateway.insert("c", "{_id: 1, n: 1, secret: 1}", "{_id: 2, n: 2, secret: 1}");
        gateway.collection("c").createIndex(new Document("n", 1));
        assertStatus(200, gateway.as("admin").put("/c", """
                        {"aggrs": [
                          {"uri": "big", "type": "pipeline", "stages": [{"$match": {"n": {"$gt": {"$var": "min"}}}}]},
                          {"uri": "out", "type": "pipeline", "stages": [{"$match": {}}, {"$out": "written"}]}]}
                        """));
        gateway.addUsers("man", "filtered", "projected", "plain");
        permit("man", "allowManagementRequests: true");
        permit("filtered", "allowManagementRequests: true, readFilter: {n: 1}");
        permit("projected", "allowManagementRequests: true, projectResponse: {secret: 0}");
        permit("plain", "allowManagementRequests: false");
    }

    private static void permit(String role, String mongo) {
        gateway.permit(role, "path-prefix('/')", "{" + mongo + "}");
    }

    private static String query(String parameters) {
        return "/c?filter=" + TestGateway.encode("{\"n\": {\"$gt\": 1}}") + parameters;
    }

    @Test
    void a_plan_says_which_index_is_used_and_numbers_only_where_asked_for() {
        var plan = gateway.as("admin").get(query("&sort=n&explain"));
        assertStatus(200, plan);
        assertThat(plan.body()).contains("IXSCAN").doesNotContain("executionStats", "serverInfo", "clusterTime");
        var numbers = gateway.user("man").get(query("&sort=n&explain=executionStats"));
        assertThat(BsonDocument.parse(numbers.body())
                        .getDocument("executionStats")
                        .getNumber("nReturned")
                        .intValue())
                .isEqualTo(1);
        assertStatus(400, gateway.as("admin").get(query("&explain=everything")));
    }

    @Test
    void stored_aggregations_are_explained_with_their_variables_and_never_run_for_it_if_they_write() {
        var admin = gateway.as("admin");
        var variables = "avars=" + TestGateway.encode("{\"min\": 1}");
        assertThat(admin.get("/c/_aggrs/big?explain&" + variables).body()).contains("IXSCAN");
        assertStatus(400, admin.get("/c/_aggrs/big?explain"));
        assertStatus(200, admin.get("/c/_aggrs/out?explain"));
        assertStatus(422, admin.get("/c/_aggrs/out?explain=executionStats"));
        assertThat(gateway.database().listCollectionNames()).doesNotContain("written");
    }

    @ParameterizedTest
    @ValueSource(strings = {"filtered", "projected", "plain"})
    void callers_from_whom_a_rule_hides_something_get_no_plan(String name) {
        for (var path : new String[] {"/c?explain", "/c?explain=executionStats", "/c/_aggrs/out?explain"}) {
            assertThat(gateway.user(name).get(path).statusCode()).as(path).isEqualTo(403);
        }
        assertStatus(200, gateway.user(name).get("/c"));
    }

    @Test
    void what_changes_data_has_no_plan_and_is_not_carried_out() {
        var admin = gateway.as("admin");
        var some = "?explain&filter=" + TestGateway.encode("{\"n\": {\"$gt\": -1}}");
        long before = gateway.collection("c").countDocuments();
        assertStatus(400, admin.delete("/c/*" + some));
        assertStatus(400, admin.patch("/c/*" + some, "{\"explained\": 1}"));
        assertStatus(400, admin.post("/c?explain", "{\"explained\": 1}"));
        assertStatus(400, admin.delete("/c?explain"));
        assertThat(gateway.collection("c").countDocuments()).isEqualTo(before);
        assertThat(gateway.collection("c").countDocuments(BsonDocument.parse("{explained: 1}")))
                .isZero();
    }

    @Test
    void plans_tell_nothing_about_passwords() {
        var filter = TestGateway.encode("{\"password\": {\"$regex\": \"^.2a\"}}");
        assertStatus(403, gateway.as("admin").get("/users?explain=executionStats&filter=" + filter));
        assertStatus(403, gateway.as("admin").get("/users?explain"));
    }
}
