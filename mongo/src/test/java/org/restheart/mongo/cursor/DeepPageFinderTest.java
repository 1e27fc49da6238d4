package org.restheart.mongo.cursor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Collation;
import com.mongodb.client.model.IndexOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.conversions.Bson;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.Shortcuts;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Every answer is compared with that of MongoDB's own skip.
@WithMongo
class DeepPageFinderTest {
    private static final int WIDTH = 50;
    private static final int DOCUMENTS = 1_000;

    /// Several types, with ties, in an order that is not that of the ids.
    private static final String[] VALUES = {
        "null",
        "true",
        "'x'",
        "'y'",
        "1",
        "1.5",
        "{'$numberLong': '7'}",
        "{a: 1}",
        "{'$date': 0}",
        "{'$minKey': 1}",
        "{'$oid': '65f0c0ffee00000000000001'}",
        "{'$maxKey': 1}",
        "{'$binary': {base64: 'AAE=', subType: '00'}}"
    };

    private final TestMongo mongo;
    private final BookmarkFixture fixture;

    DeepPageFinderTest(TestMongo mongo) {
        this.mongo = mongo;
        this.fixture = new BookmarkFixture(mongo, WIDTH, 1 << 22);
    }

    private MongoCollection<BsonDocument> collection(String name) {
        return mongo.database().getCollection(name, BsonDocument.class);
    }

    private MongoCollection<BsonDocument> filled(String name) {
        var collection = collection(name);
        var all = new ArrayList<BsonDocument>();
        var random = new Random(7);
        for (int i = 0; i < DOCUMENTS; i++) {
            var value = VALUES[random.nextInt(VALUES.length)];
            all.add(BsonDocument.parse("{_id: " + i + ", n: " + i % 10 + ", s: {d: " + i % 7 + "}"
                    + (i % 11 == 0 ? "" : ", v: " + value) + "}"));
        }
        collection.insertMany(all);
        return collection;
    }

    /// Asks until bookmarks are set and used.
    private void warmUp(FindQuery query) {
        double built = fixture.count("cursor_pool_builds", "outcome", "complete");
        await().until(() -> {
            fixture.read(query.slice(WIDTH, 1));
            return fixture.count("cursor_pool_builds", "outcome", "complete") > built;
        });
        double hits = fixture.count("cursor_pool_pages", "outcome", "hit");
        fixture.read(query.slice(WIDTH, 1));
        assertThat(fixture.count("cursor_pool_pages", "outcome", "hit")).isEqualTo(hits + 1);
    }

