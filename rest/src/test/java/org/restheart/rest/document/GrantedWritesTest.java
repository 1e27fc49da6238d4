package org.restheart.rest.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.bson.JsonParser;
import org.restheart.data.Access;
import org.restheart.data.Privilege;
import org.restheart.rest.DataApi;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Grants of permissions on writes: `writeFilter`, `mergeRequest` and the check of what is written.
@WithMongo
class GrantedWritesTest {
    private static final String OWN = "{owner: 'ada'}";

    private final TestMongo mongo;
    private final DataApi root;
    private final String db;
    private final String coll;

    GrantedWritesTest(TestMongo mongo) {
        this.mongo = mongo;
        root = DataApi.over(mongo.client());
        db = "/" + mongo.newDatabaseName();
        coll = db + "/c";
    }

    @BeforeEach
    void documents_of_two_owners() {
        root.send("PUT " + db);
        root.send("PUT " + coll);
        root.send("POST " + coll, "[{_id: 'a', owner: 'ada', n: 1}, {_id: 'b', owner: 'bob', n: 1}]");
    }

    private static Optional<BsonDocument> parse(String json) {
        return json.isEmpty()
                ? Optional.empty()
                : Optional.of(JsonParser.parse(json).asDocument());
    }

    private DataApi granted(String writeFilter, String mergeRequest, boolean checkWritten) {
        return root.with(new Access.RowPolicy(
                Set.of(Privilege.values()),
                Optional.empty(),
                parse(writeFilter),
                parse(mergeRequest),
                Optional.empty(),
                checkWritten));
    }

    private BsonDocument stored(String id) {
        var document = root.send("GET " + coll + "/" + id + "?keys={_etag:0}").document();
        document.remove("_id");
        return document;
    }

