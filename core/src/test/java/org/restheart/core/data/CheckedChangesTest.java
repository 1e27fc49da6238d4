package org.restheart.core.data;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoCollection;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.restheart.testkit.ClientTransaction;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Changes of many documents of a collection with a JSON Schema.
@WithMongo
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class CheckedChangesTest {
    private static final int DOCUMENTS = 3_000;
    private static final String ALL = "{_id: {$gte: 0}}";

    private final TestMongo mongo;

    @AutoClose
    private final ConformanceGateway gateway;

    private final MongoCollection<Document> items;

    CheckedChangesTest(TestMongo mongo) {
        this.mongo = mongo;
        gateway = ConformanceGateway.start(mongo, "mongo: {mongo-mounts: [{what: '*', where: /}]}");
        items = mongo.database().getCollection("items");
    }

    private HttpResponse<String> send(String method, String path, String content) {
        return gateway.as("admin").json(method, "/" + mongo.databaseName() + path, content);
    }

    private Document report(String filter, String more, String content) {
        var answer = send("PATCH", "/items/*?filter=" + URLEncoder.encode(filter, UTF_8) + more, content);
        assertThat(answer.statusCode()).as(answer.body()).isIn(200, 207);
        return Document.parse(answer.body());
    }

    @BeforeAll
    void declare() {
        send("PUT", "", "");
        send("PUT", "/_schemas", "");
        send("PUT", "/_schemas/s?wm=upsert", "{\"properties\": {\"n\": {\"type\": \"integer\", \"maximum\": 5000}}}");
        assertThat(send("PUT", "/items", "{\"jsonSchema\": {\"schemaId\": \"s\"}}")
                        .statusCode())
                .isIn(200, 201);
        items.createIndex(new Document("n", 1));
    }

    @BeforeEach
    void fill() {
        items.deleteMany(new Document());
        items.insertMany(IntStream.range(0, DOCUMENTS)
                .mapToObj(i -> new Document("_id", i).append("n", i).append("l", i % 2 == 0 ? "even" : "odd"))
                .toList());
    }

    /// The filter is by an index in which the change moves documents ahead of those that are still to come.
    @Test
    void every_document_is_changed_once() {
        var report = report("{n: {$gte: 0}}", "", "{\"$inc\": {\"n\": 1000}}");
        assertThat(report).containsEntry("matched", DOCUMENTS).containsEntry("modified", DOCUMENTS);
        assertThat(items.countDocuments(Document.parse("{$expr: {$eq: ['$n', {$add: ['$_id', 1000]}]}}")))
                .isEqualTo(DOCUMENTS);
    }

    @Test
    void those_that_are_refused_stay_as_they_are_and_a_limited_number_is_listed() {
        var report = report(ALL, "", "{\"$inc\": {\"n\": 3000}}");
        assertThat(report).containsEntry("matched", DOCUMENTS).containsEntry("modified", 2_001);
        assertThat(report.getList("errors", Document.class))
                .hasSize(999)
                .allSatisfy(error ->
                        assertThat(error).containsEntry("httpStatus", 400).containsKeys("_id", "message"));
        assertThat(report).doesNotContainKey("errorsOmitted");
        assertThat(items.countDocuments(Document.parse("{n: {$gt: 5000}}"))).isZero();
        assertThat(items.countDocuments(Document.parse("{$expr: {$eq: ['$n', '$_id']}}")))
                .isEqualTo(999);

        var all = report("{l: {$exists: true}}", "", "{\"n\": \"text\"}");
        assertThat(all).containsEntry("matched", DOCUMENTS).containsEntry("modified", 0);
        assertThat(all.getList("errors", Document.class)).hasSize(1_000);
        assertThat(all.get("errorsOmitted", Number.class).intValue()).isEqualTo(2_000);
    }

    @Test
    void a_positional_operator_refers_to_the_filter() {
        items.updateOne(new Document("_id", 1), Document.parse("{$set: {a: [{k: 1, v: 1}, {k: 2, v: 1}]}}"));
        assertThat(report("{'a.k': 2}", "", "{\"a.$.v\": 7}")).containsEntry("modified", 1);
        assertThat(items.find(new Document("_id", 1)).first().toJson()).contains("{\"k\": 2, \"v\": 7}");
    }

    /// In the order of ids, which only a search cannot have.
    @Test
    void a_value_named_as_a_search_is_does_not_change_the_order() {
        var updates = TestMongo.profiled(
                mongo.database(),
                "{op: 'update', ns: '%s.items'}".formatted(mongo.databaseName()),
                () -> report("{l: {$ne: {$text: 1}}, _id: {$lt: 10}}", "", "{\"$inc\": {\"n\": 1}}"));
        assertThat(updates)
                .isNotEmpty()
                .allSatisfy(update -> assertThat(update.getDocument("command").get("hint"))
                        .isEqualTo(BsonDocument.parse("{_id: 1}")));
    }

    @Test
    void no_reader_sees_what_is_refused_and_no_change_of_others_is_lost() throws Exception {
        var over = new AtomicBoolean();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var reader = threads.submit(() -> {
                long seen = 0;
                while (!over.get()) {
                    seen += items.countDocuments(Document.parse("{n: {$gt: 5000}}"));
                }
                return seen;
            });
            var other = threads.submit(() -> {
                int i = 0;
                for (; !over.get(); i++) {
                    items.updateOne(new Document("_id", i % 200), Document.parse("{$inc: {other: 1}}"));
                }
                return i;
            });
            long refused = 0;
            try {
                for (int round = 0; round < 3; round++) {
                    var report = report(ALL, "", "{\"$inc\": {\"n\": 2500, \"rounds\": 1}}");
                    assertThat(report).containsEntry("matched", DOCUMENTS);
                    refused += DOCUMENTS - report.getInteger("modified");
                }
            } finally {
                over.set(true);
            }
            assertThat(reader.get()).isZero();
            assertThat(sum("rounds")).isEqualTo(3L * DOCUMENTS - refused);
            assertThat(sum("other")).isEqualTo(other.get().longValue());
        }
    }

    private long sum(String field) {
        long sum = 0;
        for (var document : items.find()) {
            sum += document.getInteger(field, 0);
        }
        return sum;
    }

    @Test
    void within_a_transaction_all_are_changed_or_none() {
        var transaction = ClientTransaction.begin(gateway.as("admin"));
        assertThat(report(ALL, transaction.in("?").substring(1), "{\"$inc\": {\"n\": 1}}"))
                .containsEntry("modified", DOCUMENTS);
        assertThat(items.countDocuments(new Document("n", 0))).isEqualTo(1);
        var refused = send(
                "PATCH",
                transaction.in("/items/*?filter=" + URLEncoder.encode(ALL, UTF_8)),
                "{\"$inc\": {\"n\": 4000}}");
        assertStatus(400, refused);
        assertThat(refused.body()).contains("violates schema 's'");
        assertStatus(400, transaction.commit());
        assertThat(items.countDocuments(new Document("n", 0))).isEqualTo(1);

        var next = ClientTransaction.begin(gateway.as("admin"), transaction.sid());
        assertThat(report(ALL, next.in("?").substring(1), "{\"$inc\": {\"n\": 1}}"))
                .containsEntry("modified", DOCUMENTS);
        assertStatus(200, next.commit());
        assertThat(items.countDocuments(new Document("n", 0))).isZero();
    }

    /// A transaction reads from the primary, wherever the request wants to read.
    @Test
    void a_read_preference_does_not_keep_changes_from_being_checked() {
        assertThat(report("{_id: 1}", "&readPreference=secondary&readConcern=majority", "{\"n\": 2}"))
                .containsEntry("modified", 1);
        assertStatus(
                200,
                send("PATCH", "/items/1?id_type=NUMBER&readPreference=secondary&readConcern=majority", "{\"n\": 3}"));
        assertStatus(200, send("PATCH", "/items/1?id_type=NUMBER&writeConcern=UNACKNOWLEDGED", "{\"n\": 4}"));
        assertThat(report("{_id: 1}", "&writeConcern=UNACKNOWLEDGED", "{\"n\": 5}"))
                .containsEntry("modified", 1);
    }
}
