package org.restheart.rest.document;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.data.Access;
import org.restheart.rest.DataApi;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Clients that follow the links get every document once.
@WithMongo
class NextPageTest {
    private static final Pattern NEXT = Pattern.compile("<(\\?[^>]*)>; rel=\"next\"");
    private static final String[] VALUES = {
        "null", "true", "'x'", "1", "1.5", "{'$numberLong': '7'}", "{a: 1}", "{'$date': 0}", "{'$minKey': 1}", "'y'"
    };

    private final TestMongo mongo;
    private final DataApi api;

    NextPageTest(TestMongo mongo) {
        this.mongo = mongo;
        this.api = DataApi.over(mongo.client());
    }

    private void fill(String name, int documents) {
        var collection = mongo.database().getCollection(name, BsonDocument.class);
        collection.createIndex(BsonDocument.parse("{v: 1, n: -1, _id: 1}"));
        collection.insertMany(IntStream.range(0, documents)
                .mapToObj(i -> BsonDocument.parse("{_id: " + i + ", n: " + i % 4
                        + (i % 11 == 0 ? "" : ", v: " + VALUES[i % VALUES.length]) + "}"))
                .toList());
    }

    private String path(String collection) {
        return "GET /" + mongo.databaseName() + "/" + collection;
    }

    private static Optional<String> next(DataApi.Answer page) {
        return page.header("Link").map(link -> {
            var matcher = NEXT.matcher(link);
            assertThat(matcher.matches()).as(link).isTrue();
            return matcher.group(1);
        });
    }

    private static Stream<BsonValue> ids(DataApi.Answer page) {
        assertThat(page.status()).as(page.text()).isEqualTo(200);
        return page.json() == null
                ? Stream.of()
                : page.json().asArray().stream()
                        .map(document -> document.asDocument().get("_id"));
    }

    private List<BsonValue> walk(DataApi api, String path, String query) {
        var seen = new ArrayList<BsonValue>();
        var target = Optional.of(query);
        while (target.isPresent()) {
            var page = api.send(path + target.get());
            ids(page).forEach(seen::add);
            target = next(page);
        }
        return seen;
    }

    private List<BsonValue> inOrder(String name, String filter, String sort) {
        return mongo.database()
                .getCollection(name, BsonDocument.class)
                .find(BsonDocument.parse(filter))
                .sort(BsonDocument.parse(sort))
                .map(document -> document.get("_id"))
                .into(new ArrayList<>());
    }

    @ParameterizedTest
    @ValueSource(strings = {"{_id: -1}", "{_id: 1}", "{v: 1, n: -1, _id: 1}", "{v: -1, n: 1, _id: -1}"})
    void a_walk_sees_every_document_once_and_in_order(String sort) {
        fill("walked" + Math.abs(sort.hashCode()), 300);
        var name = "walked" + Math.abs(sort.hashCode());
        assertThat(walk(api, path(name), "?pagesize=7&sort=" + sort)).isEqualTo(inOrder(name, "{}", sort));
        assertThat(walk(api, path(name), "?pagesize=7&filter={\"n\":{\"$gt\":1}}&sort=" + sort))
                .isEqualTo(inOrder(name, "{n: {$gt: 1}}", sort));
    }

    @Test
    void a_walk_reads_each_key_of_the_index_once() {
        fill("counted", 10_000);
        var commands = TestMongo.profiled(
                mongo.database(),
                "{ns: '" + mongo.databaseName() + ".counted'}",
                () -> assertThat(walk(api, path("counted"), "?pagesize=100"))
                        .hasSize(10_000)
                        .doesNotHaveDuplicates());
        long examined = commands.stream()
                .mapToLong(entry ->
                        entry.getNumber("keysExamined", new BsonInt32(0)).longValue())
                .sum();
        // one key more per page; skipping would read half a million
        assertThat(examined).isBetween(10_000L, 10_300L);
    }

    @Test
    void documents_that_come_and_go_elsewhere_neither_repeat_nor_hide_any() {
        fill("changing", 50);
        var collection = mongo.database().getCollection("changing", BsonDocument.class);
        var first = api.send(path("changing") + "?pagesize=10&sort=_id");
        collection.deleteMany(BsonDocument.parse("{_id: {$lt: 10}}")); // also the one the link is about
        collection.insertOne(BsonDocument.parse("{_id: -1}"));
        var second = api.send(path("changing") + next(first).orElseThrow());
        assertThat(ids(second))
                .containsExactlyElementsOf(inOrder("changing", "{_id: {$gte: 10, $lt: 20}}", "{_id: 1}"));
    }

