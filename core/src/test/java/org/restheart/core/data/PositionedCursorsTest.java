package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoCollection;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.Opened;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Deep pages that bookmarks cannot serve, from cursors that were positioned ahead, over HTTP.
@WithMongo
class PositionedCursorsTest {
    private static final int DOCUMENTS = 3_000;

    private static final String SMALL = """
        eager-cursor-allocation-pool-size: 8
        eager-cursor-allocation-linear-slice-width: 100
        eager-cursor-allocation-linear-slice-delta: 20
        eager-cursor-allocation-linear-slice-heights: [2, 1]
        eager-cursor-allocation-random-max-cursors: 6
        eager-cursor-allocation-random-slice-min-width: 100
        """;

    /// By `n`, which is not unique; documents with one `n` are in the order of their insertion.
    private static final String SORT = "&sort=" + encode("{\"n\": 1}");

    private final TestMongo mongo;

    @AutoClose
    private final Opened<ConformanceGateway> gateways = new Opened<>();

    PositionedCursorsTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    private ConformanceGateway start(String options, String allocation) {
        return gateways.add(ConformanceGateway.start(
                mongo, "mongo: {mongo-mounts: [{what: '*', where: /}]" + options + "}\n" + allocation));
    }

    private static String encode(String json) {
        return URLEncoder.encode(json, StandardCharsets.UTF_8);
    }

    private MongoCollection<BsonDocument> filled(String name) {
        var collection = mongo.database().getCollection(name, BsonDocument.class);
        collection.createIndex(BsonDocument.parse("{n: 1}"));
        collection.insertMany(IntStream.range(0, DOCUMENTS)
                .mapToObj(i -> new BsonDocument("_id", new BsonInt32(i))
                        .append("n", new BsonInt32(i * 7919 % DOCUMENTS / 3))
                        .append("owner", new BsonString(i % 2 == 0 ? "ada" : "bob"))
                        .append("secret", new BsonInt32(i)))
                .toList());
        return collection;
    }

    private List<BsonValue> page(ConformanceGateway gateway, String user, String collection, String query)
            throws Exception {
        var answer = gateway.as(user).get("/" + mongo.databaseName() + "/" + collection + "?" + query);
        assertStatus(200, answer);
        return BsonArray.parse(answer.body()).stream()
                .map(document -> document.asDocument().get("_id"))
                .toList();
    }

    private double meter(ConformanceGateway gateway, String sample) throws Exception {
        return gateway.as("admin")
                .get("/metrics/coalescing")
                .body()
                .lines()
                .filter(line -> line.startsWith(sample + " "))
                .findFirst()
                .map(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .orElseThrow();
    }

    private double hits(ConformanceGateway gateway) throws Exception {
        return meter(gateway, "cursor_pool_leases_total{outcome=\"hit\"}");
    }

    /// The number of MongoDB's open cursors on the collection.
    private long cursors(String collection) {
        return ids(collection).size();
    }

    private List<BsonValue> inOrder(String collection, String filter, String sort) {
        return mongo.database()
                .getCollection(collection, BsonDocument.class)
                .find(BsonDocument.parse(filter))
                .sort(BsonDocument.parse(sort))
                .map(document -> document.get("_id"))
                .into(new ArrayList<>());
    }

    /// Asks for pages until one comes from a cursor, all of which have to be right.
    private void awaitHit(ConformanceGateway gateway, String collection, String query, List<BsonValue> expected) {
        await().until(() -> {
            double before = hits(gateway);
            assertThat(page(gateway, "admin", collection, query)).isEqualTo(expected);
            return hits(gateway) > before;
        });
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "sort    | {} | {n: 1}             | &sort={\"n\":1}",
                "descend | {} | {n: -1}            | &sort={\"n\":-1}",
                "natural | {} | {$natural: 1}      | &sort={\"$natural\":1}",
                "noIndex | {} | {owner: 1, _id: 1} | &sort={\"owner\":1,\"_id\":1}",
                "hinted  | {} | {n: 1, _id: 1}     | &sort={\"n\":1,\"_id\":1}&hint={\"n\":1}",
                "where   | {$expr: {$gt: ['$n', 5]}} | {n: 1} |"
                        + " &sort={\"n\":1}&filter={\"$expr\":{\"$gt\":[\"$n\",5]}}",
                "now     | {$expr: {$lt: ['$n', '$$NOW']}} | {_id: 1} |"
                        + " &sort={\"_id\":1}&filter={\"$expr\":{\"$lt\":[\"$n\",\"$$NOW\"]}}"
            })
    void pages_of_queries_without_bookmarks_are_those_of_skip(String name, String filter, String sort, String query)
            throws Exception {
        filled(name);
        var gateway = start("", SMALL);
        var all = inOrder(name, filter, sort);
        var parameters = encodeValues(query.strip()) + "&pagesize=10&eager=";
        awaitHit(gateway, name, "page=101&" + parameters + "linear", all.subList(1_000, 1_010));
        for (int page = 102; page < 140; page++) {
            assertThat(page(gateway, "admin", name, "page=" + page + parameters + "linear"))
                    .isEqualTo(all.subList((page - 1) * 10, page * 10));
        }
        for (var jump : List.of(51, 206, 51, 257, 206)) {
            assertThat(page(gateway, "admin", name, "page=" + jump + parameters + "random"))
                    .isEqualTo(all.subList((jump - 1) * 10, jump * 10));
        }
        assertThat(meter(gateway, "cursor_pool_leases_total{outcome=\"lost\"}")).isZero();
    }

