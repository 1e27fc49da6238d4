package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// JSON Schemas across requests: JSON lines, CSV rows, several gateways, concurrent reads.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SchemasTest {
    private static final String CONFIG = """
            mongo: {mongo-mounts: [{what: '*', where: /}], schema-cache-ttl: -1}
            csvLoader: {enabled: true}
            """;

    private final TestMongo mongo;

    @AutoClose
    private final ConformanceGateway here;

    @AutoClose
    private final ConformanceGateway there;

    SchemasTest(TestMongo mongo) {
        this.mongo = mongo;
        here = ConformanceGateway.start(mongo, CONFIG);
        there = ConformanceGateway.start(mongo, CONFIG);
    }

    @BeforeEach
    void declare() throws Exception {
        mongo.database().getCollection("books").deleteMany(new Document());
        var db = "/" + mongo.databaseName();
        send(here, "PUT", db, "application/json", "{}");
        send(here, "PUT", db + "/_schemas", "application/json", "{}");
        var schema = "{\"type\": \"object\", \"properties\": {\"n\": {\"type\": \"integer\"}}, \"required\": [\"n\"]}";
        assertThat(send(here, "PUT", db + "/_schemas/s?wm=upsert", "application/json", schema)
                        .statusCode())
                .isIn(200, 201);
        assertThat(send(here, "PUT", db + "/books", "application/json", "{\"jsonSchema\": {\"schemaId\": \"s\"}}")
                        .statusCode())
                .isIn(200, 201);
    }

    private static HttpResponse<String> send(
            ConformanceGateway to, String method, String path, String type, String content) {
        return to.as("admin").with("Content-Type", type).send(method, path, content);
    }

    private String books() {
        return "/" + mongo.databaseName() + "/books";
    }

    private long stored() {
        return mongo.database().getCollection("books").countDocuments();
    }

    @Test
    void of_lines_only_the_valid_ones_are_stored() throws Exception {
        var answer =
                send(here, "POST", books(), "application/x-ndjson", "{\"n\": 1}\n{\"n\": \"x\"}\n{\"n\": 2}\n{}\n");

        assertStatus(207, answer);
        var report = Document.parse(answer.body());
        assertThat(report.getInteger("inserted")).isEqualTo(2);
        assertThat(report.getList("errors", Document.class))
                .hasSize(2)
                .allSatisfy(error -> assertThat(error.toJson()).contains("violates schema 's'"));
        assertThat(stored()).isEqualTo(2);
    }

    @Test
    void rows_of_a_file_are_stored_all_or_none() throws Exception {
        var csv = "/csv?db=" + mongo.databaseName() + "&coll=books&id=0";

        assertStatus(400, send(here, "POST", csv, "text/csv", "_id,n\n1,1\n2,x\n"));
        assertThat(stored()).isZero();
        assertStatus(200, send(here, "POST", csv, "text/csv", "_id,n\n1,1\n2,2\n"));
        assertStatus(400, send(here, "POST", csv + "&update=true", "text/csv", "_id,n\n1,7\n2,x\n"));
        assertStatus(400, send(here, "POST", csv + "&update=true", "text/csv", "_id,t\n1,a\n3,b\n"));
        assertThat(mongo.database()
                        .getCollection("books")
                        .find(new Document("_id", 1))
                        .first())
                .containsEntry("n", 1)
                .doesNotContainKey("t");
        assertStatus(200, send(here, "POST", csv + "&update=true", "text/csv", "_id,t\n1,a\n2,b\n"));
        assertThat(stored()).isEqualTo(2);
    }

    @Test
    void a_change_through_one_gateway_is_known_to_the_other() throws Exception {
        assertStatus(201, send(there, "POST", books(), "application/json", "{\"n\": 1}"));

        send(here, "PUT", "/" + mongo.databaseName() + "/_schemas/s", "application/json", "{\"required\": [\"k\"]}");

        Awaitility.await().untilAsserted(() -> {
            assertStatus(400, send(there, "POST", books(), "application/json", "{\"n\": 1}"));
            assertStatus(201, send(there, "POST", books(), "application/json", "{\"k\": 1}"));
        });
    }

    @Test
    void the_result_of_a_refused_patch_is_never_visible() throws Exception {
        send(here, "PUT", books() + "/b?wm=upsert", "application/json", "{\"n\": 1}");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var patches = IntStream.range(0, 40)
                    .mapToObj(i -> threads.submit(
                            () -> send(here, "PATCH", books() + "/b", "application/json", "{\"n\": \"bad\"}")
                                    .statusCode()))
                    .toList();
            var reads = IntStream.range(0, 200)
                    .mapToObj(i -> threads.submit(() -> send(here, "GET", books() + "/b", "application/json", "")
                            .body()))
                    .toList();
            for (var read : reads) {
                assertThat(read.get()).contains("\"n\": 1");
            }
            for (var patch : patches) {
                assertThat(patch.get()).isIn(400, 409);
            }
        }
    }

    @Test
    void of_two_patches_that_are_valid_alone_but_not_together_one_is_refused() throws Exception {
        var db = "/" + mongo.databaseName();
        var notBoth = "{\"not\": {\"required\": [\"a\"], \"properties\": {\"a\": {\"required\": [\"x\", \"y\"]}}}}";
        send(here, "PUT", db + "/_schemas/not-both?wm=upsert", "application/json", notBoth);
        send(here, "PUT", db + "/pairs", "application/json", "{\"jsonSchema\": {\"schemaId\": \"not-both\"}}");
        var pairs = mongo.database().getCollection("pairs");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int round = 0; round < 30; round++) {
                pairs.insertOne(new Document("_id", "p" + round).append("a", new Document("z", 0)));
                var path = db + "/pairs/p" + round;
                var x = threads.submit(() -> send(here, "PATCH", path, "application/json", "{\"a.x\": 1}")
                        .statusCode());
                var y = threads.submit(() -> send(there, "PATCH", path, "application/json", "{\"a.y\": 1}")
                        .statusCode());
                assertThat(List.of(x.get(), y.get()))
                        .containsAnyOf(200)
                        .allMatch(status -> status == 200 || status == 400);
            }
        }
        assertThat(pairs.countDocuments(Document.parse("{'a.x': 1, 'a.y': 1}"))).isZero();
        assertThat(pairs.countDocuments(Document.parse("{$or: [{'a.x': 1}, {'a.y': 1}]}")))
                .isEqualTo(30);
    }
}
