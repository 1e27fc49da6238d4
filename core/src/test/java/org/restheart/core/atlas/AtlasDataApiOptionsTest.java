package org.restheart.core.atlas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Responses.json;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.core.security.LogLines;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The options of the Atlas Data API, and what it reads and writes in which format.
@WithMongo
class AtlasDataApiOptionsTest {
    private static final String ACTION = "/app/shop/endpoint/data/v1/action/";

    @AutoClose
    private static TestGateway gateway;

    private static List<String> startLog;

    @BeforeAll
    static void start(TestMongo mongo) {
        try (var lines = new LogLines()) {
            gateway = TestGateway.start(mongo, """
                    dataApi: {enabled: true, app-ids: [shop], data-sources: [Cluster0], versions: [v1], return-type: EJSON,
                      insert-status: 200, link-base: "https://log.example/", roles: [editor, admin],
                      allow-key-from-browsers: true}
                    apiKeyAuthMechanism: {enabled: true}
                    apiKeyRealm: {keys-db: $db}
                    connection-options: {MAX_ENTITY_SIZE: 100000}
                    """);
            startLog = lines.all();
        }
        gateway.permit("{_id: 1, roles: ['viewer', 'editor'], predicate: \"path-prefix('/c')\"}");
    }

    @BeforeEach
    void fill() {
        gateway.collection("c").drop();
        gateway.insert("c", "{_id: 1, n: {$numberLong: '5'}}");
    }

    private static TestClient admin() {
        return gateway.as("admin").with("Content-Type", "application/json");
    }

    private static String body(String more) {
        return "{\"dataSource\": \"Cluster0\", \"database\": \"%s\", \"collection\": \"c\"%s}"
                .formatted(gateway.database().getName(), more.isEmpty() ? "" : ", " + more.replace('\'', '"'));
    }

    private static HttpResponse<String> act(TestClient client, String action, String more) {
        return DataApiAnswers.checked(action, client.send("POST", ACTION + action, body(more)));
    }