    private static String encodeValues(String query) {
        var encoded = new StringBuilder();
        for (var parameter : query.substring(1).split("&", -1)) {
            var parts = parameter.split("=", 2);
            encoded.append('&').append(parts[0]).append('=').append(encode(parts[1]));
        }
        return encoded.toString();
    }

    @Test
    void a_walk_goes_on_in_the_cursor_of_the_page_before() throws Exception {
        filled("walked");
        var gateway = start("", SMALL);
        var all = inOrder("walked", "{}", "{n: 1}");
        awaitHit(gateway, "walked", "eager=linear&page=101&pagesize=10" + SORT, all.subList(1_000, 1_010));
        double before = hits(gateway);
        double passed = meter(gateway, "cursor_pool_passed_sum");
        for (int page = 102; page <= 109; page++) { // up to the end of the slice
            assertThat(page(gateway, "admin", "walked", "eager=linear&pagesize=10&page=" + page + SORT))
                    .isEqualTo(all.subList((page - 1) * 10, page * 10));
        }
        assertThat(hits(gateway) - before).isEqualTo(8);
        assertThat(meter(gateway, "cursor_pool_passed_sum") - passed).isZero();
    }

    @Test
    void random_pages_are_found_at_the_beginnings_of_equal_parts() throws Exception {
        filled("jumped");
        var gateway = start("", SMALL);
        var all = inOrder("jumped", "{}", "{n: 1}");
        for (int start : new int[] {1_000, 2_500, 500}) { // of 6 parts
            awaitHit(
                    gateway,
                    "jumped",
                    "eager=random&pagesize=10&page=" + (start / 10 + 1) + SORT,
                    all.subList(start, start + 10));
        }
        assertThat(cursors("jumped")).isBetween(1L, 8L);
    }

    @Test
    void without_the_parameter_every_page_is_that_of_skip_at_that_moment() throws Exception {
        var collection = filled("exact");
        var gateway = start("", SMALL);
        for (int i = 0; i < 10; i++) {
            collection.deleteOne(BsonDocument.parse("{n: " + i + "}"));
            assertThat(page(gateway, "admin", "exact", "page=101&pagesize=10" + SORT))
                    .isEqualTo(inOrder("exact", "{}", "{n: 1}").subList(1_000, 1_010));
            assertThat(page(gateway, "admin", "exact", "eager=none&page=101&pagesize=10" + SORT))
                    .isEqualTo(inOrder("exact", "{}", "{n: 1}").subList(1_000, 1_010));
        }
        assertThat(cursors("exact")).isZero();
    }

