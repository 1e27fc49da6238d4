package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The Atlas Data API as its clients see it.
@WithMongo
class AtlasDataApiTest {
    private static final String TASK = "{_id: {$oid: '6193504e1be4ab27791c8133'}, text: 'a',"
            + " at: {$date: '2022-05-16T20:22:01.104Z'}, n: {$numberLong: '5'}, _etag: {$oid: '6193504e1be4ab27791c8134'}}";

    private static TestGateway gateway;
    private static String db;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "dataApi: {enabled: true, max-limit: 50, default-limit: 20}\n");
        db = gateway.database().getName();
        gateway.permit("{_id: 'own', roles: ['editor'], predicate: \"path-prefix('/own')\", mongo:"
                + " {readFilter: {owner: '@user._id'}, writeFilter: {owner: '@user._id'}, projectResponse: {secret: 0},"
                + " allowWriteMode: true, allowBulkPatch: true}}");
        gateway.permit("{_id: 'aggr', roles: ['viewer'], predicate: \"path-prefix('/own')\", mongo:"
                + " {readFilter: {owner: 'bob'}, projectResponse: {secret: 0}, allowAdHocAggregations: true}}");
        gateway.permit("{_id: 'rest', roles: ['editor'], predicate: \"path-prefix('/plain') and via('rest')\"}");
        gateway.permit(
                "{_id: 'acts', roles: ['editor'], predicate: \"path-prefix('/acts') and via('data-api') and action(find)\"}");
        for (var name : List.of("plain", "acts")) {
            gateway.insert(name, "{_id: 1}");
        }
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    @BeforeEach
    void fill() {
        gateway.collection("tasks").deleteMany(new BsonDocument());
        gateway.insert("tasks", TASK);
        gateway.collection("own").deleteMany(new BsonDocument());
        for (int i = 0; i < 6; i++) {
            gateway.insert(
                    "own", "{_id: %d, owner: '%s', n: %d, secret: %d}".formatted(i, i % 2 == 0 ? "ada" : "bob", i, i));
        }
    }

    private static HttpResponse<String> act(TestClient client, String action, String collection, String members) {
        var body = "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"%s\"%s}"
                .formatted(db, collection, members.isEmpty() ? "" : ", " + members.replace('\'', '"'));
        return client.post("/app/any/endpoint/data/v1/action/" + action, body);
    }

    private static HttpResponse<String> act(String action, String members) {
        return act(gateway.as("admin"), action, "tasks", members);
    }

    private static BsonDocument json(HttpResponse<String> response) {
        return BsonDocument.parse(response.body());
    }

    private static void expect(HttpResponse<String> response, int status, String json) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(json(response)).isEqualTo(BsonDocument.parse(json));
    }

    @Test
    void V1_a_document_is_plain_json() {
        var response = act("findOne", "'filter': {'text': 'a'}");
        expect(
                response,
                200,
                "{document: {_id: '6193504e1be4ab27791c8133', text: 'a', at: '2022-05-16T20:22:01.104Z', n: 5}}");
        assertThat(response.headers().allValues("content-type")).containsExactly("application/json");
        assertThat(response.headers().map()).doesNotContainKeys("etag", "location");
    }

    @Test
    void V2_or_canonical_when_the_client_accepts_that() {
        var client = gateway.as("admin").with("Accept", "application/json;q=0.5, application/ejson");
        var response = act(client, "findOne", "tasks", "'filter': {'_id': {'$oid': '6193504e1be4ab27791c8133'}}");
        assertThat(response.headers().allValues("content-type")).containsExactly("application/ejson");
        assertThat(response.body())
                .isEqualTo("{\"document\": {\"_id\": {\"$oid\": \"6193504e1be4ab27791c8133\"}, \"text\": \"a\", \"at\":"
                        + " {\"$date\": {\"$numberLong\": \"1652732521104\"}}, \"n\": {\"$numberLong\": \"5\"}}}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            findOne    | 'filter': {'text': 'zz'}                                        | {"document": null}
            findOne    | 'filter': {'_id': 'none'}                                       | {"document": null}
            find       | 'filter': {'text': 'zz'}                                        | {"documents": []}
            find       | 'projection': {'text': 1, '_id': 0}, 'limit': 1, 'sort': {'text': -1} | {"documents": [{"text": "a"}]}
            find       | 'projection': {'text': 1, '_etag': 1, '_id': 0}                 | {"documents": [{"text": "a", "_etag": "6193504e1be4ab27791c8134"}]}
            find       | 'skip': 1                                                       | {"documents": []}
            find       | 'filter': {'n': {'$numberLong': '5'}}, 'projection': {'text': 1, '_id': 0}, 'limit': {'$numberInt': '3'} | {"documents": [{"text": "a"}]}
            updateOne  | 'filter': {'text': 'zz'}, 'update': {'$set': {'x': 1}}          | {"matchedCount": 0, "modifiedCount": 0}
            updateOne  | 'filter': {'_id': 'zz'}, 'update': {'$set': {'x': 1}}           | {"matchedCount": 0, "modifiedCount": 0}
            updateMany | 'filter': {}, 'update': {'$set': {'x': 1}}                      | {"matchedCount": 1, "modifiedCount": 1}
            updateMany | 'filter': {'_id': 'u'}, 'update': {'$set': {'x': 1}}, 'upsert': true | {"matchedCount": 0, "modifiedCount": 0, "upsertedId": "u"}
            updateOne  | 'filter': {'_id': 'u'}, 'update': {'$set': {'x': 1}}, 'upsert': true | {"matchedCount": 0, "modifiedCount": 0, "upsertedId": "u"}
            updateOne  | 'filter': {'text': 'a'}, 'update': [{'$set': {'x': 1}}]         | {"matchedCount": 1, "modifiedCount": 1}
            replaceOne | 'filter': {'text': 'a'}, 'replacement': {'x': 1}                | {"matchedCount": 1, "modifiedCount": 1}
            deleteOne  | 'filter': {'text': 'zz'}                                        | {"deletedCount": 0}
            deleteOne  | 'filter': {'_id': 'zz'}                                         | {"deletedCount": 0}
            deleteOne  | 'filter': {'text': 'a'}                                         | {"deletedCount": 1}
            deleteOne  | 'filter': {'_id': {'$oid': '6193504e1be4ab27791c8133'}}         | {"deletedCount": 1}
            deleteMany | 'filter': {}                                                    | {"deletedCount": 1}
            aggregate  | 'pipeline': [{'$group': {'_id': null, 'c': {'$sum': 1}}}]       | {"documents": [{"_id": null, "c": 1}]}
            """)
    void V3_to_14_actions_answer_as_the_retired_service(String action, String members, String answer) {
        expect(act(action, members), 200, answer);
    }

    @Test
    void V5_to_7_inserts() {
        expect(act("insertOne", "'document': {'_id': 'k', 'v': {'$numberDecimal': '1.10'}}"), 201, "{insertedId: 'k'}");
        expect(act("findOne", "'filter': {'_id': 'k'}"), 200, "{document: {_id: 'k', v: '1.10'}}");
        assertThat(json(act("insertOne", "'document': {'a': 1}"))
                        .getString("insertedId")
                        .getValue())
                .matches("[0-9a-f]{24}");
        var again = act("insertOne", "'document': {'_id': 'k'}");
        assertThat(again.statusCode()).isEqualTo(400);
        assertThat(json(again).getString("error_code").getValue()).isEqualTo("MongoDBError");
        assertThat(json(again).getString("error").getValue())
                .startsWith("Failed to insert document: E11000 duplicate key");
        expect(
                act("insertMany", "'documents': [{'_id': 1}, {'_id': {'$numberLong': '2'}}]"),
                201,
                "{insertedIds: [1, 2]}");
        var some = act("insertMany", "'documents': [{'_id': 7}, {'_id': 1}, {'_id': 8}]");
        assertThat(some.statusCode()).isEqualTo(400);
        assertThat(json(some).getString("error").getValue()).contains("document 1: E11000");
        assertThat(gateway.collection("tasks").countDocuments(BsonDocument.parse("{_id: {$in: [7, 8]}}")))
                .isEqualTo(2);
    }

    @Test
    void V9_an_update_that_changes_nothing_modifies_nothing() {
        var update = "'filter': {'_id': {'$oid': '6193504e1be4ab27791c8133'}}, 'update': {'$set': {'text': 'b'}}";
        expect(act("updateOne", update), 200, "{matchedCount: 1, modifiedCount: 1}");
        expect(act("updateOne", update), 200, "{matchedCount: 1, modifiedCount: 0}");
    }

    @Test
    void V10_an_upsert_takes_the_fields_of_its_filter() {
        var response = act("updateOne", "'filter': {'text': 'new'}, 'update': {'$set': {'x': 1}}, 'upsert': true");
        var id = json(response).getString("upsertedId").getValue();
        assertThat(id).matches("[0-9a-f]{24}");
        var stored = gateway.collection("tasks")
                .find(BsonDocument.parse("{text: 'new'}"))
                .first();
        assertThat(stored).containsEntry("x", new BsonInt32(1));
        assertThat(stored.getObjectId("_id").getValue().toHexString()).isEqualTo(id);
        assertThat(stored).containsKey("_etag");
    }

    @Test
    void fields_that_no_action_has_are_ignored() {
        assertThat(act("find", "'made-up': {'a': [1, {'b': 2}]}, 'limit': 1").statusCode())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            insertOne  |                                                   | MissingParameter | Failed to insert document: must provide a 'document' field
            insertOne  | 'document': 1                                     | InvalidParameter | Failed to insert document: 'document' must be an object
            insertOne  | 'document': {'a.b': 1}                            | InvalidParameter | Failed to insert document: field names must not contain '.'
            insertOne  | 'document': {'$set': {'a': 1}}                    | InvalidParameter | Failed to insert document: field names must not begin with '$'
            insertMany | 'documents': {}                                   | InvalidParameter | Failed to insert documents: 'documents' must be an array of objects
            updateOne  | 'filter': {}, 'update': {'a': 1}                  | InvalidParameter | Failed to update document: update document must have keys that begin with '$' only
            deleteMany |                                                   | MissingParameter | Failed to delete documents: must provide a 'filter' field
            find       | 'fliter': {'a': 1}                                | InvalidParameter | Failed to find documents: unknown field 'fliter'; did you mean filter?
            find       | 'limit': -1                                       | InvalidParameter | Failed to find documents: 'limit' must be an integer, 0 or greater
            """)
    void V8_and_12_what_is_missing_or_wrong_is_named(String action, String members, String code, String text) {
        var response = act(action, members == null ? "" : members);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(json(response).getString("error").getValue()).isEqualTo(text);
        assertThat(json(response).getString("error_code").getValue()).isEqualTo(code);
    }

    @Test
    void refusals_of_mongodb_are_reported() {
        var response = act("find", "'filter': {'a': {'$nope': 1}}");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(json(response).getString("error").getValue()).startsWith("Failed to find documents: ");
        assertThat(json(response).getString("error_code").getValue()).isEqualTo("MongoDBError");
    }

    @Test
    void only_json_is_read() {
        var address = "/app/any/endpoint/data/v1/action/findOne";
        var admin = gateway.as("admin");
        for (var body : List.of("", "[]", "{", "{\"dataSource\": ObjectId('6193504e1be4ab27791c8133')}", "{} {}")) {
            var response = admin.post(address, body);
            assertThat(response.statusCode()).as(body).isEqualTo(400);
            assertThat(json(response).getString("error").getValue()).startsWith("Failed to parse request body: ");
        }
    }

    @Test
    void V15_pipelines_do_not_write_at_any_depth() {
        var response = act("aggregate", "'pipeline': [{'$facet': {'a': [{'$out': 'x'}]}}]");
        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(json(response).getString("error_code").getValue()).isEqualTo("ArgumentsNotAllowed");
    }

    @Test
    void V16_to_19_credentials() {
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
        assertThat(act(pair, "find", "tasks", "").statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"/app/a/endpoint/data/v2/action/find", "/app/a/endpoint/data/v1/action/count", "/app/a", "/app"})
    void V20_other_addresses_are_not_found(String address) {
        var response = gateway.as("admin").post(address, "{}");
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(response.body()).isEmpty();
    }

    @Test
    void V21_the_beta_and_any_content_type() {
        var body = "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"tasks\"}".formatted(db);
        var response = gateway.as("admin")
                .with("Content-Type", "application/x-www-form-urlencoded")
                .with("Access-Control-Request-Headers", "*")
                .send("POST", "/app/any/endpoint/data/beta/action/find", body);
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(gateway.as("admin")
                        .get("/app/any/endpoint/data/v1/action/find")
                        .statusCode())
                .isEqualTo(405);
    }

    @Test
    void V22_and_23_rules_hide_documents_and_fields() {
        var ada = gateway.as("ada");
        var found = json(act(ada, "find", "own", ""));
        assertThat(found.getArray("documents")).hasSize(3);
        assertThat(found.toJson()).doesNotContain("secret").doesNotContain("bob");
        expect(act(ada, "findOne", "own", "'filter': {'_id': 1}"), 200, "{document: null}");
        var asked = act(ada, "find", "own", "'filter': {'secret': 1}");
        assertThat(asked.statusCode()).isEqualTo(403);
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
    void V12_24_25_without_permission_existence_is_not_revealed() {
        var ada = gateway.as("ada");
        expectNoRule(act(ada, "deleteMany", "own", "'filter': {}"), db + ".own");
        assertThat(gateway.collection("own").countDocuments()).isEqualTo(6);
        expectNoRule(act(ada, "find", "plain", ""), db + ".plain");
        assertThat(ada.get("/plain").statusCode()).isEqualTo(200);
        assertThat(act(ada, "find", "acts", "").statusCode()).isEqualTo(200);
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
        assertThat(all.toJson()).doesNotContain("ada").doesNotContain("secret");
        assertThat(all.getArray("documents")).hasSize(3);
        // would fail on the document with n 0, which the rule excludes
        var divided = act(
                bob, "aggregate", "own", "'pipeline': [{'$match': {'$expr': {'$gt': [{'$divide': [1, '$n']}, 0]}}}]");
        assertThat(divided.statusCode()).isEqualTo(200);
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
    void V26_at_most_so_many_documents() {
        gateway.collection("many").drop();
        gateway.insert(
                "many", IntStream.range(0, 60).mapToObj(i -> "{_id: " + i + "}").toArray(String[]::new));
        var admin = gateway.as("admin");
        assertThat(json(act(admin, "find", "many", "'limit': 60000")).getArray("documents"))
                .hasSize(50);
        assertThat(json(act(admin, "find", "many", "")).getArray("documents")).hasSize(20);
        var page = json(act(admin, "find", "many", "'skip': 7, 'limit': 5, 'sort': {'_id': 1}"))
                .getArray("documents");
        assertThat(page.stream()
                        .map(BsonValue::asDocument)
                        .map(d -> d.getInt32("_id").getValue()))
                .containsExactly(7, 8, 9, 10, 11);
    }

    @Test
    void V27_browsers_may_not_send_keys() {
        var preflight = gateway.anonymous()
                .with("Access-Control-Request-Method", "POST")
                .with("Access-Control-Request-Headers", "api-key")
                .send("OPTIONS", "/app/any/endpoint/data/v1/action/find", "");
        var allowed =
                preflight.headers().firstValue("Access-Control-Allow-Headers").orElse("");
        assertThat(allowed).containsIgnoringCase("authorization").doesNotContainIgnoringCase("api-key");
    }

    @Test
    void V28_an_update_gives_a_new_entity_tag() {
        var admin = gateway.as("admin");
        var tag = admin.get("/tasks/6193504e1be4ab27791c8133")
                .headers()
                .firstValue("ETag")
                .orElseThrow();
        act("updateOne", "'filter': {'text': 'a'}, 'update': {'$set': {'text': 'b'}}");
        var late = admin.with("If-Match", tag).patch("/tasks/6193504e1be4ab27791c8133", "{\"text\": \"c\"}");
        assertThat(late.statusCode()).isEqualTo(412);
    }

    @Test
    void problems_are_standard_for_clients_that_accept_them() {
        var client = gateway.as("admin").with("Accept", "application/problem+json");
        var response = act(client, "find", "missing", "");
        assertThat(response.statusCode()).isEqualTo(404);
        assertThat(json(response).getString("code").getValue()).isEqualTo("NAMESPACE_NOT_FOUND");
    }

    @Test
    void concurrent_inserts_share_commands_with_those_of_rest() throws Exception {
        gateway.collection("shared").drop();
        gateway.insert("shared", "{_id: 'first'}", "{_id: 'taken'}");
        var admin = gateway.as("admin");
        assertThat(act(admin, "findOne", "shared", "").statusCode()).isEqualTo(200);
        long before = inserts();
        var calls = new ArrayList<Callable<Integer>>();
        for (int i = 0; i < 256; i++) {
            int id = i;
            calls.add(() -> act(
                            admin, "insertOne", "shared", "'document': {'_id': %s}".formatted(id == 7 ? "'taken'" : id))
                    .statusCode());
            calls.add(() -> admin.post("/shared", "{\"_id\": \"r" + id + "\"}").statusCode());
        }
        java.util.Collections.shuffle(calls, new Random(1));
        var statuses = new ArrayList<Integer>();
        try (var threads = Executors.newFixedThreadPool(64)) {
            for (var done : threads.invokeAll(calls)) {
                statuses.add(done.get());
            }
        }
        assertThat(statuses).containsOnly(201, 400);
        assertThat(statuses.stream().filter(status -> status == 400)).hasSize(1);
        assertThat(gateway.collection("shared").countDocuments()).isEqualTo(2 + 512 - 1);
        assertThat(inserts() - before).isLessThan(512);
    }

    /// Insert commands that MongoDB has carried out.
    private static long inserts() {
        var status =
                gateway.database().runCommand(new BsonDocument("serverStatus", new BsonInt32(1)), BsonDocument.class);
        return status.getDocument("metrics")
                .getDocument("commands")
                .getDocument("insert")
                .getNumber("total")
                .longValue();
    }
}