    private static void refused(HttpResponse<String> response, int status, String code, String text) {
        assertStatus(status, response);
        assertThat(json(response).getString("error_code").getValue()).isEqualTo(code);
        assertThat(json(response).getString("error").getValue()).contains(text);
        assertThat(response.headers().allValues("Content-Type")).containsExactly("application/json");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                                                          | application/ejson
            */*                                           | application/ejson
            text/html                                     | application/ejson
            application/json                              | application/json
            application/json;q=0.5, application/ejson     | application/ejson
            application/json, application/ejson           | application/json
            application/ejson, application/json           | application/ejson
            application/ejson;q=0.1, application/json;q=1 | application/json
            application/ejson;q=0, application/json       | application/json
            """)
    void the_format_is_that_which_the_client_prefers(String accept, String type) {
        var client = accept == null ? admin() : admin().with("Accept", accept);
        var response = act(client, "find", "");
        assertThat(response.headers().allValues("Content-Type")).containsExactly(type);
        assertThat(response.body())
                .isEqualTo(
                        type.endsWith("ejson")
                                ? "{\"documents\": [{\"_id\": {\"$numberInt\": \"1\"}, \"n\": {\"$numberLong\": \"5\"}}]}"
                                : "{\"documents\": [{\"_id\": 1, \"n\": 5}]}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            insertOne  | 'document': {'_id': 7}                                                  | {"insertedId": {"$numberInt": "7"}}
            insertMany | 'documents': [{'_id': 8}, {'_id': {'$numberLong': '9'}}]                | {"insertedIds": [{"$numberInt": "8"}, {"$numberLong": "9"}]}
            updateOne  | 'filter': {'_id': 2}, 'update': {'$set': {'a': 1}}, 'upsert': true      | {"matchedCount": {"$numberInt": "0"}, "modifiedCount": {"$numberInt": "0"}, "upsertedId": {"$numberInt": "2"}}
            updateMany | 'filter': {}, 'update': {'$set': {'a': 1}}                              | {"matchedCount": {"$numberInt": "1"}, "modifiedCount": {"$numberInt": "1"}}
            deleteOne  | 'filter': {}                                                            | {"deletedCount": {"$numberInt": "1"}}
            findOne    | 'filter': {'_id': 3}                                                    | {"document": null}
            """)
    void ids_and_counts_are_in_that_format_too(String action, String more, String expected) {
        var response = act(admin(), action, more);
        assertStatus(200, response);
        assertThat(response.body()).isEqualTo(expected);
    }

    @Test
    void numbers_and_texts_keep_their_types() {
        var document = "'document': {'_id': 'types', 'small': 5, 'large': 5000000000, 'whole': 5.0, 'power': 1e2,"
                + " 'id': '6193504e1be4ab27791c8133', 'date': '2026-01-31T00:00:00Z', 'twice': 1, 'twice': 2}";
        assertStatus(200, act(admin(), "insertOne", document));
        var stored = gateway.stored("c", "types");
        stored.remove("_etag");
        assertThat(stored)
                .isEqualTo(BsonDocument.parse(
                        "{_id: 'types', small: 5, large: {$numberLong: '5000000000'}, whole: {$numberDouble: '5'},"
                                + " power: {$numberDouble: '100'}, id: '6193504e1be4ab27791c8133', date: '2026-01-31T00:00:00Z',"
                                + " twice: 2}"));
    }

    @Test
    void content_is_bounded_in_depth_and_size() {
        for (int depth : new int[] {90, 150}) {
            var nested = "{\"a\":".repeat(depth) + "1" + "}".repeat(depth);
            assertThat(act(admin(), "insertOne", "'document': " + nested).statusCode())
                    .isEqualTo(depth == 90 ? 200 : 400);
        }
        refused(
                act(admin(), "insertOne", "'document': {'t': '" + "x".repeat(200_000) + "'}"),
                413,
                "InvalidParameter",
                "");
    }

    @Test
    void a_limit_of_zero_is_none_and_queries_of_addresses_are_ignored() {
        gateway.insert("c", "{_id: 2}");
        assertThat(json(act(admin(), "find", "'limit': 0, 'sort': {'_id': -1}")).getArray("documents"))
                .hasSize(2);
        var response = admin().send("POST", ACTION + "find?filter=%7B%7D&api-key=x&limit=1", body(""));
        assertThat(json(response).getArray("documents")).hasSize(2);
    }

    @Test
    void other_apps_versions_and_data_sources_are_not_served() {
        for (var address :
                List.of("/app/other/endpoint/data/v1/action/find", "/app/shop/endpoint/data/beta/action/find")) {
            assertStatus(404, gateway.anonymous().post(address, body("")));
        }
        var other = admin().send("POST", ACTION + "find", body("").replace("Cluster0", "Cluster1"));
        refused(other, 400, "ServiceNotFound", "cannot find service named 'Cluster1'");
        assertThat(json(other).getString("link").getValue()).startsWith("https://log.example/");
        refused(admin().send("POST", ACTION + "find", "{}"), 400, "MissingParameter", "'dataSource'");
        assertThat(gateway.anonymous().post(ACTION + "find", "{").statusCode())
                .as("credentials are checked before the content")
                .isEqualTo(400);
        assertThat(json(gateway.anonymous().post(ACTION + "find", "{"))
                        .getString("error")
                        .getValue())
                .isEqualTo("no authentication methods were specified");
    }

    @Test
    void only_the_named_roles_use_it() {
        refused(act(gateway.as("bob"), "find", ""), 403, "NoMatchingRuleFound", "no rule exists for namespace");
        assertStatus(200, gateway.as("bob").get("/c"));
        assertStatus(200, act(gateway.as("ada"), "find", ""));
    }

    @Test
    void errors_are_plain_json_whatever_is_accepted() {
        refused(
                act(admin().with("Accept", "application/ejson"), "find", "'filter': {'a': {'$nope': 1}}"),
                400,
                "MongoDBError",
                "unknown operator");
    }

    @Test
    void a_document_that_a_schema_refuses_is_named_so() {
        gateway.database()
                .runCommand(BsonDocument.parse(
                        "{collMod: 'c', validator: {n: {$type: 'number'}}, validationLevel: 'strict'}"));
        refused(act(admin(), "insertOne", "'document': {'n': 'x'}"), 400, "SchemaValidationFailedWrite", "validation");
    }

    @Test
    void a_query_that_names_a_schema_is_no_write_that_a_schema_refuses() {
        refused(act(admin(), "find", "'filter': {'$schema': 1}"), 400, "MongoDBError", "$schema");
    }

    @Test
    void refusals_are_counted_whatever_is_accepted() {
        for (var accepted : List.of("*/*", "application/problem+json")) {
            double before = refusedUpdates();
            var refused = admin().with("Accept", accepted)
                    .send("POST", ACTION + "updateMany", body("'filter': {}, 'update': {'$nope': {'a': 1}}"));
            assertStatus(400, refused);
            assertThat(refusedUpdates()).as(accepted).isEqualTo(before + 1);
        }
    }

    private static double refusedUpdates() {
        var counter = "data_api_actions_total{action=\"updateMany\",outcome=\"refused\",version=\"v1\"} ";
        return gateway.as("admin")
                .get("/metrics/data-api")
                .body()
                .lines()
                .filter(line -> line.startsWith(counter))
                .mapToDouble(line -> Double.parseDouble(line.substring(counter.length())))
                .sum();
    }

    @Test
    void an_insert_that_is_sent_again_is_done_once() {
        var client = admin().with("Idempotency-Key", "\"0a8d4a5e-0d0c-4b62-8f7e-5f0f4a0b2c11\"");
        var first = act(client, "insertOne", "'document': {'a': 1}");
        assertStatus(200, first);
        assertThat(act(client, "insertOne", "'document': {'a': 1}").body()).isEqualTo(first.body());
        assertThat(gateway.collection("c").countDocuments(BsonDocument.parse("{a: 1}")))
                .isEqualTo(1);
        var many = admin().with("Idempotency-Key", "\"5e6d3c1a-93a5-4f53-a1de-3a1d52a7c0f4\"");
        var documents = "'documents': [{'a': 2}, {'_id': 1}, {'a': 2}]";
        var some = act(many, "insertMany", documents);
        refused(some, 400, "MongoDBError", "document 1: E11000");
        assertThat(act(many, "insertMany", documents).body().replaceAll("example/.*", ""))
                .isEqualTo(some.body().replaceAll("example/.*", ""));
        assertThat(gateway.collection("c").countDocuments(BsonDocument.parse("{a: 2}")))
                .isEqualTo(2);
    }

    @Test
    void credentials_are_tried_in_order() {
        var made = gateway.as("ada").post("/_apikeys", "{\"days\": 1}");
        var key = json(made).getString("key").getValue();
        var with = gateway.anonymous().with("Content-Type", "application/json");
        assertStatus(200, act(with.with("apiKey", key), "find", ""));
        assertStatus(200, act(with.with("API-KEY", key), "find", ""));
        assertStatus(200, act(with.with("api-key", key).with("apiKey", key), "find", ""));
        assertStatus(401, act(with.with("api-key", key).with("apiKey", key + "x"), "find", ""));
        assertStatus(200, act(with.with("Authorization", "Bearer " + key), "find", ""));
        assertStatus(401, act(with.with("Authorization", "Bearer wrong").with("api-key", key), "find", ""));
        assertThat(act(with.with("Authorization", "Digest x").with("api-key", key), "find", "")
                        .statusCode())
                .as("other schemes are skipped")
                .isEqualTo(200);
        assertStatus(401, act(with.with("jwtTokenString", "wrong"), "find", ""));
        refused(act(with.with("api-key", ""), "find", ""), 400, "MissingParameter", "must specify some form");
        refused(
                act(with.with("Cookie", "rh_auth=Bearer " + key), "find", ""),
                400,
                "InvalidParameter",
                "no authentication methods were specified");
    }

    @Test
    void browsers_may_send_keys_where_that_is_allowed_and_warned_of() {
        var allowed = gateway.anonymous()
                .with("Origin", "https://shop.example")
                .with("Access-Control-Request-Method", "POST")
                .with("Access-Control-Request-Headers", "api-key")
                .send("OPTIONS", ACTION + "find", "")
                .headers()
                .firstValue("Access-Control-Allow-Headers")
                .orElse("");
        assertThat(allowed).containsIgnoringCase("api-key").containsIgnoringCase("authorization");
        assertThat(startLog).anyMatch(line -> line.startsWith("WARN dataApi: scripts in browsers may send keys"));
    }

    @Test
    void secrets_stay_out_of_the_log_and_actions_are_counted() {
        try (var lines = new LogLines()) {
            act(
                    gateway.anonymous().with("email", "ada").with("password", "not-hers-4711"),
                    "find",
                    "'filter': {'a': 'text-4711'}");
            act(gateway.anonymous().with("api-key", "key-4711".repeat(5)), "find", "");
            act(gateway.as("ada"), "find", "'filter': {'a': 'text-4711'}");
            assertThat(lines.all()).noneMatch(line -> line.contains("4711"));
            assertThat(lines.all())
                    .anyMatch(line ->
                            line.contains("find of " + gateway.database().getName() + ".c"));
        }
        assertThat(gateway.as("admin").get("/metrics/data-api").body())
                .contains("data_api_actions_total{action=\"find\",outcome=\"done\",version=\"v1\"}")
                .contains("data_api_actions_total{action=\"find\",outcome=\"refused\",version=\"v1\"}")
                .contains("data_api_seconds_count{action=\"find\"}");
    }
}