    @Test
    void a_page_keeps_its_place_while_documents_before_it_go_and_shows_what_is_there_now() throws Exception {
        var collection = filled("changing");
        var gateway = start("", SMALL);
        var before = inOrder("changing", "{}", "{n: 1}");
        awaitHit(gateway, "changing", "eager=linear&page=101&pagesize=10" + SORT, before.subList(1_000, 1_010));
        collection.deleteMany(BsonDocument.parse("{n: {$lt: 10}}"));
        collection.deleteOne(new BsonDocument("_id", before.get(1_012)));
        double hits = hits(gateway);
        var expected = new ArrayList<>(before.subList(1_010, 1_021));
        expected.remove(2);
        assertThat(page(gateway, "admin", "changing", "eager=linear&page=102&pagesize=10" + SORT))
                .isEqualTo(expected);
        assertThat(hits(gateway)).isEqualTo(hits + 1);
    }

    @Test
    void the_mode_EAGER_needs_no_parameter() throws Exception {
        filled("mode");
        var gateway = start(", cursor-pool: {mode: EAGER}", SMALL);
        var all = inOrder("mode", "{}", "{n: 1}");
        awaitHit(gateway, "mode", "page=101&pagesize=10" + SORT, all.subList(1_000, 1_010));
    }

    @Test
    void a_pool_of_size_0_keeps_nothing() throws Exception {
        filled("off");
        var gateway = start("", "eager-cursor-allocation-pool-size: 0");
        for (int i = 0; i < 5; i++) {
            page(gateway, "admin", "off", "eager=linear&page=201&pagesize=10" + SORT);
        }
        assertThat(meter(gateway, "cursor_pool_leases_total{outcome=\"miss\"}")).isZero();
        assertThat(cursors("off")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"page=9", "page=101&readConcern=majority", "page=101&readPreference=primary"})
    void shallow_pages_and_requests_that_say_how_to_read_are_left_to_mongodb(String query) throws Exception {
        var name = "left" + Math.abs(query.hashCode());
        filled(name);
        var gateway = start("", SMALL);
        for (int i = 0; i < 5; i++) {
            page(gateway, "admin", name, "eager=linear&pagesize=10&" + query + SORT);
        }
        assertThat(meter(gateway, "cursor_pool_leases_total{outcome=\"miss\"}")).isZero();
    }

    @Test
    void what_bookmarks_can_serve_holds_nothing_open() throws Exception {
        filled("marked");
        var gateway = start(", cursor-pool: {mode: EXACT}", SMALL);
        await().until(() -> {
            page(gateway, "admin", "marked", "eager=linear&page=101&pagesize=10");
            return meter(gateway, "cursor_pool_pages_total{outcome=\"hit\"}") > 0;
        });
        await().until(() -> cursors("marked") == 0); // the one by which keys are read closes when they are
        assertThat(meter(gateway, "cursor_pool_cursors{state=\"parked\"}")).isZero();
    }

    @Test
    void callers_with_different_filters_or_projections_share_no_cursor() throws Exception {
        filled("ruled");
        var gateway = start("", SMALL);
        var all = inOrder("ruled", "{}", "{n: 1}");
        var adas = inOrder("ruled", "{owner: 'ada'}", "{n: 1}");
        for (int i = 0; i < 30; i++) {
            int from = 1_000 + i * 10;
            var query = "eager=linear&pagesize=10&page=" + (from / 10 + 1) + SORT;
            assertThat(page(gateway, "ada", "ruled", query)).isEqualTo(adas.subList(from, from + 10));
            assertThat(page(gateway, "admin", "ruled", query)).isEqualTo(all.subList(from, from + 10));
            assertStatus(403, gateway.as("eve").get("/" + mongo.databaseName() + "/ruled?" + query));
            var projected = gateway.as("bob").get("/" + mongo.databaseName() + "/ruled?" + query.replace(SORT, ""));
            assertStatus(200, projected);
            assertThat(projected.body()).contains("owner").doesNotContain("secret");
        }
        assertThat(hits(gateway)).isPositive();
    }

