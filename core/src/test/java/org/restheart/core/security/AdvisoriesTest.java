package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.security.TestGateway.encode;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The security advisories that the existing product has published, by what they say: docs/reference/advisories.md.
@WithMongo
class AdvisoriesTest {
    private static final String CODE =
            "{\"$function\":{\"body\":\"function(){return 'ran'}\",\"args\":[],\"lang\":\"js\"}}";

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, """
            filterOperatorsBlacklist: {enabled: true, blacklist: [$where]}
            aggregationSecurity:
              enabled: true
              stageBlacklist: [$out, $merge, $lookup, $graphLookup, $unionWith]
              operatorBlacklist: [$where, $function, $accumulator]
            graphql: {enabled: true, db: $db, collection: gql-apps}
            """);
        gateway.database().createCollection("gql-apps");
        gateway.insertUsers("{_id: 'eve', roles: ['eve'], inviteToken: 'invite-eve', team: '$secret'}");
        gateway.permit("eve", "path-prefix('/users') and method(GET)", "{}");
        gateway.permit("{_id: 'own', roles: ['eve'], predicate: \"path-prefix('/c')\", mongo:"
                + " {readFilter: {team: '@user.team'}}}");
        gateway.insert("c", "{_id: 'a', team: 'red', secret: 'red'}", "{_id: 'b', team: 'blue', secret: 'x'}");
        assertStatus(200, gateway.as("admin").put("/c", """
            {"aggrs": [
               {"uri": "match", "stages": [{"$match": {"team": {"$var": "team"}}}]},
               {"uri": "set", "stages": [{"$set": {"told": {"$var": "team"}}}]},
               {"uri": "expr", "stages": [{"$match": {"$expr": {"$eq": ["$team", {"$var": "team"}]}}}]}]}\
            """));
    }

    @Test
    void projections_and_pipelines_of_changes_run_no_code() {
        var admin = gateway.as("admin");
        assertStatus(403, admin.get("/c?keys=" + encode("{\"x\":" + CODE + "}")));
        assertStatus(403, admin.get("/c/a?keys=" + encode("{\"x\":{\"$cond\":[true," + CODE + ",1]}}")));
        for (var change : List.of(
                "[{\"$set\":{\"x\":" + CODE + "}}]",
                "[{\"$replaceWith\":{\"$mergeObjects\":[\"$$ROOT\",{\"x\":" + CODE + "}]}}]",
                "[{\"$set\":{\"x\":{\"$map\":{\"input\":[1],\"in\":" + CODE + "}}}}]")) {
            assertStatus(403, admin.patch("/c/a", change));
        }
        assertStatus(403, admin.get("/c?filter=" + encode("{\"$where\":\"true\"}")));
        assertThat(gateway.stored("c", "a")).doesNotContainKey("x");
    }

    @Test
    void values_of_variables_stay_values() {
        var admin = gateway.as("admin");
        for (var value : List.of("{\"$ne\":null}", "{\"$gt\":\"\"}", "{\"$regex\":\".*\"}")) {
            assertThat(admin.get("/c/_aggrs/match?avars=" + encode("{\"team\":" + value + "}"))
                            .statusCode())
                    .as(value)
                    .isEqualTo(400);
        }
        assertThat(admin.get("/c/_aggrs/set?avars=" + encode("{\"team\":\"$secret\"}"))
                        .body())
                .as("text, not the field of this name")
                .contains("\"told\": \"$secret\"");
        assertThat(admin.get("/c/_aggrs/expr?avars=" + encode("{\"team\":\"$secret\"}"))
                        .body())
                .isEqualTo("[]");
        assertThat(admin.get("/c/_aggrs/expr?avars=" + encode("{\"team\":\"$$ROOT.secret\"}"))
                        .body())
                .isEqualTo("[]");
    }

    @Test
    void properties_of_accounts_stay_values_in_permissions() {
        assertThat(gateway.user("eve").get("/c").body()).isEqualTo("[]");
        gateway.collection("users")
                .updateOne(BsonDocument.parse("{_id: 'eve'}"), BsonDocument.parse("{$set: {team: {'$ne': null}}}"));
        assertThat(gateway.user("eve").get("/c").body()).isEqualTo("[]");
        gateway.collection("users")
                .updateOne(BsonDocument.parse("{_id: 'eve'}"), BsonDocument.parse("{$set: {team: '$secret'}}"));
    }

    @Test
    void arguments_of_graphql_stay_values() {
        var admin = gateway.as("admin");
        assertStatus(201, admin.post("/gql-apps", """
            {"_id": "app", "descriptor": {"name": "app", "uri": "app", "enabled": true},
             "schema": "type D { _id: String } type Query { find(v: BsonDocument): [D] match(v: String): [D] }",
             "mappings": {"Query": {
               "find": {"db": "$db", "collection": "c", "find": {"team": {"$arg": "v"}}},
               "match": {"db": "$db", "collection": "c",
                 "stages": [{"$match": {"$expr": {"$eq": ["$team", {"$arg": "v"}]}}}]}}}}
            """.replace(
                        "$db", gateway.database().getName())));
        var query = "query($v: BsonDocument, $t: String){find(v: $v){_id} match(v: $t){_id}}";
        var answer = admin.post(
                "/graphql/app", "{\"query\":\"" + query + "\",\"variables\":{\"v\":{\"$ne\":null},\"t\":\"$secret\"}}");
        assertThat(answer.body().replace(" ", "")).contains("\"match\":[]").doesNotContain("\"_id\"");
    }

    @Test
    void no_filter_tells_a_hash_or_a_token() {
        for (var caller : List.of(gateway.user("eve"), gateway.as("admin"))) {
            for (var query : List.of(
                    "filter=" + encode("{\"password\":{\"$regex\":\"^\"}}"),
                    "filter=" + encode("{\"$or\":[{\"password\":{\"$gt\":\"$2\"}}]}"),
                    "filter=" + encode("{\"$expr\":{\"$gt\":[\"$password\",\"\"]}}"),
                    "sort=password",
                    "hint=" + encode("{\"password\":1}"))) {
                assertStatus(403, caller.get("/users?" + query));
                if (query.startsWith("filter")) {
                    assertStatus(403, caller.get("/users/_size?" + query));
                }
            }
        }
        for (var query : List.of(
                "filter=" + encode("{\"inviteToken\":{\"$regex\":\"^i\"}}"),
                "filter=" + encode("{\"$nor\":[{\"inviteToken\":\"invite-eve\"}]}"),
                "sort=inviteToken")) {
            assertStatus(403, gateway.user("eve").get("/users?" + query));
        }
        assertThat(gateway.user("eve")
                        .get("/users?keys=" + encode("{\"x\":\"$inviteToken\",\"y\":\"$password\"}"))
                        .body())
                .doesNotContain("invite-eve", "$2a$");
    }
}
