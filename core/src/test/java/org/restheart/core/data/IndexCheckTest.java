package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.security.TestGateway.encode;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.IndexOptions;
import com.mongodb.client.model.Indexes;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// `require-index` and `mongo.requireIndex`: queries that read a whole large collection, or sort it in memory.
@WithMongo
class IndexCheckTest {
    private static final String MATCH = "{\"stages\":[{\"$match\":{\"shop\":\"s7\"}}]}";

    @AutoClose
    private static TestGateway refusing;

    @AutoClose
    private static TestGateway open;

    @BeforeAll
    static void start(TestMongo mongo) {
        refusing = TestGateway.startWithData(mongo, "require-index: refuse, require-index-above: 100,");
        open = TestGateway.startWithData(mongo, "require-index: warn, require-index-above: 100,");
        for (var gateway : List.of(refusing, open)) {
            gateway.addUsers("bound", "rows", "manager");
            gateway.permit("bound", "path-prefix('/')", "{requireIndex: true, allowBulkDelete: true}");
            gateway.permit("rows", "path-prefix('/')", "{readFilter: {owner: 'ada'}}");
            gateway.permit(
                    "manager",
                    "path-prefix('/')",
                    "{requireIndex: true, allowManagementRequests: true, projectResponse: {hidden: 0}}");
        }
    }

    @BeforeEach
    void fill() {
        for (var gateway : List.of(refusing, open)) {
            for (var name : List.of("sales", "few")) {
                assertThat(gateway.as("admin").put("/" + name, "").statusCode()).isLessThan(300);
                gateway.collection(name).dropIndexes();
                gateway.collection(name).deleteMany(new BsonDocument());
                gateway.collection(name)
                        .insertMany(IntStream.range(0, name.equals("few") ? 50 : 300)
                                .mapToObj(i ->
                                        BsonDocument.parse("{_id: " + i + ", owner: '" + (i % 2 == 0 ? "ada" : "bob")
                                                + "', shop: 's" + i % 20 + "', n: " + i + ", day: " + i % 7
                                                + ", text: 'a bell', at: ["
                                                + i % 90 + ", 1]}"))
                                .toList());
            }
            assertStatus(200, gateway.as("admin").patch("/sales", """
                {"aggrs": [{"uri": "shop", "stages": [{"$match": {"shop": "s1"}}]},
                           {"uri": "sum", "stages": [{"$group": {"_id": null, "n": {"$sum": 1}}}]}]}\
                """)); // which also lets go of what is known of plans
        }
    }

    private static String filter(String json) {
        return "filter=" + encode(json);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/sales?filter={\"shop\":\"s1\"}",
                "/sales?filter={\"shop\":\"s1\"}&sort={}",
                "/sales?filter={\"shop\":\"s1\"}&rep=HAL",
                "/sales?sort=n",
                "/sales?filter={\"_id\":{\"$gt\":1}}&sort=day",
                "/sales/_size?filter={\"shop\":\"s1\"}",
                "/sales?filter={\"$or\":[{\"_id\":1},{\"shop\":\"s1\"}]}",
                "/sales?filter={\"$expr\":{\"$eq\":[\"$shop\",\"s1\"]}}",
                "/sales/_aggrs/shop",
                "/sales/_aggrs/sum",
            })
    void what_no_index_serves_is_refused_for_large_collections(String target) {
        var query = target.replace("{", "%7B")
                .replace("}", "%7D")
                .replace("\"", "%22")
                .replace("[", "%5B")
                .replace("]", "%5D");
        refused(refusing.as("admin").get(query));
        var warned = open.as("admin").get(query);
        assertStatus(200, warned);
        assertThat(warned.headers().firstValue("Warning").orElse("")).as(query).contains("index");
        refused(open.user("bound").get(query));
        if (!query.contains("_aggrs")) {
            var few = refusing.as("admin").get(query.replace("/sales", "/few"));
            assertStatus(200, few);
            assertThat(few.headers().firstValue("Warning")).isEmpty();
        }
    }

    private static void refused(HttpResponse<String> answer) {
        assertStatus(400, answer);
        assertThat(answer.body()).containsAnyOf("would read the whole collection", "would sort in memory");
    }

