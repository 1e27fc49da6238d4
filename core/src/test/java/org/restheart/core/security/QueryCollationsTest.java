package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.security.TestGateway.encode;
import static org.restheart.testkit.Statuses.assertStatus;

import java.util.ArrayList;
import java.util.List;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// How queries compare texts: the parameter `collation`, its default, and that neither changes what a rule hides.
@WithMongo
class QueryCollationsTest {
    private static final String WITHOUT_CASE = "collation=" + encode("{\"locale\":\"en\",\"strength\":2}");
    private static final String NUMERIC = "collation=" + encode("{\"locale\":\"en\",\"numericOrdering\":true}");
    private static final String SIMPLE = "collation=" + encode("{\"locale\":\"simple\"}");
    private static final String[] DOCUMENTS = {
        "{_id: 'bob', owner: 'bob', team: 5, name: 'v9'}",
        "{_id: 'rob', owner: 'BOB', team: 5, name: 'V10'}",
        "{_id: 'eve', owner: 'eve', team: 6, name: 'v10'}"
    };

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.startWithData(mongo, "local-cache-enabled: false,");
        gateway.addUsers("texts", "numbers");
        gateway.permit(
                "texts",
                "path-prefix('/')",
                "{readFilter: {owner: 'bob'}, writeFilter: {owner: 'bob'},"
                        + " allowBulkPatch: true, allowBulkDelete: true, allowAdHocAggregations: true}");
        gateway.permit(
                "numbers",
                "path-prefix('/')",
                "{readFilter: {team: 5}, writeFilter: {team: 5},"
                        + " allowBulkPatch: true, allowBulkDelete: true, allowAdHocAggregations: true}");
        gateway.insert("c", DOCUMENTS);
        gateway.insert("usual", DOCUMENTS);
        var admin = gateway.as("admin");
        assertStatus(200, admin.put("/c", """
            {"aggrs": [{"uri": "all", "stages": [{"$match": {"name": "v10"}}, {"$sort": {"_id": 1}}]}]}\
            """));
        assertStatus(200, admin.put("/usual", """
            {"mongo": {"collation": {"locale": "en", "strength": 2}}}\
            """));
    }

    private static List<String> ids(TestClient client, String target) {
        var answer = client.get(target);
        assertStatus(200, answer);
        var ids = new ArrayList<String>();
        BsonArray.parse(answer.body())
                .forEach(document ->
                        ids.add(document.asDocument().getString("_id").getValue()));
        return ids;
    }

    private static String filter(String json) {
        return "filter=" + encode(json);
    }

    @Test
    void a_collation_decides_which_texts_are_equal_and_their_order() {
        var admin = gateway.as("admin");
        var named = filter("{\"name\":\"v10\"}");
        assertThat(ids(admin, "/c?" + named)).containsExactly("eve");
        assertThat(ids(admin, "/c?sort=_id&" + named + "&" + WITHOUT_CASE)).containsExactlyInAnyOrder("rob", "eve");
        assertThat(ids(admin, "/c?sort=name&sort=_id&" + NUMERIC).getFirst()).isEqualTo("bob");
        assertThat(ids(admin, "/c?sort=name&sort=_id").getFirst()).isEqualTo("rob");
        assertThat(admin.get("/c/_size?" + named).body()).contains("1");
        assertThat(admin.get("/c/_size?" + named + "&" + WITHOUT_CASE).body()).contains("2");
        assertThat(ids(admin, "/c/_aggrs/all")).containsExactly("eve");
        assertThat(ids(admin, "/c/_aggrs/all?" + WITHOUT_CASE)).hasSize(2);
        assertThat(admin.post("/c/_aggrs?" + WITHOUT_CASE, "{\"stages\":[{\"$match\":{\"name\":\"v10\"}}]}")
                        .body())
                .contains("rob", "eve");
    }

    @Test
    void different_collations_share_no_pages_cursors_or_cached_results() {
        var admin = gateway.as("admin");
        for (int i = 0; i < 3; i++) {
            for (var shortcut : List.of("", "&cache", "&eager=LINEAR", "&eager=RANDOM")) {
                var page = "/c?pagesize=1&page=2&sort=name&sort=_id" + shortcut;
                assertThat(ids(admin, page + "&" + NUMERIC)).as(page).containsExactly("eve");
                assertThat(ids(admin, page)).as(page).containsExactly("eve");
                assertThat(ids(admin, page.replace("page=2", "page=3") + "&" + NUMERIC))
                        .containsExactly("rob");
                assertThat(ids(admin, page.replace("page=2", "page=3"))).containsExactly("bob");
            }
        }
        var link = admin.get("/c?pagesize=1&sort=_id&" + WITHOUT_CASE).headers().firstValue("Link");
        assertThat(link).as("no index has this order").isEmpty();
    }

    @Test
    void the_collection_has_a_usual_collation() {
        var admin = gateway.as("admin");
        var named = filter("{\"name\":\"v10\"}");
        assertThat(ids(admin, "/usual?" + named)).hasSize(2);
        assertThat(ids(admin, "/usual?" + named + "&" + SIMPLE)).containsExactly("eve");
        assertThat(admin.get("/usual/_size?" + named).body()).contains("2");
        assertThat(admin.get("/usual/BOB").statusCode()).as("an id is exact").isEqualTo(404);
    }

    @Test
    void bulk_writes_follow_it() {
        gateway.insert("writes", DOCUMENTS);
        var admin = gateway.as("admin");
        var named = filter("{\"name\":\"v10\"}");
        assertThat(admin.patch("/writes/*?" + named + "&" + WITHOUT_CASE, "{\"$inc\":{\"n\":1}}")
                        .body())
                .contains("\"matched\": 2");
        assertStatus(200, admin.delete("/writes/*?" + named + "&" + WITHOUT_CASE));
        assertThat(ids(admin, "/writes")).containsExactly("bob");
    }

    @Test
    void changes_of_many_documents_with_a_schema_have_none() {
        var admin = gateway.as("admin");
        assertThat(admin.put("/_schemas", "{}").statusCode()).isLessThan(300);
        assertStatus(201, admin.post("/_schemas", "{\"_id\":\"any\",\"type\":\"object\"}"));
        gateway.insert("schemed", DOCUMENTS);
        assertStatus(200, admin.put("/schemed", """
            {"jsonSchema": {"schemaId": "any"}, "mongo": {"collation": {"locale": "en", "strength": 2}}}\
            """));
        var target = "/schemed/*?" + filter("{\"name\":\"v10\"}");
        var changed = admin.patch(target, "{\"n\":1}");
        assertStatus(200, changed);
        assertThat(changed.body()).contains("\"matched\": 1");
        assertThat(changed.headers().firstValue("Warning").orElseThrow()).contains("mongo.collation has no effect");
        assertStatus(400, admin.patch(target + "&" + WITHOUT_CASE, "{\"n\":2}"));
        assertThat(gateway.stored("schemed", "eve").getInt32("n").getValue()).isEqualTo(1);
        assertThat(gateway.stored("schemed", "rob")).doesNotContainKey("n");
    }

    @Test
    void within_a_rule_that_compares_texts_it_can_only_be_the_collections_own() {
        var caller = gateway.user("texts");
        for (var target : List.of("/c?", "/c/_size?", "/c/_aggrs/all?", "/usual?")) {
            assertStatus(403, caller.get(target + WITHOUT_CASE));
            assertStatus(403, caller.get(target + NUMERIC));
        }
        assertStatus(403, caller.post("/c/_aggrs?" + WITHOUT_CASE, "{\"stages\":[{\"$match\":{}}]}"));
        assertStatus(403, caller.patch("/c/*?" + filter("{\"team\":5}") + "&" + WITHOUT_CASE, "{\"n\":1}"));
        assertStatus(403, caller.delete("/c/*?" + filter("{\"team\":5}") + "&" + WITHOUT_CASE));
        assertThat(gateway.stored("c", "rob")).doesNotContainKey("n");
        assertThat(ids(caller, "/c?" + SIMPLE)).containsExactly("bob");
        assertThat(ids(caller, "/usual"))
                .as("the usual one does not widen the rule")
                .containsExactly("bob");
        assertStatus(200, caller.patch("/usual/*?" + filter("{\"team\":5}"), "{\"n\":1}"));
        assertThat(gateway.stored("usual", "rob")).doesNotContainKey("n");
    }

    @Test
    void within_other_rules_it_shows_what_the_caller_may_see() {
        gateway.insert("visible", DOCUMENTS[0], DOCUMENTS[1]);
        var caller = gateway.user("numbers");
        var all = gateway.as("admin");
        for (var query : List.of(
                "sort=name&" + NUMERIC,
                "sort=name&" + WITHOUT_CASE,
                filter("{\"name\":\"v10\"}") + "&" + WITHOUT_CASE,
                filter("{\"owner\":{\"$gt\":\"b\"}}") + "&sort=owner&sort=_id&" + WITHOUT_CASE,
                filter("{\"$expr\":{\"$eq\":[\"$owner\",\"bob\"]}}") + "&sort=name&" + WITHOUT_CASE)) {
            assertThat(ids(caller, "/c?" + query)).as(query).isEqualTo(ids(all, "/visible?" + query));
            assertThat(caller.get("/c/_size?" + query).body())
                    .isEqualTo(all.get("/visible/_size?" + query).body());
        }
    }

    @Test
    void a_collection_with_a_collation_keeps_it_within_a_rule() {
        gateway.database().runCommand(BsonDocument.parse("{create: 'folded', collation: {locale: 'en', strength: 2}}"));
        gateway.insert("folded", DOCUMENTS);
        var caller = gateway.user("texts");
        assertThat(ids(caller, "/folded?" + WITHOUT_CASE)).containsExactlyInAnyOrder("bob", "rob");
        assertStatus(403, caller.get("/folded?" + SIMPLE));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{} | locale must be a text",
                "{\"locale\":1} | locale must be a text",
                "{\"locale\":\"en\",\"strenth\":1} | strenth is unknown; did you mean strength?",
                "{\"locale\":\"en\",\"strength\":6} | the value of strength",
                "{\"locale\":\"en\",\"strength\":1.5} | the value of strength",
                "{\"locale\":\"en\",\"strength\":\"1\"} | the value of strength",
                "{\"locale\":\"en\",\"caseLevel\":1} | the value of caseLevel",
                "{\"locale\":\"en\",\"caseFirst\":\"x\"} | the value of caseFirst",
                "{\"locale\":\"en\",\"alternate\":\"x\"} | the value of alternate",
                "{\"locale\":\"klingon\"} | ocale",
                "[] | it is not a json object"
            })
    void what_is_no_collation_is_refused(String json, String message) {
        var answer = gateway.as("admin").get("/c?collation=" + encode(json));
        assertStatus(400, answer);
        assertThat(answer.body()).contains(message);
        if (json.startsWith("{")) {
            assertStatus(400, gateway.as("admin").put("/new", "{\"mongo\":{\"collation\":" + json + "}}"));
            assertStatus(400, gateway.as("admin").patch("/usual", "{\"mongo.collation\":" + json + "}"));
        }
    }

    /// A view has its own collation, and measurements have no index by which one is found.
    @Test
    void whether_a_locale_is_known_is_asked_without_reading_documents() {
        var database = gateway.database();
        database.runCommand(BsonDocument.parse("{create: 'view', viewOn: 'c', pipeline: []}"));
        var folded = "{\"mongo\":{\"collation\":{\"locale\":\"en\"}}}";
        assertStatus(400, gateway.as("admin").patch("/view", folded));
        assertStatus(200, gateway.as("admin").get("/view"));
        database.runCommand(BsonDocument.parse("{create: 'series', timeseries: {timeField: 't'}}"));
        gateway.insert("series", "{t: {$date: '2026-01-01T00:00:00Z'}}", "{t: {$date: '2026-01-02T00:00:00Z'}}");
        var reads = TestMongo.profiled(
                database,
                "{docsExamined: {$gt: 0}, ns: /series$/}",
                () -> assertStatus(200, gateway.as("admin").patch("/series", folded)));
        assertThat(reads).isEmpty();
    }

    @Test
    void no_index_is_made_with_an_unknown_locale() {
        var index = "{\"keys\":{\"x\":1},\"ops\":{\"collation\":{\"locale\":\"klingon\"}}}";
        assertStatus(400, gateway.as("admin").put("/usual/_indexes/x", index));
    }

    @Test
    void a_part_of_the_default_cannot_be_set_alone() {
        assertStatus(400, gateway.as("admin").patch("/usual", "{\"mongo.collation.locale\":\"klingon\"}"));
        assertStatus(200, gateway.as("admin").get("/usual"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "PATCH", "DELETE"})
    void one_document_has_exactly_its_id(String method) {
        gateway.insert("one", "{_id: 'x'}", "{_id: 'X'}");
        var answer =
                gateway.as("admin").send(method, "/one/X?" + WITHOUT_CASE, method.equals("PATCH") ? "{\"n\":1}" : "");
        assertThat(answer.statusCode()).isLessThan(300);
        assertThat(gateway.stored("one", "x")).isEqualTo(BsonDocument.parse("{_id: 'x'}"));
        gateway.collection("one").drop();
    }
}
