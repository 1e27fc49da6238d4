package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.security.TestGateway.encode;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The parameter `arrayFilters` of changes: which elements of arrays these concern, and that it tells nothing hidden.
@WithMongo
class ArrayFiltersTest {
    private static final String CHANGE = "{\"$set\":{\"items.$[e].q\":7}}";
    private static final String FIRST = "arrayFilters=" + encode("[{\"e.n\":1}]");
    private static final String STORED =
            "{_id: 'x', owner: 'ada', items: [{n: 1, q: 0, secret: 'S'}, {n: 2, q: 0, secret: 'T'}]}";

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.addUsers("hiding", "owning", "merging", "rows");
        gateway.permit(
                "rows",
                "path-prefix('/c_all')",
                "{readFilter: {owner: 'rows'}, writeFilter: {owner: 'rows'}, allowBulkPatch: true}");
        gateway.permit(
                "hiding", "regex('/c(_all)?(/.*)?')", "{projectResponse: {'items.secret': 0}, allowBulkPatch: true}");
        gateway.permit("owning", "path-prefix('/c')", "{writeFilter: {owner: 'owning'}, allowBulkPatch: true}");
        gateway.permit("merging", "path-prefix('/c')", "{mergeRequest: {items: []}, allowBulkPatch: true}");
    }

    @BeforeEach
    void fill() {
        for (var name : List.of("c", "checked")) {
            gateway.collection(name).drop();
            gateway.insert(name, STORED);
        }
    }

    private static String items(String collection) {
        return gateway.stored(collection, "x").getArray("items").toString();
    }

    @Test
    void they_select_the_elements_that_change() {
        var admin = gateway.as("admin");
        assertStatus(200, admin.patch("/c/x?" + FIRST, CHANGE));
        assertThat(items("c")).contains("\"q\": 7").contains("\"n\": 2, \"q\": 0");
        assertStatus(
                200,
                admin.patch(
                        "/c/*?filter=" + encode("{\"_id\":\"x\"}") + "&arrayFilters="
                                + encode("[{\"e.n\":{\"$gt\":1}}]"),
                        "{\"$inc\":{\"items.$[e].q\":5}}"));
        assertThat(items("c")).contains("\"n\": 1, \"q\": 7").contains("\"n\": 2, \"q\": 5");
        assertStatus(200, admin.patch("/c/x?arrayFilters=" + encode("[{\"$or\":[{\"e.n\":1},{\"e.n\":2}]}]"), CHANGE));
    }

    @Test
    void they_are_used_where_a_schema_checks_what_is_written() {
        var admin = gateway.as("admin");
        gateway.database().createCollection("_schemas");
        assertStatus(201, admin.put("/_schemas/s?wm=upsert", """
            {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"items": {"items": {"properties": {"q": {"maximum": 9}}}}}}\
            """));
        assertStatus(200, admin.put("/checked", "{\"jsonSchema\":{\"schemaId\":\"s\"}}"));
        assertStatus(200, admin.patch("/checked/x?" + FIRST, CHANGE));
        var bulk = "/checked/*?filter=" + encode("{\"_id\":\"x\"}") + "&" + FIRST;
        assertStatus(200, admin.patch(bulk, CHANGE.replace("7", "8")));
        assertStatus(400, admin.patch("/checked/x?" + FIRST, CHANGE.replace("7", "10")));
        assertThat(admin.patch(bulk, CHANGE.replace("7", "10")).statusCode()).isEqualTo(207);
        assertThat(items("checked")).contains("\"n\": 1, \"q\": 8").contains("\"n\": 2, \"q\": 0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[{\"e.secret\":\"S\"}]",
                "[{\"e.secret\":{\"$regex\":\"^S\"}}]",
                "[{\"e\":{\"n\":1,\"q\":0,\"secret\":\"S\"}}]",
                "[{\"$or\":[{\"e.secret\":\"S\"},{\"e.n\":9}]}]",
                "[{\"$and\":[{\"e.n\":1},{\"$nor\":[{\"e.secret\":\"S\"}]}]}]",
                "[{\"e.n\":1,\"e.secret\":{\"$gt\":\"A\"}}]"
            })
    void what_is_hidden_selects_no_elements(String filters) {
        var hiding = gateway.user("hiding");
        var before = gateway.stored("c", "x");
        assertStatus(403, hiding.patch("/c/x?arrayFilters=" + encode(filters), CHANGE));
        assertStatus(
                403,
                hiding.patch("/c/*?filter=" + encode("{\"_id\":\"x\"}") + "&arrayFilters=" + encode(filters), CHANGE));
        assertThat(gateway.stored("c", "x")).isEqualTo(before);
        assertStatus(200, hiding.patch("/c/x?" + FIRST, CHANGE));
        assertStatus(403, hiding.patch("/c/x?" + FIRST, CHANGE.replace("q", "secret")));
    }

    /// For each caller, a collection has documents of others, or fields that are hidden, which another one has not.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "[{\"e.n\":1}]",
                "[{\"e.n\":{\"$gte\":2}}]",
                "[{\"e.n\":{\"$in\":[1,3]},\"e.q\":{\"$ne\":0}}]",
                "[{\"$or\":[{\"e.n\":1},{\"e.q\":{\"$gt\":1}}]}]",
                "[{\"e.tags\":{\"$elemMatch\":{\"$gt\":\"t1\"}}}]",
                "[{\"e.none\":{\"$exists\":false}}]"
            })
    void they_change_what_they_change_among_what_is_visible_alone(String filters) {
        for (var user : List.of("rows", "hiding")) {
            for (var change : List.of(
                    "{\"$set\":{\"items.$[e].q\":7}}",
                    "{\"$inc\":{\"items.$[e].q\":2},\"$unset\":{\"items.$[e].tags\":1}}",
                    "{\"$push\":{\"items.$[e].tags\":\"t9\"}}")) {
                var hidden = fill(user);
                for (var path : List.of("/*?filter=" + encode("{\"items.n\":{\"$gt\":0}}") + "&", "/d0?", "/d1?")) {
                    var target = path + "arrayFilters=" + encode(filters);
                    var all = gateway.user(user).patch("/c_all" + target, change);
                    var visible = gateway.as("admin").patch("/visible" + target, change);
                    assertThat(all.statusCode()).as(target).isEqualTo(visible.statusCode());
                    assertThat(shown("c_all", user)).as(target + change).isEqualTo(shown("visible", user));
                    assertThat(matched(all)).as(target + change).isEqualTo(matched(visible));
                }
                assertThat(hidden(user)).isEqualTo(hidden);
            }
        }
    }

    /// The report without the number of modified documents, of which callers with a rule are told that of matched ones.
    private static String matched(HttpResponse<String> answer) {
        return answer.body().replaceFirst("\"modified\": \\d+", "");
    }

    private static List<BsonDocument> fill(String user) {
        for (var name : List.of("c_all", "visible")) {
            gateway.collection(name).drop();
        }
        for (int i = 0; i < 6; i++) {
            var document = BsonDocument.parse("{_id: 'd" + i + "', owner: '" + (i % 2 == 0 ? "rows" : "bob")
                    + "', items: [{n: 1, q: 0, tags: ['t" + i + "'], secret: 1}, {n: 2, q: " + i
                    + ", tags: [], secret: 2}, {n: 3, q: 1, secret: 3}]}");
            gateway.collection("c_all").insertOne(document);
            if (user.equals("hiding")) {
                withoutSecrets(document);
            } else if (i % 2 != 0) {
                continue;
            }
            gateway.collection("visible").insertOne(document);
        }
        return hidden(user);
    }

    private static void withoutSecrets(BsonDocument document) {
        document.getArray("items").forEach(item -> item.asDocument().remove("secret"));
    }

    private static List<BsonDocument> shown(String collection, String user) {
        return documents(collection).stream()
                .filter(document -> user.equals("hiding")
                        || document.getString("owner").getValue().equals("rows"))
                .map(document -> {
                    withoutSecrets(document);
                    return document;
                })
                .toList();
    }

    /// Documents of others, or what is hidden of all.
    private static List<BsonDocument> hidden(String user) {
        return documents("c_all").stream()
                .filter(document -> user.equals("hiding")
                        || !document.getString("owner").getValue().equals("rows"))
                .map(document -> {
                    if (user.equals("hiding")) {
                        document.getArray("items")
                                .forEach(item -> item.asDocument().keySet().retainAll(List.of("secret")));
                    }
                    return document;
                })
                .toList();
    }

    private static List<BsonDocument> documents(String collection) {
        var all = gateway.collection(collection)
                .find()
                .sort(new BsonDocument("_id", new BsonInt32(1)))
                .into(new ArrayList<>());
        all.forEach(document -> document.remove("_etag"));
        return all;
    }

    @Test
    void they_lead_out_of_no_rule() {
        assertStatus(404, gateway.user("owning").patch("/c/x?" + FIRST, CHANGE));
        assertThat(gateway.user("owning")
                        .patch("/c/*?filter=" + encode("{\"_id\":\"x\"}") + "&" + FIRST, CHANGE)
                        .body())
                .contains("\"matched\": 0");
        assertStatus(400, gateway.user("merging").patch("/c/x?" + FIRST, CHANGE));
        assertThat(gateway.stored("c", "x")).isEqualTo(BsonDocument.parse(STORED));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "[]x", "[1]", "[{}]", "{\"e.n\":1}", "[{\"e.n\":1}"})
    void what_is_no_list_of_filters_is_refused(String filters) {
        assertStatus(400, gateway.as("admin").patch("/c/x?arrayFilters=" + encode(filters), CHANGE));
    }

    @ParameterizedTest
    @ValueSource(strings = {"[{\"other.n\":1},{\"e.n\":1}]", "[{\"other.n\":1}]", "[{\"e.n\":1},{\"e.q\":1}]"})
    void a_caller_with_a_rule_is_told_what_is_wrong_with_them_as_one_without(String filters) {
        for (var path : List.of("/c/x?", "/c/*?filter=" + encode("{\"_id\":\"x\"}") + "&")) {
            var target = path + "arrayFilters=" + encode(filters);
            var free = gateway.as("admin").patch(target, CHANGE);
            assertStatus(400, free);
            var ruled = gateway.user("hiding").patch(target, CHANGE);
            assertStatus(400, ruled);
            assertThat(ruled.body()).isEqualTo(free.body());
        }
    }

    @Test
    void what_they_do_not_fit_is_refused() {
        var admin = gateway.as("admin");
        assertStatus(400, admin.patch("/c/x?" + FIRST, "[{\"$set\":{\"a\":1}}]"));
        assertStatus(400, admin.patch("/c/x?" + FIRST, "{\"a\":1}"));
        assertStatus(400, admin.patch("/c/x?arrayFilters=" + encode("[{\"other.n\":1}]"), CHANGE));
        assertStatus(400, admin.patch("/c?" + FIRST, CHANGE));
        assertThat(gateway.stored("c", "x")).isEqualTo(BsonDocument.parse(STORED));
    }
}
