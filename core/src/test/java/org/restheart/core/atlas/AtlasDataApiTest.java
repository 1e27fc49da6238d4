package org.restheart.core.atlas;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.restheart.testkit.Responses.json;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// The actions of the Atlas Data API, as its clients see them.
class AtlasDataApiTest extends AtlasDataApiFixture {
    @Test
    void a_document_is_plain_json() {
        var response = act("findOne", "'filter': {'text': 'a'}");
        expect(
                response,
                200,
                "{document: {_id: '6193504e1be4ab27791c8133', text: 'a', at: '2022-05-16T20:22:01.104Z', n: 5}}");
        assertThat(response.headers().allValues("content-type")).containsExactly("application/json");
        assertThat(response.headers().map()).doesNotContainKeys("etag", "location");
    }

    @Test
    void documents_are_canonical_extended_json_if_the_client_accepts_that() {
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
    void actions_answer_as_the_retired_service(String action, String members, String answer) {
        expect(act(action, members), 200, answer);
    }

    @Test
    void inserts_answer_with_ids_and_refuse_duplicates() {
        expect(act("insertOne", "'document': {'_id': 'k', 'v': {'$numberDecimal': '1.10'}}"), 201, "{insertedId: 'k'}");
        expect(act("findOne", "'filter': {'_id': 'k'}"), 200, "{document: {_id: 'k', v: '1.10'}}");
        assertThat(json(act("insertOne", "'document': {'a': 1}"))
                        .getString("insertedId")
                        .getValue())
                .matches("[0-9a-f]{24}");
        var again = act("insertOne", "'document': {'_id': 'k'}");
        assertStatus(400, again);
        assertThat(json(again).getString("error_code").getValue()).isEqualTo("MongoDBError");
        assertThat(json(again).getString("error").getValue())
                .startsWith("Failed to insert document: E11000 duplicate key");
        expect(
                act("insertMany", "'documents': [{'_id': 1}, {'_id': {'$numberLong': '2'}}]"),
                201,
                "{insertedIds: [1, 2]}");
        var some = act("insertMany", "'documents': [{'_id': 7}, {'_id': 1}, {'_id': 8}]");
        assertStatus(400, some);
        assertThat(json(some).getString("error").getValue()).contains("document 1: E11000");
        assertThat(gateway.collection("tasks").countDocuments(BsonDocument.parse("{_id: {$in: [7, 8]}}")))
                .isEqualTo(2);
    }

    @Test
    void an_update_that_changes_nothing_modifies_nothing() {
        var update = "'filter': {'_id': {'$oid': '6193504e1be4ab27791c8133'}}, 'update': {'$set': {'text': 'b'}}";
        expect(act("updateOne", update), 200, "{matchedCount: 1, modifiedCount: 1}");
        expect(act("updateOne", update), 200, "{matchedCount: 1, modifiedCount: 0}");
    }

    @Test
    void an_upsert_takes_the_fields_of_its_filter() {
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
        expect(
                act("find", "'made-up': {'a': [1, {'b': 2}]}, 'projection': {'text': 1, '_id': 0}, 'limit': 1"),
                200,
                "{documents: [{text: 'a'}]}");
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
    void missing_and_invalid_members_are_named(String action, String members, String code, String text) {
        var response = act(action, members == null ? "" : members);
        assertStatus(400, response);
        assertThat(json(response).getString("error").getValue()).isEqualTo(text);
        assertThat(json(response).getString("error_code").getValue()).isEqualTo(code);
    }

    @Test
    void no_document_gets_a_reserved_id() {
        for (var id : List.of("{'$eq': '_properties'}", "{'$eq': '_properties.c'}")) {
            for (var action : List.of("updateOne", "updateMany")) {
                var refused =
                        act(action, "'filter': {'_id': " + id + "}, 'update': {'$set': {'x': 1}}, 'upsert': true");
                assertThat(refused.statusCode()).as(action + id).isEqualTo(403);
            }
        }
    }

    @Test
    void names_that_no_collection_can_have_are_quoted_in_part() {
        var members = "'dataSource': 's', 'database': '%s', 'collection': '%s'";
        var name = "n".repeat(1_000_000);
        for (var response :
                List.of(act("find", members.formatted("d", name)), act("find", members.formatted(name, "c")))) {
            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(json(response).getString("error_code").getValue()).isEqualTo("NoMatchingRuleFound");
            assertThat(response.body()).hasSizeLessThan(1_000);
        }
    }

    @Test
    void refusals_of_mongodb_are_reported() {
        var response = act("find", "'filter': {'a': {'$nope': 1}}");
        assertStatus(400, response);
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
    void the_beta_path_and_any_content_type_are_accepted() {
        var body = "{\"dataSource\": \"x\", \"database\": \"%s\", \"collection\": \"tasks\"}".formatted(db);
        var response = gateway.as("admin")
                .with("Content-Type", "application/x-www-form-urlencoded")
                .with("Access-Control-Request-Headers", "*")
                .send("POST", "/app/any/endpoint/data/beta/action/find", body);
        assertStatus(200, response);
        assertStatus(405, gateway.as("admin").get("/app/any/endpoint/data/v1/action/find"));
    }

    @Test
    void the_number_of_documents_is_bounded() {
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
    void a_pipeline_with_too_many_documents_is_not_cut_off() {
        gateway.collection("many").drop();
        gateway.insert(
                "many", IntStream.range(0, 60).mapToObj(i -> "{_id: " + i + "}").toArray(String[]::new));
        var admin = gateway.as("admin");
        assertThat(json(act(admin, "aggregate", "many", "'pipeline': [{'$limit': 50}]"))
                        .getArray("documents"))
                .hasSize(50);
        var refused = act(admin, "aggregate", "many", "'pipeline': []");
        assertStatus(400, refused);
        assertThat(json(refused).getString("error_code").getValue()).isEqualTo("ReadSizeLimitExceeded");
        var large = "'pipeline': [{'$set': {'text': {'$concat': [" + "'x', ".repeat(3) + "'" + "y".repeat(200_000)
                + "']}}}]";
        assertThatThrownBy(() -> act(admin, "aggregate", "many", large)).isInstanceOf(UncheckedIOException.class);
    }

    @Test
    void an_update_sets_a_new_entity_tag() {
        var admin = gateway.as("admin");
        var tag = admin.get("/tasks/6193504e1be4ab27791c8133")
                .headers()
                .firstValue("ETag")
                .orElseThrow();
        act("updateOne", "'filter': {'text': 'a'}, 'update': {'$set': {'text': 'b'}}");
        var late = admin.with("If-Match", tag).patch("/tasks/6193504e1be4ab27791c8133", "{\"text\": \"c\"}");
        assertStatus(412, late);
    }

    @Test
    void problems_are_standard_for_clients_that_accept_them() {
        var client = gateway.as("admin").with("Accept", "application/problem+json");
        var response = act(client, "find", "missing", "");
        assertStatus(404, response);
        assertThat(json(response).getString("code").getValue()).isEqualTo("NAMESPACE_NOT_FOUND");
    }

    @Test
    void concurrent_inserts_share_commands_with_those_of_rest() throws Exception {
        gateway.collection("shared").drop();
        gateway.insert("shared", "{_id: 'first'}", "{_id: 'taken'}");
        var admin = gateway.as("admin");
        assertStatus(200, act(admin, "findOne", "shared", ""));
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
