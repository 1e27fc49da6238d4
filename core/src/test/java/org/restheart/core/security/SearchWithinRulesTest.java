package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.security.TestGateway.encode;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// `$text`, its score, `$near` and `$nearSphere` within access rules: what they find is what they find in a collection
/// that has only what the caller may see.
@WithMongo
class SearchWithinRulesTest {
    private static final String TEXT = "{\"$text\":{\"$search\":\"alpha beta\"}}";
    private static final String SCORE = "{\"score\":{\"$meta\":\"textScore\"}}";
    private static final String POINT = "{\"$geometry\":{\"type\":\"Point\",\"coordinates\":[1,1]}";

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.addUsers("rows", "fields", "both", "shown");
        var rows =
                "readFilter: {owner: 'ada'}, writeFilter: {owner: 'ada'}, allowBulkPatch: true, allowBulkDelete: true";
        gateway.permit("rows", "path-prefix('/')", "{" + rows + "}");
        gateway.permit("fields", "path-prefix('/')", "{projectResponse: {secret: 0}, allowBulkPatch: true}");
        gateway.permit("both", "path-prefix('/')", "{projectResponse: {secret: 0}, " + rows + "}");
        gateway.permit("shown", "path-prefix('/')", "{projectResponse: {_id: 1, title: 1, at: 1}}");
        for (int i = 0; i < 40; i++) {
            var texts = "alpha ".repeat(i % 4) + "beta ".repeat(i % 5) + "gamma";
            double shift = i / 1000.0; // no two are equally far away
            var places =
                    "at: [" + (i % 7 + shift) + ", " + i % 11 + "], flat: [" + (i % 7 + shift) + ", " + i % 5 + "]";
            var document = "{_id: " + i + ", owner: '" + (i % 3 == 0 ? "ada" : "bob") + "', title: '" + texts
                    + "', secret: 'delta" + i + "', tag: 'x" + i % 2 + "', " + places + "}";
            gateway.insert("all", document);
            if (i % 3 == 0) {
                gateway.insert("visible", document);
            }
        }
        for (var name : List.of("all", "visible")) {
            gateway.collection(name).createIndex(Indexes.text("title"));
            gateway.collection(name).createIndex(Indexes.geo2dsphere("at"));
            gateway.collection(name).createIndex(Indexes.geo2d("flat"));
        }
    }

    private static String near(String operator, String more) {
        return "{\"at\":{\"" + operator + "\":" + POINT + more + "}}}";
    }

    @ParameterizedTest
    @ValueSource(strings = {"rows", "both"})
    void they_find_what_they_find_among_visible_documents_alone(String user) {
        var text = "filter=" + encode(TEXT);
        var score = "&keys=" + encode(SCORE) + "&sort=" + encode(SCORE) + "&sort=_id";
        var regex = "&filter=" + encode("{\"tag\":{\"$regex\":\"1$\"}}");
        for (var query : List.of(
                text,
                text + "&sort=_id&pagesize=3&page=2",
                text + score,
                text + score + "&keys=" + encode("{\"title\":1}"),
                text + score + "&pagesize=4&page=2",
                text + regex + score,
                "filter=" + encode("{\"$and\":[" + TEXT + ",{\"_id\":{\"$gt\":9}}]}") + score,
                "filter=" + encode("{\"$text\":{\"$search\":\"gamma -beta\"}}") + regex,
                "sort=%7B%7D&filter=" + encode(near("$near", "")),
                "sort=%7B%7D&keys=" + encode("{\"tag\":1}") + "&filter=" + encode(near("$near", "")),
                "sort=%7B%7D&filter=" + encode(near("$nearSphere", ",\"$maxDistance\":400000")),
                "sort=%7B%7D&filter=" + encode(near("$near", ",\"$minDistance\":200000,\"$maxDistance\":600000"))
                        + regex,
                "sort=%7B%7D&filter=" + encode("{\"flat\":{\"$near\":[1,1],\"$maxDistance\":3}}"),
                "sort=%7B%7D&filter=" + encode("{\"flat\":{\"$near\":[1,1,3]}}") + regex,
                "sort=%7B%7D&filter=" + encode("{\"flat\":{\"$nearSphere\":[1,1],\"$maxDistance\":0.05}}") + regex,
                "sort=_id&filter=" + encode(near("$near", ",\"$maxDistance\":900000")) + regex
                        + "&pagesize=2&page=2")) {
            for (var path : List.of("", "/_size")) {
                var all = gateway.user(user).get("/all" + path + "?" + query);
                var visible = gateway.as("admin").get("/visible" + path + "?" + query);
                assertThat(all.statusCode()).as(path + query + all.body()).isEqualTo(visible.statusCode());
                assertThat(documents(all.body())).as(path + query).isEqualTo(documents(visible.body()));
                if (path.isEmpty()) {
                    assertStatus(200, all);
                    assertThat(documents(all.body()).getArray("a")).as(query).isNotEmpty();
                }
            }
        }
    }

    /// Without what the rules of some hide.
    private static BsonDocument documents(String json) {
        var body = BsonDocument.parse("{a: " + json + "}");
        if (body.isArray("a")) {
            body.getArray("a").forEach(document -> document.asDocument().remove("secret"));
        }
        return body;
    }

    @Test
    void exports_and_single_documents_take_them_too() {
        for (var filter : List.of(TEXT, near("$near", ",\"$maxDistance\":500000"))) {
            var query = "?sort=%7B%7D&filter=" + encode(filter);
            for (var type : List.of("application/x-ndjson", "text/csv")) {
                var all = gateway.user("rows").with("Accept", type).get("/all" + query);
                assertThat(all.body())
                        .isEqualTo(gateway.as("admin")
                                .with("Accept", type)
                                .get("/visible" + query)
                                .body());
                assertStatus(200, all);
            }
            assertStatus(200, gateway.user("rows").get("/all/36?id_type=NUMBER&filter=" + encode(filter)));
            assertStatus(404, gateway.user("rows").get("/all/37?id_type=NUMBER&filter=" + encode(filter)));
        }
    }

    @Test
    void writes_meet_only_what_the_rule_allows() {
        var tagged = "{\"$set\":{\"found\":true}}";
        for (var filter : List.of(TEXT, near("$near", ",\"$maxDistance\":500000"))) {
            assertStatus(200, gateway.user("rows").patch("/all/*?filter=" + encode(filter), tagged));
            var found = gateway.collection("all").find(BsonDocument.parse("{found: true}"));
            assertThat(found)
                    .isNotEmpty()
                    .allMatch(document -> document.getString("owner").getValue().equals("ada"));
            gateway.collection("all").updateMany(new BsonDocument(), BsonDocument.parse("{$unset: {found: 1}}"));
        }
    }

    /// Which of two errors comes first must not depend on distances, and so not on what else is near.
    @Test
    void checked_changes_go_in_the_order_of_ids() {
        gateway.as("admin").put("/_schemas", "{}");
        assertThat(gateway.as("admin")
                        .put("/_schemas/any?wm=upsert", "{\"type\":\"object\"}")
                        .statusCode())
                .isLessThan(300);
        assertStatus(201, gateway.as("admin").put("/placed", "{\"jsonSchema\":{\"schemaId\":\"any\"}}"));
        gateway.collection("placed").createIndex(Indexes.geo2dsphere("at"));
        var path = "/placed/*?filter=" + encode(near("$nearSphere", ",\"$maxDistance\":900000"));
        for (var places : List.of("[1,1] [1,2]", "[1,2] [1,1]")) {
            var place = places.split(" ");
            gateway.collection("placed").deleteMany(new BsonDocument());
            gateway.insert("placed", "{_id: 1, owner: 'ada', a: [1, 2], d: {x: 1}, at: " + place[0] + "}");
            gateway.insert("placed", "{_id: 2, owner: 'ada', a: 1, d: 1, at: " + place[1] + "}");
            var refused = gateway.user("rows").patch(path, "{\"$rename\":{\"d.x\":\"a.1.x\"}}");
            assertStatus(207, refused);
            assertThat(refused.body()).as(places).doesNotContain("mongodbErrorCode"); // of the second: 28
        }
    }

    /// `$near` measures to the nearest point of a shape, of which the center may be far away.
    @Test
    void changes_are_of_the_shapes_that_reads_find() {
        gateway.as("admin").put("/_schemas", "{}");
        gateway.as("admin").put("/_schemas/any?wm=upsert", "{\"type\":\"object\"}");
        for (var properties : List.of("{}", "{\"jsonSchema\":{\"schemaId\":\"any\"}}")) {
            assertThat(gateway.as("admin").put("/shapes", properties).statusCode())
                    .isLessThan(300);
            gateway.collection("shapes").createIndex(Indexes.geo2dsphere("at"));
            gateway.collection("shapes").deleteMany(new BsonDocument());
            gateway.insert(
                    "shapes", "{_id: 1, owner: 'ada', at: {type: 'LineString', coordinates: [[1, 1.5], [1, 40]]}}");
            for (var bounds : List.of(",\"$minDistance\":900000", ",\"$maxDistance\":900000")) {
                var filter = "filter=" + encode(near("$nearSphere", bounds));
                var found = BsonDocument.parse("{a: "
                                + gateway.user("rows")
                                        .get("/shapes?sort=%7B%7D&" + filter)
                                        .body() + "}")
                        .getArray("a");
                var changed = gateway.user("rows").patch("/shapes/*?" + filter, "{\"n\":1}");
                assertThat(BsonDocument.parse(changed.body())
                                .getInt32("matched")
                                .getValue())
                        .as(properties + bounds + changed.body())
                        .isEqualTo(found.size())
                        .isEqualTo(bounds.contains("$max") ? 1 : 0);
            }
        }
    }

    @Test
    void hidden_fields_are_not_searched() {
        gateway.insert(
                "hidden", "{_id: 1, title: 'alpha', secret: 'alpha', language: 'german', parts: [{name: 'alpha'}]}");
        var query = "/hidden?filter=" + encode(TEXT) + "&keys=" + encode(SCORE);
        for (var keys : List.of("{secret: 'text'}", "{title: 'text', secret: 'text'}", "{'$**': 'text'}")) {
            var name = gateway.collection("hidden").createIndex(BsonDocument.parse(keys));
            for (var target :
                    List.of(query, "/hidden/_size?filter=" + encode(TEXT), "/hidden/1?filter=" + encode(TEXT))) {
                var refused = gateway.user("fields").get(target);
                assertStatus(403, refused);
                assertThat(refused.body()).contains("stored aggregation").doesNotContain("secret");
            }
            assertStatus(403, gateway.user("fields").patch("/hidden/*?filter=" + encode(TEXT), "{\"n\":1}"));
            assertStatus(200, gateway.as("admin").get(query));
            gateway.collection("hidden").dropIndex(name);
        }
        gateway.collection("hidden").createIndex(Indexes.text("title"));
        assertThat(gateway.user("fields").get(query).body())
                .contains("\"score\"")
                .doesNotContain("secret");
        assertThat(gateway.user("shown").get(query).body()).contains("language_override");
        gateway.collection("hidden").dropIndex("title_text");
        gateway.collection("hidden").createIndex(Indexes.text("title"), new IndexOptions().languageOverride("at"));
        assertThat(gateway.user("shown").get(query).body())
                .contains("\"title\"")
                .doesNotContain("secret");
    }

    @Test
    void the_score_of_the_rules_own_search_is_not_told_of_hidden_fields() {
        gateway.addUsers("searched");
        gateway.permit(
                "searched",
                "path-prefix('/scored')",
                "{projectResponse: {secret: 0}, readFilter: {$text: {$search: 'alpha'}}}");
        gateway.insert("scored", "{_id: 1, title: 'beta', secret: 'alpha'}");
        gateway.collection("scored").createIndex(Indexes.text("secret"));
        assertStatus(200, gateway.user("searched").get("/scored"));
        for (var parameter : List.of("keys", "sort")) {
            assertStatus(403, gateway.user("searched").get("/scored?" + parameter + "=" + encode(SCORE)));
        }
    }

    @Test
    void a_usual_collation_does_not_stand_in_the_way() {
        gateway.insert("collated", "{_id: 1, title: 'alpha'}");
        gateway.collection("collated").createIndex(Indexes.text("title"));
        assertStatus(200, gateway.as("admin").put("/collated", """
            {"mongo": {"collation": {"locale": "en", "strength": 2}}}\
            """));
        assertThat(gateway.as("admin").get("/collated?filter=" + encode(TEXT)).body())
                .contains("alpha");
    }

    @Test
    void what_else_tells_of_hidden_documents_stays_refused() {
        for (var query : List.of(
                "filter=" + encode("{\"$or\":[" + TEXT + ",{\"tag\":{\"$regex\":\"x\"}}]}"),
                "filter=" + encode("{\"$nor\":[" + near("$near", "") + "]}"),
                "filter=" + encode(TEXT) + "&keys=" + encode("{\"n\":{\"$meta\":\"recordId\"}}"),
                "filter=" + encode(TEXT) + "&keys=" + encode("{\"n\":{\"$meta\":\"indexKey\"}}"))) {
            assertStatus(403, gateway.user("rows").get("/all?" + query));
            assertStatus(403, gateway.user("both").get("/all?" + query));
        }
        assertStatus(403, gateway.user("both").get("/all?filter=" + encode("{\"secret\":{\"$near\":[1,1]}}")));
    }
}
