package org.restheart.core.atlas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Responses.json;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Credentials and permissions of the Atlas Data API.
class AtlasDataApiAccessTest extends AtlasDataApiFixture {
    @Test
    void a_replacement_of_a_permission_is_checked_as_a_whole() {
        gateway.permit("{_id: 'replaced', kind: 'r', roles: ['nobody'], predicate: \"path('/nothing')\"}");
        var filter = "'filter': {'kind': 'r'}, 'replacement': ";
        var admin = gateway.as("admin");
        var half = act(admin, "replaceOne", "acl", filter + "{'kind': 'r', 'roles': ['nobody']}");
        assertStatus(400, half);
        assertThat(half.body()).contains("predicate");
        var whole = filter + "{'kind': 'r', 'roles': ['nobody'], 'predicate': 'method(GET)'}";
        expect(act(admin, "replaceOne", "acl", whole), 200, "{matchedCount: 1, modifiedCount: 1}");
    }

    @Test
    void a_replacement_by_a_password_does_not_take_the_root_role_from_the_last_account() {
        var answer = act(
                gateway.as("admin"),
                "replaceOne",
                "users",
                "'filter': {'roles': 'admin'}, 'replacement': {'password': 'a-new-Passw0rd'}");
        assertThat(answer.statusCode()).as(answer.body()).isBetween(400, 499);
        assertThat(gateway.collection("users").countDocuments(new BsonDocument("roles", new BsonString("admin"))))
                .isOne();
    }

    @Test
    void a_replacement_touches_the_fields_that_it_lacks() {
        gateway.permit("""
                {_id: 'things', roles: ['viewer'], priority: 1, mongo: {allowBulkPatch: true},
                 predicate: "path-prefix('/things') and method(PATCH) and bson-request-blacklist(locked, price)"}""");
        gateway.insert("things", "{_id: 'x', locked: true, price: 5, n: 2}");
        var bob = gateway.as("bob");
        expect(
                act(bob, "updateOne", "things", "'filter': {'n': 2}, 'update': {'$set': {'m': 1}}"),
                200,
                "{matchedCount: 1, modifiedCount: 1}");
        assertStatus(403, act(bob, "replaceOne", "things", "'filter': {'n': 2}, 'replacement': {'n': 2}"));
        assertThat(gateway.collection("things").find().first().getInt32("price").getValue())
                .isEqualTo(5);
    }

    @Test
    void pipelines_do_not_write_at_any_depth() {
        var response = act("aggregate", "'pipeline': [{'$facet': {'a': [{'$out': 'x'}]}}]");
        assertStatus(403, response);
        assertThat(json(response).getString("error_code").getValue()).isEqualTo("ArgumentsNotAllowed");
    }