    @Test
    void exports_and_bulk_writes_and_pipelines_too() {
        var shop = filter("{\"shop\":\"s1\"}");
        refused(refusing.as("admin").with("Accept", "application/x-ndjson").get("/sales?" + shop));
        refused(refusing.as("admin").patch("/sales/*?" + shop, "{\"n\":1}"));
        refused(refusing.as("admin").delete("/sales/*?" + shop));
        refused(refusing.as("admin").post("/sales/_aggrs", MATCH));
        refused(open.user("bound").delete("/sales/*?" + shop));
        assertThat(refusing.collection("sales").countDocuments()).isEqualTo(300);
        assertThat(refusing.collection("sales").countDocuments(BsonDocument.parse("{n: 1, shop: 's1'}")))
                .isEqualTo(1);
    }

    @Test
    void what_an_index_serves_is_answered() {
        var admin = refusing.as("admin");
        var sales = refusing.collection("sales");
        for (var target : List.of(
                "/sales",
                "/sales?count",
                "/sales/_size",
                "/sales?sort=-_id&page=2",
                "/sales?sort=%7B%7D",
                "/sales?" + filter("{\"_id\":7}"),
                "/sales/7?id_type=NUMBER&" + filter("{\"shop\":\"s7\"}"))) {
            assertStatus(200, admin.get(target));
        }
        assertStatus(200, admin.with("Accept", "text/csv").get("/sales"));
        sales.createIndex(Indexes.ascending("shop"));
        sales.createIndex(Indexes.compoundIndex(Indexes.ascending("owner"), Indexes.descending("n")));
        sales.createIndex(Indexes.text("text"));
        sales.createIndex(Indexes.geo2dsphere("at"));
        for (var target : List.of(
                "/sales?" + filter("{\"shop\":\"s1\"}"),
                "/sales?" + filter("{\"shop\":\"s1\"}") + "&count&rep=HAL",
                "/sales/_size?" + filter("{\"shop\":{\"$in\":[\"s1\",\"s2\"]}}"),
                "/sales?" + filter("{\"shop\":{\"$gt\":\"a\"}}"),
                "/sales?sort=-n&" + filter("{\"owner\":\"ada\"}"),
                "/sales?" + filter("{\"shop\":\"s1\",\"day\":3}"),
                "/sales?" + filter("{\"$text\":{\"$search\":\"bell\"}}"),
                "/sales?sort=n&" + filter("{\"at\":{\"$geoWithin\":{\"$centerSphere\":[[1,1],0.1]}}}"),
                "/sales?" + filter("{\"at\":{\"$near\":{\"$geometry\":{\"type\":\"Point\",\"coordinates\":[1,1]}}}}"),
                "/sales/_aggrs/shop")) {
            assertStatus(200, admin.get(target));
        }
        assertStatus(200, admin.patch("/sales/*?" + filter("{\"_id\":{\"$exists\":true}}"), "{\"seen\":1}"));
        assertStatus(200, admin.delete("/sales/*?" + filter("{\"shop\":\"s3\"}")));
        assertStatus(200, admin.post("/sales/_aggrs", MATCH));
        assertStatus(200, admin.post("/sales/_aggrs", "{\"stages\":[{\"$limit\":3},{\"$sort\":{\"day\":1}}]}"));
        assertStatus(
                200,
                admin.post(
                        "/sales/_aggrs",
                        "{\"stages\":[{\"$match\":{\"shop\":\"s7\"}},{\"$group\":{\"_id\":\"$day\"}},"
                                + "{\"$sort\":{\"_id\":1}}]}"));
    }

    @Test
    void the_rule_is_a_part_of_the_query() {
        refused(refusing.user("rows").get("/sales"));
        var sales = refusing.collection("sales");
        sales.createIndex(Indexes.ascending("owner"));
        // the refusal is kept for a moment, unless the gateway makes the index
        assertStatus(200, refusing.as("admin").patch("/few", "{\"descr\": \"changed\"}"));
        assertStatus(200, refusing.user("rows").get("/sales"));
        assertStatus(200, refusing.user("rows").get("/sales?" + filter("{\"text\":{\"$regex\":\"l$\"}}")));
        refused(refusing.user("rows").get("/sales?sort=n"));
    }

