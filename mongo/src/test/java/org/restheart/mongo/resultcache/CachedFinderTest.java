package org.restheart.mongo.resultcache;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoCollection;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.mongo.DataApi;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.find.FindQuery;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.find.Shortcuts;
import org.restheart.mongo.find.Shortcuts.Bookmarking;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.mongo.resultcache.CachedFinder.CachedRanges;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class CachedFinderTest {
    private static final Shortcuts CACHE = new Shortcuts(Bookmarking.NONE, true);

    private final TestMongo mongo;
    private final DriverFinder documents;
    private final WriteCounters writes = new WriteCounters();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    CachedFinderTest(TestMongo mongo) {
        this.mongo = mongo;
        this.documents = new DriverFinder(mongo.client());
    }

    private CachedFinder finder(int size, Duration ttl, long bytes) {
        return new CachedFinder(documents, new ResultCacheConfig(true, size, ttl, 1_000, bytes), writes, registry);
    }

    private CachedFinder finder() {
        return finder(100, Duration.ofMinutes(5), 64 << 20);
    }

    private MongoCollection<BsonDocument> filled(String name, int count) {
        var collection = mongo.database().getCollection(name, BsonDocument.class);
        collection.insertMany(IntStream.range(0, count)
                .mapToObj(i -> new BsonDocument("_id", new BsonInt32(i)).append("n", new BsonInt32(i % 2)))
                .toList());
        return collection;
    }

    private FindQuery query(String collection, String filter) {
        return new FindQuery(
                        new MongoNamespace(mongo.databaseName(), collection),
                        StagedFilter.of(BsonDocument.parse(filter)),
                        Projection.ALL,
                        BsonDocument.parse("{_id: -1}"),
                        Optional.empty(),
                        0,
                        0,
                        ReadSettings.DEFAULT)
                .with(CACHE);
    }

    private static List<Integer> ids(CachedFinder finder, FindQuery query) {
        var found = new ArrayList<Integer>();
        try (var cursor = finder.find(query, query.limit() + 1)) {
            cursor.forEachRemaining(
                    (RawBsonDocument each) -> found.add(each.getInt32("_id").getValue()));
        }
        return found;
    }

    private double count(String outcome) {
        return registry.get("result_cache_pages")
                .tag("outcome", outcome)
                .counter()
                .count();
    }

    @Test
    void pages_in_order_reversed_and_at_random_neither_overlap_nor_leave_out() {
        filled("all", 10_000);
        var pages = new ArrayList<>(IntStream.range(0, 1_002).boxed().toList());
        for (int round = 0; round < 3; round++) {
            var finder = finder();
            for (int page : pages) {
                int from = 9_999 - page * 10;
                assertThat(ids(finder, query("all", "{}").slice(page * 10L, 10)))
                        .isEqualTo(IntStream.iterate(from, i -> i >= 0 && i > from - 10, i -> i - 1)
                                .boxed()
                                .toList());
            }
            if (round == 0) {
                Collections.reverse(pages);
            } else {
                Collections.shuffle(pages, new Random(1));
            }
        }
        assertThat(count("miss")).as("one for each thousand documents").isEqualTo(3 * 11);
    }

    @Test
    void an_expression_that_fails_outside_the_page_does_not_fail_the_page() {
        filled("failing", 10).insertOne(BsonDocument.parse("{_id: -1, n: 'no number'}"));
        var query = query("failing", "{$expr: {$gte: [{$abs: '$n'}, 0]}}").slice(0, 3);
        assertThat(ids(finder(), query)).containsExactly(9, 8, 7);
        assertThat(ids(finder(), query.slice(2, 3))).containsExactly(7, 6, 5);
    }

    @Test
    void pages_that_begin_anywhere_are_those_of_the_collection() {
        filled("anywhere", 3_000);
        var finder = finder();
        var random = new Random(5);
        for (int i = 0; i < 300; i++) {
            int skip = random.nextInt(3_100);
            int limit = 1 + random.nextInt(1_000);
            int from = 2_999 - skip;
            assertThat(ids(finder, query("anywhere", "{}").slice(skip, limit)))
                    .isEqualTo(IntStream.iterate(from, n -> n >= 0 && n > from - limit, n -> n - 1)
                            .boxed()
                            .toList());
        }
    }

    @Test
    void what_is_kept_is_not_read_again_until_something_is_written() {
        var collection = filled("written", 20);
        var finder = finder();
        var page = query("written", "{}").slice(0, 5);
        assertThat(ids(finder, page)).containsExactly(19, 18, 17, 16, 15);
        collection.deleteOne(new BsonDocument("_id", new BsonInt32(18)));
        assertThat(ids(finder, page)).containsExactly(19, 18, 17, 16, 15);
        assertThat(ids(finder, page.with(Shortcuts.NONE))).containsExactly(19, 17, 16, 15, 14);
        writes.written(page.namespace());
        assertThat(ids(finder, page)).containsExactly(19, 17, 16, 15, 14);
        collection.deleteOne(new BsonDocument("_id", new BsonInt32(19)));
        writes.writtenAnywhere();
        assertThat(ids(finder, page)).containsExactly(17, 16, 15, 14, 13);
    }

    @Test
    void a_result_that_was_being_read_during_a_write_is_not_kept() {
        filled("racing", 20);
        var page = query("racing", "{}").slice(0, 5);
        var ranges = new CachedRanges(ResultCacheConfig.DEFAULT, writes);
        long before = writes.until(page.namespace());
        writes.written(page.namespace());
        ranges.put(page, new CachedRanges.Range(0, List.of(), true, 0, System.nanoTime(), before));
        assertThat(ranges.find(page)).isEmpty();
    }

    @Test
    void queries_with_different_filters_share_nothing() {
        filled("filters", 20);
        var finder = finder();
        assertThat(ids(finder, query("filters", "{n: 0}").slice(0, 3))).containsExactly(18, 16, 14);
        assertThat(ids(finder, query("filters", "{n: 1}").slice(0, 3))).containsExactly(19, 17, 15);
        assertThat(ids(finder, query("filters", "{}").slice(0, 3))).containsExactly(19, 18, 17);
    }

    @Test
    void nothing_is_older_than_the_time_to_live() {
        var collection = filled("old", 20);
        var finder = finder(100, Duration.ZERO, 64 << 20);
        var page = query("old", "{}").slice(0, 2);
        assertThat(ids(finder, page)).containsExactly(19, 18);
        collection.deleteOne(new BsonDocument("_id", new BsonInt32(19)));
        assertThat(ids(finder, page)).containsExactly(18, 17);
    }

    @Test
    void number_and_bytes_of_what_is_kept_are_bounded() {
        var collection = mongo.database().getCollection("bounded", BsonDocument.class);
        var text = new BsonString("x".repeat(4_000));
        collection.insertMany(IntStream.range(0, 2_000)
                .mapToObj(i -> new BsonDocument("_id", new BsonInt32(i)).append("t", text))
                .toList());
        var finder = finder(5, Duration.ofMinutes(5), 2 << 20);
        for (int page = 0; page < 200; page++) {
            int from = 1_999 - page * 10;
            assertThat(ids(finder, query("bounded", "{}").slice(page * 10L, 10)))
                    .hasSize(10)
                    .startsWith(from);
            assertThat(registry.get("result_cache_bytes").gauge().value()).isLessThanOrEqualTo(2 << 20);
        }
        for (int i = 0; i < 20; i++) {
            ids(finder, query("bounded", "{_id: {$gt: " + i + "}}").slice(0, 1));
            assertThat(registry.get("result_cache_ranges").gauge().value()).isLessThanOrEqualTo(5);
        }
        assertThat(ids(finder, query("bounded", "{}").slice(0, 1_000)))
                .as("a page larger than a range may be")
                .hasSize(1_000);
    }

    @Test
    void over_http_writes_are_seen_at_once_and_cache_false_means_no_cache() {
        filled("api", 30);
        var api = DataApi.over(mongo.client());
        var page = "GET /" + mongo.databaseName() + "/api?pagesize=2&keys={_id:1}&";
        assertThat(api.send(page + "cache").text()).isEqualTo("[{\"_id\": 29}, {\"_id\": 28}]");
        mongo.database().getCollection("api").deleteOne(new BsonDocument("_id", new BsonInt32(29)));
        assertThat(api.send(page + "cache=false").text()).isEqualTo("[{\"_id\": 28}, {\"_id\": 27}]");
        assertThat(api.send(page + "cache=0").text()).isEqualTo("[{\"_id\": 28}, {\"_id\": 27}]");
        var written = api.send("POST /" + mongo.databaseName() + "/api", "{\"_id\": 100}");
        assertThat(written.status()).isEqualTo(201);
        assertThat(api.send(page + "cache").text()).isEqualTo("[{\"_id\": 100}, {\"_id\": 28}]");
    }

    @Test
    void over_http_eager_is_checked() {
        filled("eager", 30);
        var api = DataApi.over(mongo.client());
        var page = "GET /" + mongo.databaseName() + "/eager?pagesize=2&page=3&eager=";
        for (var value : List.of("linear", "RANDOM", "None")) {
            assertThat(api.send(page + value).text())
                    .isEqualTo(api.send("GET /" + mongo.databaseName() + "/eager?pagesize=2&page=3")
                            .text());
        }
        var refused = api.send(page + "yes");
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.message()).isEqualTo("illegal eager paramenter (must be LINEAR, RANDOM or NONE)");
    }

    @Test
    void queries_count_for_the_memory_with_their_values() {
        filled("values", 10);
        var finder = finder(100, Duration.ofMinutes(5), 1 << 20);
        for (int i = 0; i < 64; i++) {
            ids(
                    finder,
                    query("values", "{n: {$ne: '" + i + "x".repeat(100_000) + "'}}")
                            .slice(0, 5));
        }
        assertThat(registry.get("result_cache_ranges").gauge().value()).isBetween(1.0, 12.0);
    }
}