    private void every_page_is_that_of_skip(FindQuery query) {
        var all = fixture.skipped(query);
        var random = new Random(3);
        for (int i = 0; i < 60; i++) {
            int from = WIDTH + random.nextInt(all.size() + 20 - WIDTH);
            int size = 1 + random.nextInt(30);
            assertThat(fixture.read(query.slice(from, size)))
                    .as("%d documents from %d on", size, from)
                    .isEqualTo(all.subList(Math.min(from, all.size()), Math.min(from + size, all.size())));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{_id: 1}",
                "{_id: -1}",
                "{v: 1, _id: 1}",
                "{v: -1, _id: -1}",
                "{v: 1, _id: -1}",
                "{v: -1, _id: 1}",
                "{'s.d': 1, n: -1, _id: 1}",
                "{'s.d': -1, n: 1, _id: -1}"
            })
    void pages_are_those_of_skip_in_every_order_that_an_index_has(String sort) {
        var name = "orders" + Integer.toHexString(sort.hashCode());
        var collection = filled(name);
        collection.createIndex(BsonDocument.parse("{v: 1, _id: 1}"));
        collection.createIndex(BsonDocument.parse("{v: 1, _id: -1}"));
        collection.createIndex(BsonDocument.parse("{'s.d': 1, n: -1, _id: 1}"));
        var query = fixture.query(name, "{}", sort);
        warmUp(query);
        every_page_is_that_of_skip(query);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{_id: 1}", "{_id: -1}", "{v: -1, _id: -1}"})
    void pages_of_a_filter_are_those_of_skip(String sort) {
        var name = "filters" + Integer.toHexString(sort.hashCode());
        filled(name).createIndex(BsonDocument.parse("{v: 1, _id: 1}"));
        var query = fixture.query(name, "{n: {$in: [1, 2, 3]}}", sort);
        warmUp(query);
        every_page_is_that_of_skip(query);
    }

    @Test
    void a_projection_shows_what_it_would_show_and_nothing_else() {
        filled("projections");
        for (var keys : List.of("{n: 1}", "{_id: 0, n: 1}", "{_id: '$n'}", "{v: 0}")) {
            var all = fixture.query("projections", "{}", "{_id: -1}");
            var query = new FindQuery(
                    all.namespace(),
                    all.filter(),
                    new Projection(new BsonDocument(), BsonDocument.parse(keys)),
                    all.sort(),
                    all.hint(),
                    0,
                    0,
                    all.settings(),
                    all.shortcuts());
            if (keys.equals("{n: 1}")) {
                warmUp(query);
            }
            every_page_is_that_of_skip(query);
        }
    }

    @Test
    void callers_with_different_filters_share_no_bookmarks() {
        filled("tenants");
        var one = fixture.query("tenants", "{n: 1}", "{_id: 1}");
        var other = fixture.query("tenants", "{n: {$gt: 1}}", "{_id: 1}");
        warmUp(one);
        warmUp(other);
        assertThat(fixture.read(one.slice(WIDTH, 100)))
                .isNotEmpty()
                .allMatch(document -> document.getInt32("n").getValue() == 1);
        every_page_is_that_of_skip(one);
        every_page_is_that_of_skip(other);
    }

    @Test
    void by_default_pages_are_exact_at_every_moment() {
        var collection = filled("exact");
        var query = fixture.query("exact", "{}", "{_id: 1}").with(Shortcuts.NONE);
        for (int i = 0; i < 5; i++) {
            assertThat(fixture.read(query.slice(500, 5))).isEqualTo(fixture.skipped(query.slice(500, 5)));
            collection.deleteOne(new BsonDocument("_id", new BsonInt32(i)));
        }
        assertThat(fixture.count("cursor_pool_pages", "outcome", "hit")).isZero();
    }

    private void no_bookmarks_are_set(FindQuery query) {
        double unfit = fixture.count("cursor_pool_builds", "outcome", "unfit");
        await().until(() -> {
            assertThat(fixture.read(query.slice(500, 5))).isEqualTo(fixture.skipped(query.slice(500, 5)));
            return fixture.count("cursor_pool_builds", "outcome", "unfit") > unfit;
        });
        assertThat(fixture.read(query.slice(500, 5))).isEqualTo(fixture.skipped(query.slice(500, 5)));
        assertThat(fixture.count("cursor_pool_pages", "outcome", "hit")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{v: 1}", "{v: 1, _id: -1}", "{n: 1, _id: 1}"})
    void an_order_that_is_not_total_or_has_no_index_is_left_to_mongodb(String sort) {
        var name = "unfit" + Integer.toHexString(sort.hashCode());
        filled(name).createIndex(BsonDocument.parse("{v: 1, _id: 1}"));
        no_bookmarks_are_set(fixture.query(name, "{}", sort));
    }

    private void an_index_is_not_used(String name, Bson keys, IndexOptions options) {
        collection(name).createIndex(keys, options);
        no_bookmarks_are_set(fixture.query(name, "{}", "{n: 1, _id: 1}"));
    }

    @Test
    void an_index_that_leaves_documents_out_is_not_used() {
        filled("partial");
        an_index_is_not_used(
                "partial",
                BsonDocument.parse("{n: 1, _id: 1}"),
                new IndexOptions().partialFilterExpression(BsonDocument.parse("{n: {$gt: 3}}")));
    }

    @Test
    void an_index_with_a_collation_is_not_used() {
        filled("collated");
        an_index_is_not_used(
                "collated",
                BsonDocument.parse("{n: 1, _id: 1}"),
                new IndexOptions().collation(Collation.builder().locale("de").build()));
    }

    @Test
    void an_index_with_several_keys_for_a_document_is_not_used() {
        filled("arrays").insertOne(BsonDocument.parse("{_id: -1, n: [3, 8]}"));
        an_index_is_not_used("arrays", BsonDocument.parse("{n: 1, _id: 1}"), new IndexOptions());
    }

    @Test
    void a_dropped_index_costs_the_shortcut_and_not_the_answer() {
        var collection = filled("dropped");
        var name = collection.createIndex(BsonDocument.parse("{n: 1, _id: 1}"));
        var query = fixture.query("dropped", "{}", "{n: 1, _id: 1}");
        warmUp(query);
        collection.dropIndex(name);
        assertThat(fixture.read(query.slice(500, 5))).isEqualTo(fixture.skipped(query.slice(500, 5)));
    }

    @Test
    void a_view_is_left_to_mongodb() {
        filled("viewed");
        mongo.database().createView("view", "viewed", List.of(BsonDocument.parse("{$match: {n: {$lt: 9}}}")));
        var query = fixture.query("view", "{}", "{_id: 1}");
        await().until(() -> {
            assertThat(fixture.read(query.slice(500, 5))).isEqualTo(fixture.skipped(query.slice(500, 5)));
            return fixture.count("cursor_pool_builds", "outcome", "unfit") > 0;
        });
        assertThat(fixture.read(query.slice(500, 5))).isEqualTo(fixture.skipped(query.slice(500, 5)));
    }

    @Test
    void no_more_queries_are_remembered_than_the_bound() {
        filled("many");
        for (int i = 0; i < 100; i++) {
            fixture.read(
                    fixture.query("many", "{n: {$gte: -" + i + "}}", "{_id: 1}").slice(500, 1));
        }
        await().until(() ->
                fixture.registry().get("cursor_pool_queries").gauge().value() <= 20);
        assertThat(fixture.registry().get("cursor_pool_evictions").counter().count())
                .isGreaterThanOrEqualTo(80);
    }

    /// With their values, which may be much more than the bookmarks.
    @Test
    void fewer_large_queries_are_remembered() {
        filled("large");
        for (int i = 0; i < 10; i++) {
            var values = IntStream.range(0, 20_000).mapToObj(Integer::toString).collect(Collectors.joining(","));
            fixture.read(fixture.query(
                            "large",
                            "{n: {$nin: [-" + (i + 1) + "," + values.replace(",", "000000,") + "]}}",
                            "{_id: 1}")
                    .slice(500, 1));
        }
        await().untilAsserted(() -> assertThat(
                        fixture.registry().get("cursor_pool_queries").gauge().value())
                .isBetween(1.0, 6.0));
    }
}