    @Test
    void a_cursor_that_an_administrator_has_closed_costs_the_shortcut_and_not_the_page() throws Exception {
        filled("killed");
        var gateway = start("", SMALL);
        var all = inOrder("killed", "{}", "{n: 1}");
        awaitHit(gateway, "killed", "eager=linear&page=101&pagesize=10" + SORT, all.subList(1_000, 1_010));
        mongo.database()
                .runCommand(new BsonDocument("killCursors", new BsonString("killed")).append("cursors", ids("killed")));
        assertThat(page(gateway, "admin", "killed", "eager=linear&page=102&pagesize=10" + SORT))
                .isEqualTo(all.subList(1_010, 1_020));
        assertThat(meter(gateway, "cursor_pool_leases_total{outcome=\"lost\"}")).isPositive();
    }

    private BsonArray ids(String collection) {
        var match = "{type: 'idleCursor', ns: '" + mongo.databaseName() + "." + collection + "'}";
        return new BsonArray(TestMongo.operations(mongo.client(), match).stream()
                .map(op -> op.getDocument("cursor").get("cursorId"))
                .toList());
    }

    @Test
    void unused_cursors_are_closed() throws Exception {
        filled("idle");
        var gateway = start(", cursor-pool: {max-age: 1500}", SMALL);
        await().until(() -> {
            page(gateway, "admin", "idle", "eager=linear&page=101&pagesize=10" + SORT);
            return cursors("idle") > 0;
        });
        await().until(() -> cursors("idle") == 0);
        assertThat(meter(gateway, "cursor_pool_closed_total{reason=\"expired\"}"))
                .isPositive();
    }

    /// Many clients page sequentially and randomly at once, with two filters, in a pool that is too small for them.
    /// Every page is correct, MongoDB never has more cursors open than the pool's bound, and none after the gateway
    /// has stopped.
    @Test
    void no_cursor_is_used_by_two_and_none_is_left_open() throws Exception {
        filled("busy");
        var gateway = start("", SMALL);
        var all = inOrder("busy", "{}", "{n: 1}");
        var adas = inOrder("busy", "{owner: 'ada'}", "{n: 1}");
        var clients = new ArrayList<Callable<Optional<Void>>>();
        for (int client = 0; client < 16; client++) {
            var random = new Random(client);
            boolean ada = client % 2 == 0;
            boolean walks = client % 4 < 2;
            clients.add(() -> {
                int from = 100 + random.nextInt(800);
                for (int i = 0; i < 40; i++) {
                    var expected = ada ? adas : all;
                    int size = 10 + random.nextInt(3) * 5;
                    from = walks ? from + size : 100 + random.nextInt(expected.size() - 200);
                    int page = from / size + 1;
                    int skip = (page - 1) * size;
                    assertThat(page(
                                    gateway,
                                    ada ? "ada" : "admin",
                                    "busy",
                                    "pagesize=" + size + "&page=" + page + SORT + "&eager="
                                            + (walks ? "linear" : "random")))
                            .isEqualTo(expected.subList(
                                    Math.min(skip, expected.size()), Math.min(skip + size, expected.size())));
                    if (i % 20 == 10) {
                        assertThat(cursors("busy")).isLessThanOrEqualTo(8);
                    }
                }
                return Optional.empty();
            });
        }
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var client : threads.invokeAll(clients)) {
                client.get();
            }
        }
        assertThat(hits(gateway)).as("pages from cursors").isPositive();
        assertThat(meter(gateway, "cursor_pool_leases_total{outcome=\"lost\"}")).isZero();
        assertThat(meter(gateway, "cursor_pool_cursors{state=\"leased\"}")).isZero();
        gateway.close();
        assertThat(cursors("busy")).isZero();
    }
}
