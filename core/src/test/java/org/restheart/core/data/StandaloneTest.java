package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonValue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.testkit.Opened;

/// Deep pages over a standalone mongod, which has no change streams and no cluster time.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StandaloneTest {
    private static final String BY_N = "&sort=" + URLEncoder.encode("{\"n\": 1}", StandardCharsets.UTF_8);

    @AutoClose
    private final Opened<AutoCloseable> opened = new Opened<>();

    private String connectionString = "";

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        connectionString = opened.add(OwnStandalone.start(folder)).connectionString();
    }

    private MongoCollection<BsonDocument> filled(String name) {
        var client = opened.add(MongoClients.create(connectionString));
        var collection = client.getDatabase("db").getCollection(name, BsonDocument.class);
        collection.createIndex(BsonDocument.parse("{n: 1}"));
        collection.insertMany(IntStream.range(0, 3_000)
                .mapToObj(i -> new BsonDocument("_id", new BsonInt32(i)).append("n", new BsonInt32(i / 2)))
                .toList());
        return collection;
    }

    private ConformanceGateway gateway() {
        return opened.add(ConformanceGateway.start(connectionString, "mongo: {mongo-mounts: [{what: '*', where: /}]}"));
    }

    private static String get(ConformanceGateway gateway, String target) {
        var answer = gateway.as("admin").get(target);
        assertStatus(200, answer);
        return answer.body();
    }

    private List<BsonValue> page(ConformanceGateway gateway, String target) throws Exception {
        return BsonArray.parse(get(gateway, target)).stream()
                .map(document -> document.asDocument().get("_id"))
                .toList();
    }

    private double meter(ConformanceGateway gateway, String sample) throws Exception {
        return get(gateway, "/metrics/coalescing")
                .lines()
                .filter(line -> line.startsWith(sample + " "))
                .findFirst()
                .map(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .orElseThrow();
    }

    private static List<BsonValue> skipped(MongoCollection<BsonDocument> collection, String sort, int skip) {
        return collection
                .find()
                .sort(BsonDocument.parse(sort))
                .skip(skip)
                .limit(10)
                .map(document -> document.get("_id"))
                .into(new ArrayList<>());
    }

    @Test
    void by_default_pages_are_those_of_skip_and_no_exact_bookmarks_are_tried_for_long() throws Exception {
        var collection = filled("exact");
        var gateway = gateway();
        for (int i = 0; i < 20; i++) {
            collection.deleteOne(new BsonDocument("_id", new BsonInt32(2_900 + i)));
            assertThat(page(gateway, "/db/exact?pagesize=10&page=101"))
                    .isEqualTo(skipped(collection, "{_id: -1}", 1_000));
        }
        await().until(() -> meter(gateway, "cursor_pool_builds_total{outcome=\"unfit\"}") == 1);
        assertThat(page(gateway, "/db/exact?pagesize=10&page=101")).isEqualTo(skipped(collection, "{_id: -1}", 1_000));
        assertThat(meter(gateway, "cursor_pool_pages_total{outcome=\"hit\"}")).isZero();
        assertThat(meter(gateway, "cursor_pool_pages_total{outcome=\"miss\"}")).isEqualTo(21);
        assertThat(meter(gateway, "cursor_pool_streams")).isZero();
    }

    /// A server on its own does not tell what became of the writes in one command.
    @Test
    void documents_are_changed_and_removed_each_in_a_command_of_its_own() throws Exception {
        var collection = filled("written");
        var gateway = gateway();
        assertThat(status(gateway, "PATCH", "/db/written/1?id_type=NUMBER", "{\"$inc\": {\"n\": 5}}"))
                .isEqualTo(200);
        assertThat(status(gateway, "PUT", "/db/written/2?id_type=NUMBER", "{\"n\": 7}"))
                .isEqualTo(200);
        assertThat(status(gateway, "DELETE", "/db/written/3?id_type=NUMBER", ""))
                .isEqualTo(204);
        assertThat(status(gateway, "PATCH", "/db/written/3?id_type=NUMBER", "{\"n\": 1}"))
                .isEqualTo(404);
        assertThat(collection.countDocuments(BsonDocument.parse("{$or: [{_id: 1, n: 5}, {_id: 2, n: 7}, {_id: 3}]}")))
                .isEqualTo(2);
        assertThat(meter(gateway, "coalescing_batch_size_count{kind=\"update\"}"))
                .isZero();
    }

    @Test
    void what_needs_a_replica_set_is_not_allowed() throws Exception {
        var gateway = gateway();
        assertThat(status(gateway, "POST", "/_sessions/11111111-1111-4111-8111-111111111111/_txns", ""))
                .isEqualTo(405);
        var member = "[{\"method\": \"GET\", \"path\": \"/x\"}]";
        assertThat(status(gateway, "POST", "/_transactions", member)).isEqualTo(501);
        for (var preference : new String[] {"tx=rollback", "max-affected=1, handling=strict"}) {
            var admin = gateway.as("admin").with("Prefer", preference);
            assertThat(admin.json("PATCH", "/x/y/*?filter=%7B%22n%22:1%7D", "{\"n\": 2}")
                            .statusCode())
                    .isEqualTo(501);
        }
    }

    private static int status(ConformanceGateway gateway, String method, String target, String content) {
        return gateway.as("admin").json(method, target, content).statusCode();
    }

    @Test
    void on_demand_there_are_cursors_ahead_all_the_same() throws Exception {
        var collection = filled("eager");
        var gateway = gateway();
        await().until(() -> {
            assertThat(page(gateway, "/db/eager?pagesize=10&page=201&eager=linear"))
                    .isEqualTo(skipped(collection, "{_id: -1}", 2_000));
            return meter(gateway, "cursor_pool_pages_total{outcome=\"leased\"}") > 0;
        });
        await().until(() -> {
            double leased = meter(gateway, "cursor_pool_pages_total{outcome=\"leased\"}");
            assertThat(page(gateway, "/db/eager?pagesize=10&page=201&eager=linear" + BY_N))
                    .isEqualTo(skipped(collection, "{n: 1}", 2_000));
            return meter(gateway, "cursor_pool_pages_total{outcome=\"leased\"}") > leased;
        });
    }
}