    @Test
    void credentials_are_accepted_and_refused_as_by_the_retired_service() {
        var anonymous = gateway.anonymous();
        var nothing = act(anonymous, "find", "tasks", "");
        expect(
                nothing,
                400,
                "{error: 'no authentication methods were specified', error_code: 'InvalidParameter', link: ''}");
        var half = act(anonymous.with("email", "ada"), "find", "tasks", "");
        expect(
                half,
                400,
                "{error: 'must specify some form of authentication (either email+password, api-key, or jwt) in the"
                        + " request header or body', error_code: 'MissingParameter', link: ''}");
        var wrong =
                "{error: 'invalid session: error finding user for endpoint', error_code: 'InvalidSession', link: ''}";
        expect(act(anonymous.with("api-key", "wrong"), "find", "tasks", ""), 401, wrong);
        expect(
                act(
                        gateway.as("admin")
                                .with("api-key", "x")
                                .with("email", "admin")
                                .with("password", "no"),
                        "find",
                        "tasks",
                        ""),
                401,
                wrong);
        var pair = anonymous.with("email", "admin").with("password", "admin-pw");
        assertStatus(200, act(pair, "find", "tasks", ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/app/a/endpoint/data/v2/action/find", "/app/a/endpoint/data/v1/action/count", "/app/a", "/app"})
    void other_addresses_are_not_found(String address) {
        var response = gateway.as("admin").post(address, "{}");
        assertStatus(404, response);
        assertThat(response.body()).isEmpty();
    }

    @Test
    void rules_hide_documents_and_fields() {
        var ada = gateway.as("ada");
        var found = json(act(ada, "find", "own", ""));
        assertThat(found.getArray("documents")).hasSize(3);
        assertThat(found.toJson()).doesNotContain("secret").doesNotContain("bob");
        expect(act(ada, "findOne", "own", "'filter': {'_id': 1}"), 200, "{document: null}");
        var asked = act(ada, "find", "own", "'filter': {'secret': 1}");
        assertStatus(403, asked);
        assertThat(json(asked).getString("error_code").getValue()).isEqualTo("ArgumentsNotAllowed");
        expect(
                act(ada, "updateOne", "own", "'filter': {'n': 1}, 'update': {'$set': {'x': 1}}"),
                200,
                "{matchedCount: 0, modifiedCount: 0}");
    }

    private static void expectNoRule(HttpResponse<String> response, String namespace) {
        expect(
                response,
                403,
                "{error: \"no rule exists for namespace '%s'\", error_code: 'NoMatchingRuleFound', link: ''}"
                        .formatted(namespace));
    }

    @Test
    void without_permission_existence_is_not_revealed() {
        var ada = gateway.as("ada");
        expectNoRule(act(ada, "deleteMany", "own", "'filter': {}"), db + ".own");
        assertThat(gateway.collection("own").countDocuments()).isEqualTo(6);
        expectNoRule(act(ada, "find", "plain", ""), db + ".plain");
        assertStatus(200, ada.get("/plain"));
        assertStatus(200, act(ada, "find", "acts", ""));
        expectNoRule(act(ada, "findOne", "acts", ""), db + ".acts");
        expectNoRule(act(ada, "find", "missing", ""), db + ".missing");
        var admin = gateway.as("admin");
        expectNoRule(act(admin, "find", "_properties", ""), db + "._properties");
        var other = "{\"dataSource\": \"x\", \"database\": \"admin\", \"collection\": \"system.users\"}";
        expectNoRule(admin.post("/app/any/endpoint/data/v1/action/find", other), "admin.system.users");
        expect(
                act(admin, "find", "missing", ""),
                400,
                "{error: '%s.missing does not exist', error_code: 'InvalidParameter', link: ''}".formatted(db));
    }

    @Test
    void pipelines_of_clients_see_only_what_the_rule_shows() {
        var bob = gateway.as("bob");
        var all = json(act(bob, "aggregate", "own", "'pipeline': [{'$sort': {'_id': 1}}]"));
        assertThat(all.toJson()).doesNotContain("\"ada\"").doesNotContain("secret");
        assertThat(all.getArray("documents")).hasSize(3);
        // would fail on the document with n 0, which the rule excludes
        var divided = act(
                bob, "aggregate", "own", "'pipeline': [{'$match': {'$expr': {'$gt': [{'$divide': [1, '$n']}, 0]}}}]");
        assertStatus(200, divided);
        for (var stage : List.of(
                "{'$lookup': {'from': 'users', 'pipeline': [], 'as': 'u'}}",
                "{'$unionWith': 'users'}",
                "{'$collStats': {}}",
                "{'$match': {'$where': '1'}}",
                "{'$_internalInhibitOptimization': {}}")) {
            assertThat(act(bob, "aggregate", "own", "'pipeline': [" + stage + "]")
                            .statusCode())
                    .as(stage)
                    .isEqualTo(403);
        }
        expectNoRule(act(gateway.as("ada"), "aggregate", "own", "'pipeline': []"), db + ".own");
    }

    @Test
    void browsers_may_not_send_keys() {
        var preflight = gateway.anonymous()
                .with("Access-Control-Request-Method", "POST")
                .with("Access-Control-Request-Headers", "api-key")
                .send("OPTIONS", "/app/any/endpoint/data/v1/action/find", "");
        var allowed =
                preflight.headers().firstValue("Access-Control-Allow-Headers").orElse("");
        assertThat(allowed).containsIgnoringCase("authorization").doesNotContainIgnoringCase("api-key");
    }
}