    private static Access reads(String filter) {
        return new Access.RowPolicy(
                Set.of(),
                Optional.of(BsonDocument.parse(filter)),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false);
    }

    @Test
    void the_filter_of_an_access_rule_stays_in_force() {
        fill("ruled", 60);
        var even = api.with(reads("{n: {$in: [0, 2]}}"));
        var odd = api.with(reads("{n: {$in: [1, 3]}}"));
        assertThat(walk(even, path("ruled"), "?pagesize=5"))
                .isEqualTo(inOrder("ruled", "{n: {$in: [0, 2]}}", "{_id: -1}"));
        var othersLink = next(odd.send(path("ruled") + "?pagesize=5")).orElseThrow();
        assertThat(ids(even.send(path("ruled") + othersLink))).isSubsetOf(inOrder("ruled", "{n: {$in: [0, 2]}}", "{}"));
    }

    /// For pages that are found by bookmarks.
    @ParameterizedTest
    @ValueSource(strings = {"", "&eager=linear", "&cache"})
    void deep_pages_of_callers_with_different_filters_have_nothing_in_common(String parameters) {
        var name = "deep" + parameters.length();
        fill(name, 5_000);
        for (int i = 0; i < 20; i++) {
            for (int n = 0; n < 4; n++) {
                var page = api.with(reads("{n: " + n + "}")).send(path(name) + "?pagesize=4&page=260" + parameters);
                assertThat(ids(page))
                        .isEqualTo(inOrder(name, "{n: " + n + "}", "{_id: -1}").subList(1_036, 1_040));
            }
        }
    }

    @Test
    void a_link_keeps_the_other_parameters() {
        fill("kept", 20);
        var page = api.send(path("kept") + "?page=2&keys=%7B%22v%22%3A1%7D&pagesize=3&np");
        assertThat(next(page).orElseThrow()).startsWith("?keys=%7B%22v%22%3A1%7D&pagesize=3&np&after=");
    }

    @ParameterizedTest
    @ValueSource(strings = {"?pagesize=21", "?pagesize=0", "?sort=v", "?keys={\"_id\":0}", "?sort={\"n\":1,\"_id\":1}"})
    void there_is_no_link_if_nothing_follows_or_no_index_tells_what(String query) {
        fill("none" + Math.abs(query.hashCode()), 20);
        var page = api.send(path("none" + Math.abs(query.hashCode())) + query);
        assertThat(page.header("Link")).isEmpty();
    }

    @Test
    void an_array_in_the_sort_means_pages_by_number() {
        fill("arrays", 20);
        mongo.database()
                .getCollection("arrays", BsonDocument.class)
                .insertOne(BsonDocument.parse("{_id: 99, v: [1, 2], n: 1}"));
        assertThat(api.send(path("arrays") + "?pagesize=2&sort={\"v\":1,\"n\":-1,\"_id\":1}")
                        .header("Link"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "{}", "[1]", "{'a': 1}", "{'_id': [1]}", "{'_id': 1, 'a': 2}", "{'_id': "})
    void what_is_no_key_of_the_sort_is_refused(String json) {
        var name = "refused" + Math.abs(json.hashCode());
        fill(name, 3);
        var token = Base64.getUrlEncoder().encodeToString(json.getBytes(StandardCharsets.UTF_8));
        var refused = api.send(path(name) + "?after=" + URLEncoder.encode(token, StandardCharsets.UTF_8));
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.message()).startsWith("illegal after parameter");
    }

    @Test
    void a_key_without_an_index_or_with_a_page_is_refused() {
        fill("unindexed", 3);
        var token = Base64.getUrlEncoder().encodeToString("{'n': 1, '_id': 1}".getBytes(StandardCharsets.UTF_8));
        assertThat(api.send(path("unindexed") + "?sort={\"n\":1,\"_id\":1}&after=" + token)
                        .message())
                .startsWith("after needs a sort by the fields of an index");
        assertThat(api.send(path("unindexed") + "?page=2&after=" + token).message())
                .isEqualTo("the parameters after and page exclude each other");
        assertThat(api.send(path("unindexed") + "?after=" + "a".repeat(5_000)).status())
                .isEqualTo(400);
    }
}
