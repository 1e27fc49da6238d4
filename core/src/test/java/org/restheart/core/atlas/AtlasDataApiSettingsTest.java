package org.restheart.core.atlas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Limits and inserts of the Atlas Data API as configured.
@WithMongo
class AtlasDataApiSettingsTest {
    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, """
                dataApi: {enabled: true, time-limit: 300, max-response-bytes: 5000,
                          ordered-inserts: true, create-collections: true}
                """);
        gateway.permit("{_id: 1, roles: ['editor'], predicate: \"method(POST) and path-prefix('/')\"}");
    }

    @Test
    void guessed_passwords_lock_out_and_limits_are_told_in_its_format(TestMongo mongo) {
        try (var guarded = TestGateway.start(mongo, """
                dataApi: {enabled: true, uri: /other/place}
                bruteForceAttackGuard: {enabled: true, max-failed-attempts: 3}
                """)) {
            guarded.insert("c", "{_id: 1}");
            var body = "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"c\"}"
                    .formatted(guarded.database().getName());
            var address = "/other/place/any/endpoint/data/v1/action/find";
            assertStatus(200, guarded.as("admin").post(address, body));
            var guess = guarded.anonymous().with("email", "ada").with("password", "guess");
            for (int i = 0; i < 3; i++) {
                error(guess.post(address, body), "InvalidSession");
            }
            var locked = guess.post(address, body);
            assertStatus(429, locked);
            error(locked, "InternalServerError");
            assertThat(locked.headers().firstValue("Retry-After")).isPresent();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "versions: [v2]",
                "return-type: XML",
                "insert-status: 204",
                "default-limit: 0",
                "max-limit: -1",
                "time-limit: -1",
                "max-response-bytes: 0"
            })
    void unknown_values_are_refused_at_the_start(String setting) {
        assertThatThrownBy(() -> GatewayConfig.parse("dataApi: {enabled: true, " + setting + "}\n"))
                .hasMessageContaining("dataApi/" + setting.substring(0, setting.indexOf(':')));
    }

    @Test
    void without_limits_a_thousand_documents_are_found_and_50000_at_most(TestMongo mongo) {
        try (var plain = TestGateway.start(mongo, "dataApi: {enabled: true}\n")) {
            plain.collection("many")
                    .insertMany(IntStream.range(0, 50_010)
                            .mapToObj(i -> new BsonDocument("_id", new BsonInt32(i)))
                            .toList());
            var address = "/app/any/endpoint/data/v1/action/find";
            var body = "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"many\"%s}";
            var db = plain.database().getName();
            var all = plain.as("admin").post(address, body.formatted(db, ", \"limit\": 60000"));
            assertThat(BsonDocument.parse(all.body()).getArray("documents")).hasSize(50_000);
            var some = plain.as("admin").post(address, body.formatted(db, ""));
            assertThat(BsonDocument.parse(some.body()).getArray("documents")).hasSize(1_000);
        }
    }

    private static HttpResponse<String> act(TestClient client, String action, String collection, String members) {
        return DataApiAnswers.checked(
                action,
                client.post(
                        "/app/any/endpoint/data/v1/action/" + action,
                        "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"%s\", %s}"
                                .formatted(gateway.database().getName(), collection, members.replace('\'', '"'))));
    }

    private static HttpResponse<String> act(String action, String collection, String members) {
        return act(gateway.as("admin"), action, collection, members);
    }

    private static String error(HttpResponse<String> response, String code) {
        var json = BsonDocument.parse(response.body());
        assertThat(json.getString("error_code").getValue()).isEqualTo(code);
        return json.getString("error").getValue();
    }

    @Test
    void inserts_and_upserts_make_collections_for_who_may() {
        assertStatus(201, act("insertOne", "made", "'document': {'_id': 1}"));
        assertStatus(201, act("insertMany", "made-too", "'documents': [{'_id': 1}]"));
        assertStatus(
                200,
                act("updateOne", "upserted", "'filter': {'_id': 1}, 'update': {'$set': {'a': 1}}, 'upsert': true"));
        assertThat(gateway.as("admin").get("/upserted/1?id_type=NUMBER").body()).contains("\"a\": 1");

        var update = act("updateOne", "not-made", "'filter': {'_id': 1}, 'update': {'$set': {'a': 1}}");
        assertThat(error(update, "InvalidParameter")).endsWith("not-made does not exist");
        var notAllowed = act(gateway.as("ada"), "insertOne", "not-made", "'document': {'_id': 1}");
        assertThat(error(notAllowed, "InvalidParameter")).endsWith("not-made does not exist");
        assertStatus(201, act(gateway.as("ada"), "insertOne", "made", "'document': {'_id': 2}"));
    }

    @Test
    void arrays_are_inserted_in_order_up_to_the_first_failure() {
        var response = act("insertMany", "ordered", "'documents': [{'_id': 1}, {'_id': 1}, {'_id': 2}]");
        assertStatus(400, response);
        assertThat(error(response, "MongoDBError")).contains("document 1").contains("E11000");
        assertThat(gateway.collection("ordered").countDocuments()).isEqualTo(1);
    }

    @Test
    void answers_are_bounded() {
        gateway.insert("large", "{_id: 1, t: '" + "x".repeat(6_000) + "'}");
        for (var action : new String[] {"find", "findOne"}) {
            var response = act(action, "large", "'filter': {}");
            assertStatus(400, response);
            error(response, "ReadSizeLimitExceeded");
        }
        error(act("findOne", "large", "'filter': {'_id': 1}"), "ReadSizeLimitExceeded");
        error(act("aggregate", "large", "'pipeline': []"), "ReadSizeLimitExceeded");
        assertStatus(200, act("find", "large", "'filter': {}, 'projection': {'t': 0}"));
    }

    @Test
    void answers_do_not_depend_on_the_default_representation_of_the_rest_api(TestMongo mongo) {
        try (var hal = TestGateway.startWithData(
                mongo, "default-representation-format: HAL, ", "dataApi: {enabled: true}\n")) {
            hal.insert("shown", "{_id: 1, a: 2}");
            var named = "{\"dataSource\": \"x\", \"collection\": \"shown\", \"database\": \""
                    + hal.database().getName() + "\"";
            var address = "/app/any/endpoint/data/v1/action/";
            var found = hal.as("admin").post(address + "find", named + ", \"sort\": {\"_id\": 1}}");
            assertThat(BsonDocument.parse(found.body())).isEqualTo(BsonDocument.parse("{documents: [{_id: 1, a: 2}]}"));
            var one = hal.as("admin").post(address + "findOne", named + ", \"filter\": {\"_id\": 1}}");
            assertThat(BsonDocument.parse(one.body())).isEqualTo(BsonDocument.parse("{document: {_id: 1, a: 2}}"));
        }
    }

    @Test
    void a_large_answer_ends_with_its_connection() {
        for (int i = 0; i < 6; i++) {
            gateway.insert("larger", "{_id: " + i + ", t: '" + "x".repeat(1_000_000) + "'}");
        }
        assertThatThrownBy(() -> act("find", "larger", "'filter': {}")).isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void what_takes_too_long_is_ended() {
        gateway.insert(
                "slow",
                IntStream.range(0, 500).mapToObj(i -> "{_id: " + i + "}").toArray(String[]::new));
        // more work than can be done in that time; of the document's own, so that it is not computed ahead
        var busy = "{'$size': {'$filter': {'input': {'$range': [0, 200000]}, 'cond': {'$eq': ['$$this', '$_id']}}}}";
        for (var action : new String[] {"find", "findOne"}) {
            var response = act(action, "slow", "'filter': {'$expr': {'$eq': [-1, " + busy + "]}}");
            assertStatus(408, response);
            error(response, "ExecutionTimeLimitExceeded");
        }
        error(act("aggregate", "slow", "'pipeline': [{'$set': {'b': " + busy + "}}]"), "ExecutionTimeLimitExceeded");
        var update = act(
                "updateMany", "slow", "'filter': {'$expr': {'$eq': [-1, " + busy + "]}}, 'update': {'$set': {'a': 2}}");
        error(update, "ExecutionTimeLimitExceeded");
    }
}
