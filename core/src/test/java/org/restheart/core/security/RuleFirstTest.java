package org.restheart.core.security;

import static com.mongodb.client.model.Filters.eq;
import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.security.TestGateway.encode;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.Indexes;
import java.util.List;
import java.util.Map;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// A client's query is never evaluated on a document that its access rule excludes.
@WithMongo
class RuleFirstTest {
    /// Fails for the document `b3` if a guess about it is right.
    private static final String ORACLE = "{\"$or\":[{\"$expr\":{\"$cond\":[{\"$and\":[{\"$eq\":[\"$_id\",\"b3\"]},"
            + "{\"$eq\":[\"$secret\",\"GUESS\"]}]},{\"$toInt\":{\"$concat\":[\"x\",\"$_id\"]}},true]}},{\"_id\":\"none\"}]}";

    /// The same beside a comparison for which there is an index.
    private static final String INDEXED = "{\"kind\":\"k\"," + ORACLE.substring(1);

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.insertUsers("{_id: 'eve', roles: ['member']}", "{_id: 'pat', roles: ['path']}");
        gateway.permit("{_id: 1, roles: ['member'], predicate: \"path-prefix('/c')\", mongo: {readFilter:"
                + " {owner: '@user._id'}, writeFilter: {owner: '@user._id'}, allowBulkPatch: true,"
                + " allowBulkDelete: true, allowWriteMode: true}}");
        gateway.permit("{_id: 2, roles: ['path'], predicate: \"path('/c/a1')\", mongo: {allowWriteMode: true}}");
        gateway.permit("{_id: 3, roles: ['$unauthenticated'], predicate: \"path-prefix('/c') and method(GET)\", mongo:"
                + " {readFilter: {public: true}}}");
        gateway.collection("c").createIndex(Indexes.ascending("kind"));
        gateway.collection("c").createIndex(Indexes.ascending("owner", "kind"));
    }

    @BeforeEach
    void insertDocuments() {
        gateway.collection("c").deleteMany(new Document());
        gateway.insert("c", "{_id: 'b3', owner: 'bob', secret: 'right', kind: 'k', _etag: 'of-b3'}");
        for (int i = 1; i < 20; i++) {
            gateway.insert(
                    "c",
                    "{_id: 'a" + i + "', owner: 'eve', kind: '" + (i == 1 ? "k" : "o") + "', public: true, n: " + i
                            + "}");
        }
    }

    private static String query(String filter, String guess) {
        return "filter=" + encode(filter.replace("GUESS", guess));
    }

    /// The responses to a right and to a wrong guess must be equal.
    private static void tellsNothing(TestClient client, String method, String target, String body) {
        for (var filter : List.of(ORACLE, INDEXED)) {
            var separator = target.contains("?") ? "&" : "?";
            var right = client.send(method, target + separator + query(filter, "right"), body);
            var wrong = client.send(method, target + separator + query(filter, "wrong"), body);
            assertThat(right.statusCode())
                    .as(method + " " + target + " " + filter)
                    .isEqualTo(wrong.statusCode());
            if (method.equals("GET")) {
                assertThat(right.body()).as(method + " " + target).isEqualTo(wrong.body());
                assertThat(right.statusCode())
                        .as(method + " " + target + right.body())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void errors_reveal_no_other_documents_to_readers() {
        for (var target : List.of(
                "/c",
                "/c?sort=_id",
                "/c?sort=-kind",
                "/c?sort=n&pagesize=3&page=2",
                "/c?hint=" + encode("{\"kind\":1}"),
                "/c?cache",
                "/c?pagesize=1&page=15&eager=linear",
                "/c?keys=" + encode("{\"x\":\"$secret\"}"),
                "/c/_size",
                "/c/a1",
                "/c?rep=HAL&count",
                "/c?rep=SHAL&count")) {
            tellsNothing(gateway.user("eve"), "GET", target, "");
            tellsNothing(gateway.anonymous(), "GET", target, "");
        }
        for (var type : List.of("application/x-ndjson", "text/csv", "application/bson")) {
            tellsNothing(gateway.user("eve").with("Accept", type), "GET", "/c", "");
        }
    }

    @Test
    void errors_reveal_nothing_to_callers_of_one_path() {
        tellsNothing(gateway.user("pat"), "GET", "/c/a1", "");
        tellsNothing(gateway.user("pat").with("Content-Type", "application/json"), "PATCH", "/c/a1", "{\"x\":1}");
        tellsNothing(
                gateway.user("pat").with("Content-Type", "application/json"),
                "PUT",
                "/c/a1",
                "{\"owner\":\"eve\",\"kind\":\"k\",\"public\":true}");
    }

    @Test
    void errors_reveal_no_other_documents_to_writers() {
        var eve = gateway.user("eve").with("Content-Type", "application/json");
        for (var target : List.of("/c/*", "/c/a2", "/c/a2?wm=upsert")) {
            tellsNothing(eve, "PATCH", target, "{\"x\":1}");
        }
        tellsNothing(eve, "PUT", "/c/a2", "{\"owner\":\"eve\"}");
        tellsNothing(eve, "POST", "/c?wm=upsert", "{\"_id\":\"a2\",\"owner\":\"eve\"}");
        tellsNothing(eve, "POST", "/c?wm=update", "[{\"_id\":\"a2\",\"owner\":\"eve\"}]");
        tellsNothing(eve, "DELETE", "/c/*", "");
        tellsNothing(eve, "DELETE", "/c/a3", "");
        assertThat(gateway.collection("c").countDocuments()).isEqualTo(20);
    }

    @Test
    void what_a_filter_of_two_steps_matches_is_what_it_matches_alone() {
        for (var entry : Map.of(
                        "{\"_id\":{\"$regex\":\"^a1\"}}", 11,
                        "{\"n\":{\"$gt\":3,\"$mod\":[2,0]}}", 8,
                        "{\"$and\":[{\"kind\":\"o\"},{\"$expr\":{\"$gt\":[\"$n\",15]}}]}", 4,
                        "{\"$or\":[{\"_id\":{\"$in\":[{\"$regularExpression\":{\"pattern\":\"7$\",\"options\":\"\"}}]}},{\"n\":1}]}",
                                3,
                        "{\"n\":{\"$not\":{\"$gt\":3}},\"$expr\":{\"$lt\":[\"$n\",3]}}", 2)
                .entrySet()) {
            var filter = encode(entry.getKey());
            assertThat(gateway.user("eve").get("/c/_size?filter=" + filter).body())
                    .as(entry.getKey())
                    .contains("\"_size\": " + entry.getValue() + "}");
            var page = gateway.user("eve").get("/c?sort=-n&pagesize=2&page=2&filter=" + filter);
            assertStatus(200, page);
            assertThat(BsonDocument.parse("{a:" + page.body() + "}").getArray("a"))
                    .as(entry.getKey())
                    .hasSize(Math.clamp(entry.getValue() - 2, 0, 2));
        }
    }

    @Test
    void searches_that_cannot_come_after_the_rule_are_refused_by_name() {
        var near = encode("{\"$or\":[{\"at\":{\"$near\":[1,1]}},{\"n\":1}]}");
        var refused = gateway.user("eve").get("/c?filter=" + near);
        assertStatus(403, refused);
        assertThat(refused.body()).contains("$near");
        var text = encode("{\"$nor\":[{\"$text\":{\"$search\":\"x\"}}]}");
        assertStatus(403, gateway.user("eve").get("/c/_size?filter=" + text));
    }

    @Test
    void the_number_of_a_record_is_hidden() {
        var keys = "keys=" + encode("{\"n\":{\"$meta\":\"recordId\"}}");
        assertStatus(403, gateway.user("eve").get("/c?" + keys));
        assertStatus(403, gateway.user("eve").get("/c/a1?" + keys));
        var filter = encode("{\"$expr\":{\"$gt\":[{\"$meta\":\"recordId\"},1]}}");
        assertStatus(403, gateway.user("eve").get("/c?filter=" + filter));
    }

    @Test
    void writes_within_a_rule_take_filters_that_compare() {
        var filter = encode("{\"n\":{\"$gt\":17}}");
        var patched = gateway.user("eve").patch("/c/*?filter=" + filter, "{\"touched\":1}");
        assertStatus(200, patched);
        assertThat(gateway.collection("c").countDocuments(eq("touched", 1))).isEqualTo(2);
        var beginning = encode("{\"_id\":{\"$regex\":\"^[ab][39]$\"}}");
        assertStatus(200, gateway.user("eve").patch("/c/*?filter=" + beginning, "{\"touched\":3}"));
        assertThat(gateway.collection("c").distinct("_id", eq("touched", 3), String.class))
                .containsExactly("a3", "a9");
        var refused =
                gateway.user("eve").patch("/c/*?filter=" + encode("{\"_id\":{\"$regex\":\"a\"}}"), "{\"touched\":2}");
        assertStatus(403, refused);
        assertThat(refused.body()).contains("find the documents first");
        assertThat(gateway.collection("c").countDocuments(eq("touched", 2))).isZero();
    }

    @Test
    void no_write_reveals_the_tag_of_another_document() {
        for (var mode : List.of("insert", "update", "upsert")) {
            var eve = gateway.user("eve").with("If-Match", "guess");
            for (var answer : List.of(
                    eve.put("/c/b3?wm=" + mode, "{\"owner\":\"eve\"}"),
                    eve.patch("/c/b3?wm=" + mode, "{\"owner\":\"eve\"}"),
                    eve.post("/c?wm=" + mode, "{\"_id\":\"b3\",\"owner\":\"eve\"}"))) {
                assertThat(answer.statusCode()).as(mode).isIn(404, 409);
                assertThat(answer.headers().firstValue("ETag")).as(mode).isEmpty();
                assertThat(answer.body()).doesNotContain("of-b3");
            }
        }
        assertStatus(409, gateway.user("eve").with("If-Match", "of-b3").put("/c/b3?wm=insert", "{\"owner\":\"eve\"}"));
    }
}