    private static BsonDocument json(String json) {
        return JsonParser.parse(json).asDocument();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PATCH /b             | {n: 2}               | 404",
                "PUT /b               | {owner: 'bob', n: 2} | 404",
                "PATCH /b?wm=upsert   | {n: 2}               | 409",
                "PUT /b?wm=upsert     | {n: 2}               | 409",
                "POST ?wm=upsert      | {_id: 'b', n: 2}     | 409",
                "POST ?wm=update      | {_id: 'b', n: 2}     | 404",
                "DELETE /b            | {}                   | 404",
                "POST ?wm=upsert      | [{_id: 'b', n: 2}]   | 207",
                "PATCH /*?filter={n:1} | {m: 1}              | 200",
                "DELETE /*?filter={n:1} | {}                 | 200",
            })
    void a_write_filter_hides_what_it_does_not_match(String request, String body, int status) {
        var methodAndRest = request.split(" ", 2);
        var answer = granted(OWN, "", false).send(methodAndRest[0] + " " + coll + methodAndRest[1], body);
        assertThat(answer.status()).isEqualTo(status);
        assertThat(stored("b")).isEqualTo(json("{owner: 'bob', n: 1}"));
    }

    @Test
    void a_write_filter_does_not_limit_new_content() {
        var api = granted(OWN, "", false);
        assertThat(api.send("POST " + coll, "{_id: 'x', owner: 'bob'}").status())
                .isEqualTo(201);
        assertThat(api.send("PUT " + coll + "/y?wm=upsert", "{owner: 'bob'}").status())
                .isEqualTo(201);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "POST ''            | {_id: 'x', n: 1}                          | {n: 1, owner: 'ada'}",
                "POST ''            | {_id: 'x', owner: 'bob'}                  | {owner: 'ada'}",
                "POST ''            | {_id: 'x', owner: {x: 1}}                 | {owner: 'ada'}",
                "POST ''            | {_id: 'x', 'owner.x': 1}                  | {owner: 'ada'}",
                "POST ''            | {_id: 'x', 'owner.0': 1}                  | {owner: 'ada'}",
                "POST ''            | [{_id: 'x', owner: 'bob'}, {owner: 'eve'}] | {owner: 'ada'}",
                "POST ?wm=upsert    | {_id: 'x', owner: 'bob'}                  | {owner: 'ada'}",
                "PUT /x?wm=upsert   | {'owner.x': 'bob', n: 1}                  | {n: 1, owner: 'ada'}",
                "PATCH /x?wm=upsert | {owner: 'bob', n: 1}                      | {n: 1, owner: 'ada'}",
                "PATCH /x?wm=upsert | {'owner.x': 'bob', n: 1}                  | {n: 1, owner: 'ada'}",
                "PATCH /x?wm=upsert | {$set: {owner: 'bob', n: 1}}              | {n: 1, owner: 'ada'}",
                "PATCH /x?wm=upsert | {$set: {'owner.x': 1}, $inc: {n: 1}}      | {n: 1, owner: 'ada'}",
                "PATCH /x?wm=upsert | {$setOnInsert: {owner: 'bob', n: 1}}      | {n: 1, owner: 'ada'}",
                "PATCH /x?wm=insert | [{$set: {owner: 'bob', n: 1}}]            | {n: 1, owner: 'ada'}",
                "PATCH /x?wm=insert | [{$set: {n: 1}}, {$unset: 'owner'}]       | {n: 1, owner: 'ada'}",
                "PATCH /x?wm=insert | [{$replaceWith: {_id: 'x', n: 1}}]        | {n: 1, owner: 'ada'}",
            })
    void a_merged_value_wins(String request, String body, String expected) {
        var methodAndRest = request.replace("''", "").split(" ", 2);
        var answer = granted("", "{owner: 'ada'}", false).send(methodAndRest[0] + " " + coll + methodAndRest[1], body);
        assertThat(answer.status()).isIn(200, 201);
        assertThat(stored("x")).isEqualTo(json(expected));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{$unset: {owner: ''}}",
                "{$unset: {'owner.x': ''}}",
                "{$inc: {owner: 1}}",
                "{$push: {'owner.l': 1}}",
                "{$rename: {n: 'owner'}}",
                "{$rename: {owner: 'n'}}",
                "{$rename: {n: 'owner.x'}}",
                "{$currentDate: {owner: true}}",
                "{$min: {'owner.$[]': 1}}",
            })
    void an_operator_that_touches_a_merged_value_is_refused(String body) {
        var api = granted("", "{owner: 'ada'}", false);
        assertThat(api.send("PATCH " + coll + "/a", body).status()).isEqualTo(400);
        assertThat(api.send("PATCH " + coll + "/*?filter={n:1}", body).status()).isEqualTo(400);
        assertThat(stored("a")).isEqualTo(json("{owner: 'ada', n: 1}"));
    }

    @Test
    void many_documents_get_the_merged_value_too() {
        var api = granted("", "{owner: 'ada'}", false);
        assertThat(api.send("PATCH " + coll + "/*?filter={n:1}", "{owner: 'eve', m: 1}")
                        .status())
                .isEqualTo(200);
        assertThat(stored("b")).isEqualTo(json("{owner: 'ada', n: 1, m: 1}"));
    }

    @Test
    void a_merged_path_is_set_inside_of_the_clients_document() {
        var api = granted("", "{'by.name': 'ada'}", false);
        api.send("POST " + coll, "{_id: 'x', by: {name: 'bob', at: 1}}");
        assertThat(stored("x")).isEqualTo(json("{by: {name: 'ada', at: 1}}"));
        assertThat(api.send("PATCH " + coll + "/x", "{by: {name: 'bob'}}").status())
                .isEqualTo(400);
        assertThat(api.send("PATCH " + coll + "/x", "{'by.at': 2}").status()).isEqualTo(200);
        assertThat(stored("x")).isEqualTo(json("{by: {name: 'ada', at: 2}}"));
    }

    @Test
    void a_merged_value_is_not_an_expression() {
        var api = granted("", "{owner: '$n', o: {$add: [1, 2]}}", false);
        assertThat(api.send("PATCH " + coll + "/a", "[{$set: {m: 1}}]").status())
                .isEqualTo(200);
        assertThat(stored("a")).isEqualTo(json("{owner: '$n', n: 1, m: 1, o: {$add: [1, 2]}}"));
    }

    @Test
    void a_merged_value_keeps_its_type() {
        var api = granted("", "{team: {$oid: '65f0c0ffee0000000000abcd'}, i: {$numberInt: '1'}}", false);
        api.send("POST " + coll, "{_id: 'x'}");
        assertThat(stored("x")).isEqualTo(json("{team: {$oid: '65f0c0ffee0000000000abcd'}, i: {$numberInt: '1'}}"));
    }

    @Test
    void a_merged_value_reaches_properties() {
        granted("", "{owner: 'ada'}", false).send("PUT " + coll, "{owner: 'bob', a: 1}");
        var properties = root.send("GET " + coll + "/_meta").document();
        assertThat(properties.getString("owner").getValue()).isEqualTo("ada");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "POST ''             | {_id: 'x', owner: 'bob'}",
                "POST ''             | {_id: 'x'}",
                "POST ''             | [{_id: 'x', owner: 'ada'}, {_id: 'y', owner: 'bob'}]",
                "POST ?wm=upsert     | {_id: 'x', owner: 'bob'}",
                "PUT /x?wm=upsert    | {owner: 'bob'}",
                "PUT /x?wm=insert    | {owner: 'bob'}",
                "PUT /a              | {owner: 'bob'}",
                "PATCH /a            | {owner: 'bob'}",
                "PATCH /a            | {$unset: {owner: ''}}",
                "PATCH /a            | {$rename: {n: 'owner'}}",
                "PATCH /a            | [{$set: {owner: 'bob'}}]",
                "PATCH /a            | [{$replaceWith: {_id: 'a'}}]",
                "PATCH /x?wm=upsert  | {$set: {owner: 'bob'}}",
                "PATCH /x?wm=insert  | {n: 1}",
                "PATCH /*?filter={n:1} | {owner: 'bob'}",
            })
    void no_document_is_stored_outside_of_the_write_filter(String request, String body) {
        var methodAndRest = request.replace("''", "").split(" ", 2);
        var answer = granted(OWN, "", true).send(methodAndRest[0] + " " + coll + methodAndRest[1], body);
        assertThat(answer.status()).isEqualTo(403);
        assertThat(root.send("GET " + coll + "?sort={_id:1}&keys={_etag:0}").json())
                .isEqualTo(JsonParser.parse("[{_id: 'a', owner: 'ada', n: 1}, {_id: 'b', owner: 'bob', n: 1}]"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "POST ''             | {_id: 'x', owner: 'ada'}                   | 201",
                "POST ''             | [{_id: 'x', owner: 'ada'}, {owner: 'ada'}] | 200",
                "PUT /x?wm=upsert    | {owner: 'ada'}                             | 201",
                "PUT /a              | {owner: 'ada', n: 2}                       | 200",
                "PATCH /a            | {n: 2}                                     | 200",
                "PATCH /a            | {owner: 'ada'}                             | 200",
                "PATCH /a            | [{$set: {n: 2}}]                           | 200",
                "PATCH /x?wm=upsert  | {owner: 'ada'}                             | 201",
                "PATCH /x?wm=insert  | {owner: 'ada'}                             | 201",
                "PATCH /a?wm=insert  | {owner: 'ada'}                             | 409",
                "PATCH /b            | {n: 2}                                     | 404",
                "PATCH /b?wm=upsert  | {owner: 'ada'}                             | 409",
                "PATCH /*?filter={n:1} | {m: 2}                                   | 200",
            })
    void documents_that_the_write_filter_matches_are_stored(String request, String body, int status) {
        var methodAndRest = request.replace("''", "").split(" ", 2);
        var answer = granted(OWN, "", true).send(methodAndRest[0] + " " + coll + methodAndRest[1], body);
        assertThat(answer.status()).isEqualTo(status);
    }

    @Test
    void merged_values_of_the_permission_may_be_part_of_its_write_filter() {
        var api = granted(OWN, OWN, true);
        assertThat(api.send("PATCH " + coll + "/*?filter={n:1}", "{owner: 'bob', m: 1}")
                        .status())
                .isEqualTo(200);
        assertThat(stored("a")).isEqualTo(json("{owner: 'ada', n: 1, m: 1}"));
        assertThat(stored("b")).isEqualTo(json("{owner: 'bob', n: 1}"));
    }

    @Test
    void a_refused_change_is_never_seen() throws InterruptedException {
        var strict = granted(OWN, "", true);
        var writing = new AtomicBoolean(true);
        var seen = new AtomicBoolean();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            threads.execute(() -> {
                while (writing.get()) {
                    if (!stored("a").getString("owner").getValue().equals("ada")) {
                        seen.set(true);
                    }
                }
            });
            for (int i = 0; i < 50; i++) {
                assertThat(strict.send("PATCH " + coll + "/a", "[{$set: {owner: 'bob'}}]")
                                .status())
                        .isEqualTo(403);
            }
            writing.set(false);
        }
        assertThat(seen).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PATCH /a           | [{$set: {owner: 'bob'}}] | 403",
                "PATCH /a           | [{$set: {n: 2}}]         | 200",
                "PATCH /x?wm=upsert | {owner: 'ada'}           | 201",
                "PUT /a             | {owner: 'bob'}           | 403",
                "PUT /a             | {owner: 'ada'}           | 200",
                "DELETE /a          | {}                       | 204",
            })
    void a_checked_write_of_one_document_may_begin_on_an_io_thread(String request, String body, int status) {
        var before = stored("a");
        var methodAndRest = request.split(" ", 2);
        var api = granted(OWN, "", true);
        assertThat(api.sendFromIoThread(methodAndRest[0] + " " + coll + methodAndRest[1], body)
                        .status())
                .isEqualTo(status);
        if (status == 403) {
            assertThat(stored("a")).isEqualTo(before);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"PUT | {n: 1} | 200", "PUT | {n: 'x'} | 400", "PATCH | {n: 2} | 200", "PATCH | {n: 'x'} | 400"})
    void a_write_of_one_document_with_a_schema_may_begin_on_an_io_thread(String method, String body, int status) {
        root.send("PUT " + db + "/_schemas");
        root.send("PUT " + db + "/_schemas/s?wm=upsert", "{properties: {n: {type: 'integer'}}}");
        mongo.client()
                .getDatabase(db.substring(1))
                .getCollection("_properties")
                .updateOne(
                        new BsonDocument("_id", new BsonString("_properties.c")),
                        json("{$set: {jsonSchema: {schemaId: 's'}}}"));
        var api = DataApi.over(mongo.client()); // which knows nothing of before
        assertThat(api.sendFromIoThread(method + " " + coll + "/a", body).status())
                .isEqualTo(status);
    }

    @Test
    void preconditions_apply_to_a_checked_change_too() {
        var strict = granted(OWN, "", true);
        var stale = strict.with("If-Match", "65f0c0ffee0000000000abcd");
        assertThat(stale.send("PATCH " + coll + "/a", "{owner: 'ada', n: 5}").status())
                .isEqualTo(412);
        var current = strict.with("If-Match", root.send("GET " + coll + "/a").etag());
        assertThat(current.send("PATCH " + coll + "/a", "{owner: 'ada', n: 5}").status())
                .isEqualTo(200);
    }
}
