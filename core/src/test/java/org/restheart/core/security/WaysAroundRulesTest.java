package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.security.TestGateway.encode;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.IndexOptions;
import java.util.List;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Inconsistencies between checks: each test is a former vulnerability.
@WithMongo
class WaysAroundRulesTest {
    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "csvLoader: {enabled: true}\ngraphql: {db: $db, collection: apps}\n");
        gateway.addUsers(
                "manager",
                "forbidden",
                "listed",
                "equal",
                "merged",
                "shown",
                "hiding",
                "loader",
                "upserting",
                "references",
                "named",
                "renaming",
                "reading");
        gateway.permit("manager", "path-prefix('/users')", "{allowWriteMode: true}");
        gateway.permit("forbidden", "path-prefix('/w') and bson-request-blacklist(role)", "{allowWriteMode: true}");
        gateway.permit("listed", "path-prefix('/w') and bson-request-whitelist(x)", "{allowWriteMode: true}");
        gateway.permit("equal", "path-prefix('/w') and bson-request-prop-equals(key='a.b', value=@user._id)", "{}");
        gateway.permit(
                "merged",
                "path-prefix('/w') or path('/csv')",
                "{mergeRequest: {'meta.owner': '@user._id'}, allowManagementRequests: true}");
        gateway.permit("shown", "path-prefix('/s')", "{projectResponse: {_id: 1, 'a.b': 1}, allowWriteMode: true}");
        gateway.permit("hiding", "path-prefix('/s')", "{projectResponse: {secret: 0, _etag: 0}}");
        gateway.permit("reading", "path-prefix('/s')", "{readFilter: {open: 1}}");
        gateway.permit("upserting", "path('/u/asked')", "{allowWriteMode: true}");
        gateway.permit("references", "path-prefix('/s')", "{projectResponse: {'d.$id.x': 0, '.title': 0}}");
        gateway.permit("named", "path-prefix('/s')", "{projectResponse: {title: 1, 'd.x': 1}}");
        gateway.permit(
                "renaming",
                "path-prefix('/w') and bson-request-blacklist(_id)",
                "{allowBulkPatch: true, allowWriteMode: true}");
        gateway.permit("loader", "path('/csv')", "{allowManagementRequests: true}");
        gateway.insert("w", "{_id: 'd', meta: {x: 1}}");
        gateway.insert(
                "s",
                "{_id: 'list', a: [1, 2, 3], open: 1, secret: 'TOP', _etag: 'tag'}",
                "{_id: 'number', a: 7, open: 2, secret: 'LOW', _etag: 'tag'}",
                "{_id: 'object', a: {b: 1, c: 2}, open: 3, secret: 'LOW', _etag: 'tag'}");
        gateway.insert("apps");
        gateway.insert("u", "{_id: 'asked'}");
        gateway.collection("s")
                .createIndex(
                        BsonDocument.parse("{open: 1}"),
                        new IndexOptions().partialFilterExpression(BsonDocument.parse("{secret: 'TOP'}")));
    }

    /// MongoDB copies what a filter compares with into the document that an upsert makes.
    @Test
    void the_filter_of_an_upsert_cannot_assign_the_root_role() {
        for (var filter : List.of(
                "filter=" + encode("{\"roles\":[\"admin\"]}"),
                "shardkey=" + encode("{\"roles\":{\"$all\":[\"admin\"]}}"),
                "filter=" + encode("{\"$and\":[{\"roles\":{\"$eq\":\"admin\"}}]}"))) {
            for (var mode : List.of("wm=upsert", "writeMode=UPSERT", "wm=insert&writeMode=upsert")) {
                assertThat(gateway.user("manager")
                                .patch("/users/evil?" + mode + "&" + filter, "{\"password\":\"x\"}")
                                .statusCode())
                        .as(mode + " " + filter)
                        .isEqualTo(403);
            }
        }
        assertThat(gateway.stored("users", "evil")).isNull();
        assertStatus(
                201,
                gateway.user("manager")
                        .patch("/users/good?wm=upsert&filter=" + encode("{\"team\":\"red\"}"), "{\"password\":\"x\"}"));
    }

    @Test
    void rules_about_content_look_at_the_filter_of_an_upsert() {
        for (var caller : List.of("forbidden", "listed")) {
            for (var filter : List.of("{\"role\":\"boss\"}", "{\"$and\":[{\"role\":{\"$eq\":\"boss\"}}]}")) {
                assertThat(gateway.user(caller)
                                .patch("/w/new?wm=upsert&filter=" + encode(filter), "{\"x\":1}")
                                .statusCode())
                        .as(caller)
                        .isEqualTo(403);
            }
            assertStatus(
                    201,
                    gateway.user(caller)
                            .patch("/w/" + caller + "?wm=upsert&filter=" + encode("{\"x\":2}"), "{\"x\":1}"));
            assertStatus(
                    200,
                    gateway.user(caller)
                            .patch(
                                    "/w/" + caller + "?filter=" + encode("{\"role\":{\"$exists\":false}}"),
                                    "{\"x\":2}"));
        }
        assertThat(gateway.stored("w", "new")).isNull();
    }

    @Test
    void a_property_that_is_said_twice_equals_nothing() {
        var equal = gateway.user("equal");
        assertStatus(200, equal.patch("/w/d", "{\"a\":{\"b\":\"equal\"}}"));
        for (var second : List.of("[{\"b\":\"you\"}]", "{\"c\":1}", "5", "[]")) {
            assertThat(equal.patch("/w/d", "{\"a\":{\"b\":\"equal\"},\"$set\":{\"a\":" + second + "}}")
                            .statusCode())
                    .as(second)
                    .isEqualTo(403);
            assertThat(equal.patch("/w/d", "{\"$set\":{\"a\":" + second + "},\"a\":{\"b\":\"equal\"}}")
                            .statusCode())
                    .as(second)
                    .isEqualTo(403);
        }
        assertThat(gateway.stored("w", "d").getDocument("a")).isEqualTo(BsonDocument.parse("{b: 'equal'}"));
    }

    @Test
    void an_array_keeps_no_merged_value_out() {
        var merged = BsonDocument.parse("{owner: 'merged'}");
        gateway.insert("w", "{_id: 'm', meta: {x: 1}}");
        for (var change : List.of(
                "[{\"$set\":{\"meta\":[]}}]", "[{\"$replaceWith\":{\"meta\":[[]]}}]", "[{\"$unset\":\"meta\"}]")) {
            assertStatus(200, gateway.user("merged").patch("/w/m", change));
            assertThat(gateway.stored("w", "m").get("meta")).as(change).isEqualTo(merged);
        }
        assertStatus(200, gateway.user("merged").patch("/w/m", "[{\"$set\":{\"meta.x\":1}}]"));
        assertThat(gateway.stored("w", "m").getDocument("meta").get("owner")).isEqualTo(merged.get("owner"));
        assertThat(gateway.stored("w", "m").getDocument("meta").getNumber("x").intValue())
                .isEqualTo(1);
    }

    @Test
    void a_file_of_rows_gets_merged_values_where_they_belong() {
        var csv = gateway.user("merged").with("Content-Type", "text/csv");
        var target = "/csv?id=0&db=" + gateway.database().getName() + "&coll=w";
        assertStatus(200, csv.send("POST", target, "id,meta,meta.owner\nr1,5,you\n"));
        assertThat(gateway.stored("w", "r1").keySet()).containsExactlyInAnyOrder("_id", "meta", "_etag");
        assertThat(gateway.stored("w", "r1").get("meta")).isEqualTo(BsonDocument.parse("{owner: 'merged'}"));
        assertStatus(200, csv.send("POST", target + "&update=true", "id,meta\nr1,6\n"));
        assertThat(gateway.stored("w", "r1").get("meta")).isEqualTo(BsonDocument.parse("{owner: 'merged'}"));
    }

    @Test
    void a_file_of_rows_is_no_way_to_definitions_that_were_not_checked() {
        assertStatus(
                403,
                gateway.user("loader")
                        .with("Content-Type", "text/csv")
                        .send("POST", "/csv?id=0&db=" + gateway.database().getName() + "&coll=apps", "id,x\nbad,1\n"));
    }

    @Test
    void where_only_named_paths_are_shown_other_fields_are_not_revealed() {
        for (var filter : List.of(
                "{\"a\":{\"$size\":3}}",
                "{\"a\":{\"$type\":\"int\"}}",
                "{\"a\":{\"$exists\":true}}",
                "{\"a\":{\"$not\":{\"$type\":\"int\"}}}")) {
            assertThat(gateway.user("shown").get("/s?filter=" + encode(filter)).statusCode())
                    .as(filter)
                    .isEqualTo(403);
        }
        assertThat(gateway.user("shown")
                        .get("/s?filter=" + encode("{\"a.b\":{\"$exists\":true}}"))
                        .body())
                .contains("object")
                .doesNotContain("number");
    }

    @Test
    void an_empty_document_is_a_value_that_a_field_with_hidden_parts_is_not_compared_with() {
        gateway.insert("s", "{_id: 'empty', a: {}, open: 4}");
        for (var filter : List.of("{\"a\":{}}", "{\"a\":{\"$not\":{}}}", "{\"a\":{\"$all\":[{}]}}")) {
            assertThat(gateway.user("shown").get("/s?filter=" + encode(filter)).statusCode())
                    .as(filter)
                    .isEqualTo(403);
        }
    }

    /// Only in updates `$` is a position; `$id` of a reference and the empty name are names of fields.
    @Test
    void steps_that_are_no_positions_are_names() {
        gateway.insert(
                "s",
                "{_id: 'ref', title: 'open', '': {title: 'TOP'}, d: {$ref: 'users', $id: {x: 'TOP'}, x: 1}, open: 5}");
        for (var caller : List.of("references", "named")) {
            for (var filter : List.of(
                    "{\"d.$id.x\":\"TOP\"}", "{\".title\":\"TOP\"}", "{\"d\":{\"$elemMatch\":{\"$id.x\":1}}}")) {
                for (var path : List.of("/s?filter=", "/s/_size?filter=")) {
                    assertThat(gateway.user(caller).get(path + encode(filter)).statusCode())
                            .as(caller + " " + filter)
                            .isEqualTo(403);
                }
            }
            for (var sort : List.of("d.$id.x", ".title", "{\"d.$id.x\":1}")) {
                assertThat(gateway.user(caller).get("/s?sort=" + encode(sort)).statusCode())
                        .as(caller + " " + sort)
                        .isEqualTo(403);
            }
        }
        assertStatus(403, gateway.user("named").get("/s?filter=" + encode("{\"d.$.x\":1}")));
        assertThat(gateway.user("named")
                        .get("/s?filter=" + encode("{\"d.x\":1}"))
                        .body())
                .contains("open");
    }

    @Test
    void a_rule_about_ids_holds_for_those_that_a_bulk_upsert_takes_from_its_filter() {
        var caller = gateway.user("renaming");
        assertStatus(403, caller.patch("/w/*?wm=upsert&filter=" + encode("{\"_id\":\"chosen\",\"q\":1}"), "{\"x\":1}"));
        assertThat(gateway.stored("w", "chosen")).isNull();
        assertStatus(201, caller.patch("/w/free?wm=upsert&filter=" + encode("{\"q\":1}"), "{\"x\":1}"));
    }

    /// MongoDB takes the id of the document that it makes from the filter, unless it sees that nothing can match that.
    @Test
    void an_upsert_makes_no_document_of_another_id() {
        for (var filter :
                List.of("{\"a\":{\"$all\":[]}}", "{\"a\":{\"$in\":[]}}", "{\"$nor\":[{}]}", "{\"$expr\":false}")) {
            for (var change : List.of(
                    "[{\"$set\":{\"x\":1}}]",
                    "[{\"$replaceWith\":{\"x\":1}}]",
                    "[{\"$set\":{\"x\":1,\"_id\":\"other\"}}]",
                    "{\"x\":1}",
                    "{\"x\":1,\"$setOnInsert\":{\"_id\":\"other\"}}",
                    "{\"x\":1,\"$set\":{\"_id\":\"other\"}}")) {
                gateway.collection("u").deleteMany(new BsonDocument());
                var made = gateway.user("upserting")
                        .patch("/u/asked?wm=upsert&filter=" + encode(filter), change)
                        .statusCode();
                assertThat(gateway.collection("u").distinct("_id", String.class))
                        .as(filter + change + made)
                        .containsExactlyElementsOf(made == 400 ? List.of() : List.of("asked"));
                gateway.collection("u").deleteMany(new BsonDocument());
                gateway.insert("u", "{_id: 'asked', y: 1}");
                assertThat(gateway.user("upserting")
                                .patch("/u/asked?wm=upsert&filter=" + encode(filter), change)
                                .statusCode())
                        .isIn(400, 409);
                assertThat(gateway.collection("u").countDocuments()).isEqualTo(1);
            }
        }
    }

    @Test
    void a_hidden_tag_is_not_in_refusals() {
        var stale = gateway.user("hiding").with("If-Match", "x");
        for (var answer : List.of(
                stale.patch("/s/list", "{\"open\":1}"),
                stale.send("DELETE", "/s/list", ""),
                gateway.user("hiding").patch("/s/list?checkEtag", "{\"open\":1}"),
                gateway.user("shown").with("If-Match", "x").put("/s/list", "{\"a\":{\"b\":1}}"),
                gateway.user("reading").with("If-Match", "x").put("/s/number", "{\"a\":7}"),
                gateway.user("reading").with("If-Match", "x").patch("/s/number", "{\"a\":7}"),
                gateway.user("reading").patch("/s/number?checkEtag", "{\"a\":7}"),
                gateway.user("reading").with("If-Match", "x").send("DELETE", "/s/number", ""))) {
            assertThat(answer.statusCode()).isIn(409, 412);
            assertThat(answer.headers().firstValue("ETag")).isEmpty();
        }
    }

    @Test
    void no_hint_leads_to_an_index_that_leaves_out_documents_by_hidden_fields() {
        assertThat(statusOfHint("{\"open\":1}")).isEqualTo(403);
        assertThat(statusOfHint("{\"_id\":1}")).isEqualTo(200);
        assertThat(statusOfHint("{\"$natural\":1}")).isEqualTo(200);
    }

    private static int statusOfHint(String hint) {
        return gateway.user("hiding").get("/s?hint=" + encode(hint)).statusCode();
    }
}