    @Test
    void embedded_documents_are_a_query_of_their_collection() {
        assertThat(open.as("admin").put("/shops", """
            {"rels": [{"rel": "sales", "type": "ONE_TO_MANY", "role": "INVERSE", "target-coll": "sales", "ref-field": "shop"}]}\
            """).statusCode()).isLessThan(300);
        open.collection("shops").deleteMany(new BsonDocument());
        open.insert("shops", "{_id: 's1'}");
        refused(open.user("bound").get("/shops?embed=sales"));
        assertThat(open.user("bound").get("/shops?embed=sales").body()).contains("embed 'sales'");
        var warned = open.as("admin").get("/shops?embed=sales");
        assertStatus(200, warned);
        assertThat(warned.headers().firstValue("Warning").orElse("")).contains("index");
        assertThat(open.user("manager").get("/shops?embed=sales").body())
                .contains("make the index {'keys': {'shop': 1");
        assertStatus(201, open.user("manager").put("/sales/_indexes/shop", "{\"keys\": {\"shop\": 1}}"));
        var found = open.user("bound").get("/shops?embed=sales");
        assertStatus(200, found);
        assertThat(found.body()).contains("\"_embedded\"", "\"shop\": \"s1\"");
    }

    /// The collection of the request is small. Pipelines that differ in what they join have verdicts of their own.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{$lookup: {from: '%s', localField: 'shop', foreignField: 'shop', as: 'x'}}",
                "{$lookup: {from: '%s', let: {s: '$shop'}, as: 'x', pipeline: [{$match: {$expr: {$eq: ['$shop',"
                        + " '$$s']}}}]}}",
                "{$lookup: {from: 'few', as: 'x', pipeline: ["
                        + "{$lookup: {from: '%s', localField: 'shop', foreignField: 'shop', as: 'y'}}]}}",
                "{$graphLookup: {from: '%s', startWith: '$shop', connectFromField: 'n', connectToField: 'shop', as:"
                        + " 'x'}}",
                "{$unionWith: {coll: '%s', pipeline: [{$match: {shop: 's1'}}]}}",
                "{$facet: {x: [{$unionWith: {coll: '%s', pipeline: [{$match: {shop: 's1'}}]}}]}}",
            })
    void what_pipelines_read_of_other_collections_needs_an_index_too(String stage) {
        for (var gateway : List.of(refusing, open)) {
            assertStatus(
                    200,
                    gateway.as("admin")
                            .patch(
                                    "/few",
                                    new BsonDocument(
                                                    "aggrs",
                                                    BsonArray.parse(
                                                            "[{uri: 'small', stages: [%s]}, {uri: 'large', stages: [%s]}]"
                                                                    .formatted(
                                                                            stage.formatted("few"),
                                                                            stage.formatted("sales"))))
                                            .toJson()));
        }
        assertStatus(200, refusing.as("admin").get("/few/_aggrs/small"));
        refused(refusing.as("admin").get("/few/_aggrs/large"));
        var warned = open.as("admin").get("/few/_aggrs/large");
        assertStatus(200, warned);
        assertThat(warned.headers().firstValue("Warning").orElse("")).contains("index");
        assertThat(open.user("manager").get("/few/_aggrs/large").body())
                .contains(
                        stage.contains("$expr")
                                ? "would read the whole collection"
                                : "make the index {'keys': {'shop': 1}} of 'sales'");
        assertStatus(201, refusing.user("manager").put("/sales/_indexes/shop", "{\"keys\": {\"shop\": 1}}"));
        assertStatus(200, refusing.as("admin").get("/few/_aggrs/large"));
    }

    @Test
    void the_index_to_make_is_named_to_whom_may_see_indexes() {
        var query = "/sales?sort=-n&" + filter("{\"day\":{\"$gt\":2},\"shop\":\"s1\",\"owner\":{\"$in\":[\"ada\"]}}");
        assertThat(open.user("manager").get(query).body())
                .contains("make the index {'keys': {'shop': 1, 'owner': 1, 'n': -1, 'day': 1}}");
        assertThat(open.user("bound").get(query).body()).doesNotContain("day");
        var made = open.user("manager").put("/sales/_indexes/esr", """
            {"keys": {"shop": 1, "owner": 1, "n": -1, "day": 1}}\
            """);
        assertStatus(201, made);
        assertStatus(200, open.user("manager").get(query));
        assertStatus(204, open.user("manager").delete("/sales/_indexes/esr"));
        refused(open.user("manager").get(query));
    }

    @Test
    void the_index_that_is_named_has_the_collation_of_the_query() {
        var query = "/sales?sort=day&" + filter("{\"shop\":\"S1\"}") + "&collation="
                + encode("{\"locale\":\"en\",\"strength\":2}");
        var refusal = open.user("manager").get(query);
        refused(refusal);
        var message = BsonDocument.parse(refusal.body()).getString("message").getValue();
        var index = message.substring(message.indexOf('{')).replace('\'', '"');
        assertStatus(201, open.user("manager").put("/sales/_indexes/named", index));
        var found = open.user("manager").get(query);
        assertStatus(200, found);
        assertThat(found.body()).contains("\"shop\": \"s1\"");
    }

    /// MongoDB reads the index of `_id` nevertheless, as if it were as good.
    @Test
    void the_index_that_is_named_is_enough_where_only_the_order_can_use_it() {
        var query = "/sales?sort=_id&" + filter("{\"text\":{\"$regex\":\"ell\"}}");
        assertThat(open.user("manager").get(query).body()).contains("make the index {'keys': {'_id': 1, 'text': 1}}");
        assertStatus(201, open.user("manager").put("/sales/_indexes/named", "{\"keys\": {\"_id\": 1, \"text\": 1}}"));
        assertStatus(200, open.user("manager").get(query));
    }

    @Test
    void a_plan_is_asked_for_once_per_shape() {
        refusing.collection("sales").createIndex(Indexes.ascending("shop"));
        var explained = TestMongo.profiled(refusing.database(), "{'command.explain': {$exists: true}}", () -> {
            for (int i = 0; i < 20; i++) {
                var client = refusing.as("admin");
                assertStatus(200, client.get("/sales?pagesize=" + (i + 1) + "&" + filter("{\"shop\":\"s" + i + "\"}")));
                assertStatus(
                        200, client.get("/sales?" + filter("{\"shop\":{\"$in\":[" + "\"a\",".repeat(i) + "\"b\"]}}")));
                refused(client.get("/sales?" + filter("{\"day\":" + i + "}")));
            }
        });
        assertThat(explained).hasSize(3);
    }

    @Test
    void an_index_of_some_documents_serves_some_values() {
        var partial = new IndexOptions().partialFilterExpression(BsonDocument.parse("{shop: 's1'}"));
        refusing.collection("sales").createIndex(Indexes.ascending("shop"), partial);
        for (int i = 0; i < 2; i++) {
            refused(refusing.as("admin").get("/sales?" + filter("{\"shop\":\"s2\"}")));
            assertStatus(200, refusing.as("admin").get("/sales?" + filter("{\"shop\":\"s1\"}")));
        }
    }

    @Test
    void a_sparse_index_serves_what_exists() {
        refusing.collection("sales").createIndex(Indexes.ascending("seen"), new IndexOptions().sparse(true));
        for (int i = 0; i < 2; i++) {
            assertStatus(200, refusing.as("admin").get("/sales?" + filter("{\"seen\":{\"$exists\":true}}")));
            refused(refusing.as("admin").get("/sales?" + filter("{\"seen\":{\"$exists\":false}}")));
        }
    }

    @Test
    void an_index_that_is_made_elsewhere_helps_soon() {
        var query = "/sales?" + filter("{\"day\":4}");
        refused(refusing.as("admin").get(query));
        refusing.collection("sales").createIndex(Indexes.ascending("day"));
        await().until(() -> refusing.as("admin").get(query).statusCode() == 200);
    }
}
