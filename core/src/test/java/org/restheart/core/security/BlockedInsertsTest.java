package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.ClientSession;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.Updates;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.ClientTransaction;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Documents that are inserted, or replaced, while an open transaction has written the same `_id`: they wait for a
/// limited time, and no others wait for them.
@WithMongo
class BlockedInsertsTest {
    /// The limits of the gateway, 2 s together with others and then 5 s alone, and a loaded machine. Without limits
    /// MongoDB waits until the transaction ends, 60 s by default.
    static final Duration TIME_LIMIT = Duration.ofSeconds(25);

    /// Less than requests wait for a command before they are refused, 10 s.
    private static final Duration SOON = Duration.ofSeconds(9);

    private final TestMongo mongo;
    private final TestGateway gateway;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    BlockedInsertsTest(TestMongo mongo) {
        this.mongo = mongo;
        this.gateway = TestGateway.start(mongo, "");
        gateway.permit("editor", "path-prefix('/books')", "{allowWriteMode: true}");
        gateway.permit("viewer", "path-prefix('/books')", "{}");
    }

    @BeforeEach
    void createCollection() {
        gateway.database().createCollection("books");
    }

    @AfterEach
    void stop() {
        threads.close();
        gateway.close();
    }

    /// A transaction that has inserted documents of these ids.
    private ClientSession holding(String... ids) {
        var session = mongo.client().startSession();
        session.startTransaction();
        for (var id : ids) {
            gateway.collection("books").insertOne(session, new BsonDocument("_id", new BsonString(id)));
        }
        return session;
    }

    private Future<HttpResponse<String>> post(TestClient client, String json) {
        return threads.submit(() -> client.post("/books", json));
    }

    static <T> T within(Duration limit, Supplier<T> request) {
        long began = System.nanoTime();
        var answer = request.get();
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Patience.relative(limit));
        return answer;
    }

    private static void assertBlocked(HttpResponse<String> answer) {
        assertStatus(503, answer);
        assertThat(answer.body()).contains("transaction may hold the document");
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
    }

    /// The `httpStatus` of each error of a report, by `index` or `line`.
    static Map<Integer, Integer> errors(HttpResponse<String> answer, String position) {
        assertStatus(207, answer);
        return BsonDocument.parse(answer.body()).getArray("errors", new BsonArray()).stream()
                .collect(Collectors.toMap(
                        error -> error.asDocument().getNumber(position).intValue(),
                        error -> error.asDocument().getNumber("httpStatus").intValue()));
    }

    @Test
    void an_insert_of_a_held_id_is_refused_in_time() {
        var ada = gateway.as("ada");
        try (var transaction = holding("held")) {
            assertBlocked(within(TIME_LIMIT, () -> ada.post("/books", "{\"_id\": \"held\"}")));
            transaction.abortTransaction();
        }
        assertThat(gateway.stored("books", "held")).isNull();
        assertStatus(201, ada.post("/books", "{\"_id\": \"held\"}"));
    }

    @Test
    void a_change_of_a_held_document_is_refused_with_what_may_hold_it() {
        gateway.insert("books", "{_id: 'held', n: 1}");
        try (var session = mongo.client().startSession()) {
            session.startTransaction();
            gateway.collection("books").updateOne(session, Filters.eq("_id", "held"), Updates.set("n", 2));
            assertBlocked(within(TIME_LIMIT, () -> gateway.as("ada").patch("/books/held", "{\"n\": 3}")));
            session.abortTransaction();
        }
    }

    @Test
    void keyed_inserts_have_the_same_limits_and_outcomes() {
        var one = gateway.as("ada").with("Idempotency-Key", "\"one\"");
        var several = gateway.as("ada").with("Idempotency-Key", "\"several\"");
        var held = "{\"_id\": \"held\"}";
        var array = "[{\"n\": 1}, " + held + ", {\"n\": 1}]";
        try (var transaction = holding("held", "upserted")) {
            assertBlocked(within(SOON, () -> one.post("/books", held)));
            assertThat(errors(within(TIME_LIMIT, () -> several.post("/books", array)), "index"))
                    .isEqualTo(Map.of(1, 503));
            var upsert = gateway.as("ada").with("Idempotency-Key", "\"upsert\"");
            // MongoDB 6.0 does not apply time limits to an upsert that waits for a transaction, but the driver does; it
            // may be made afterwards
            assertStatus(503, within(SOON, () -> upsert.post("/books?wm=upsert", "{\"_id\": \"upserted\"}")));
            transaction.abortTransaction();
        }
        assertStatus(200, several.post("/books", array));
        assertStatus(200, several.post("/books", array));
        assertThat(gateway.collection("books").countDocuments(Filters.eq("n", 1)))
                .isEqualTo(2);
        assertThat(gateway.stored("books", "held")).isNotNull();
        assertStatus(409, one.post("/books", held));
    }

    @Test
    void inserts_of_held_ids_keep_no_others_waiting() throws Exception {
        var ada = gateway.as("ada");
        try (var transaction = holding("held0", "held1", "held2", "held3", "held4", "held5")) {
            var blocked = IntStream.range(0, 6)
                    .mapToObj(i -> post(ada, "{\"_id\": \"held" + i + "\"}"))
                    .toList();
            var arrays = IntStream.range(0, 6)
                    .mapToObj(i -> post(ada, "[{\"_id\": \"held" + i + "\"}]"))
                    .toList();
            for (int i = 0; i < 5; i++) {
                var own = within(SOON, () -> ada.post("/books", "{}"));
                assertStatus(201, own);
                var own1 = within(SOON, () -> ada.post("/books", "[{}, {}]"));
                assertStatus(200, own1);
                var other = within(SOON, () -> gateway.as("bob").post("/books", "{}"));
                assertStatus(201, other);
            }
            for (var each : blocked) {
                assertBlocked(each.get());
            }
            for (var each : arrays) {
                assertThat(errors(each.get(), "index")).isEqualTo(Map.of(0, 503));
            }
            transaction.abortTransaction();
        }
    }

    @Test
    void a_transaction_that_ends_in_time_decides() throws Exception {
        gateway.insert("books", "{_id: 'there'}");
        var ada = gateway.as("ada");
        try (var committed = holding("committed");
                var aborted = holding("aborted")) {
            var first = post(ada, "{\"_id\": \"committed\"}");
            var second = post(ada, "{\"_id\": \"aborted\"}");
            var array =
                    post(ada, "[{\"_id\": \"n1\"}, {\"_id\": \"committed\"}, {\"_id\": \"there\"}, {\"_id\": \"n2\"}]");
            Thread.sleep(3_000); // longer than their common command
            assertThat(first).isNotDone();
            assertThat(second).isNotDone();
            committed.commitTransaction();
            aborted.abortTransaction();
            assertStatus(409, first.get());
            assertStatus(201, second.get());
            assertThat(errors(array.get(), "index")).isEqualTo(Map.of(1, 409, 2, 409));
        }
        assertThat(gateway.collection("books").countDocuments()).isEqualTo(5);
        assertThat(gateway.stored("books", "aborted").get("_etag").asObjectId().getValue())
                .hasToString(gateway.as("ada")
                        .get("/books/aborted")
                        .headers()
                        .firstValue("ETag")
                        .orElseThrow());
    }

    @Test
    void documents_of_an_array_are_stored_beside_a_held_one() {
        gateway.insert("books", "{_id: 'there'}");
        try (var transaction = holding("held", "held2")) {
            var answer = within(
                    TIME_LIMIT,
                    () -> gateway.as("ada")
                            .post(
                                    "/books",
                                    "[{\"_id\": 0}, {\"_id\": \"there\"}, {\"_id\": \"held\"}, {\"_id\": 3},"
                                            + " {\"_id\": \"held2\"}, {\"_id\": 0}, {\"_id\": 6}]"));
            assertThat(errors(answer, "index")).isEqualTo(Map.of(1, 409, 2, 503, 4, 503, 5, 409));
            assertThat(BsonDocument.parse(answer.body()).getInt32("inserted").getValue())
                    .isEqualTo(3);
            transaction.abortTransaction();
        }
        assertThat(gateway.collection("books").countDocuments()).isEqualTo(4);
    }

    @Test
    void lines_are_stored_beside_a_held_one() {
        gateway.insert("books", "{_id: 'there'}");
        var lines = IntStream.range(0, 2_500)
                .mapToObj(i ->
                        i == 700 ? "{\"_id\": \"held\"}" : i == 5 ? "{\"_id\": \"there\"}" : "{\"_id\": " + i + "}")
                .collect(Collectors.joining("\n"));
        try (var transaction = holding("held")) {
            var answer = within(
                    TIME_LIMIT,
                    () -> gateway.as("admin")
                            .with("Content-Type", "application/x-ndjson")
                            .send("POST", "/books", lines));
            assertThat(errors(answer, "line")).isEqualTo(Map.of(6, 409, 701, 503));
            assertThat(BsonDocument.parse(answer.body()).getInt32("inserted").getValue())
                    .isEqualTo(2_498);
            transaction.abortTransaction();
        }
        assertThat(gateway.collection("books").countDocuments()).isEqualTo(2_499);
    }

    @Test
    void replacements_of_an_array_are_stored_beside_a_held_one() {
        gateway.insert("books", "{_id: 'there', n: 0}", "{_id: 'held', n: 0}");
        try (var transaction = mongo.client().startSession()) {
            transaction.startTransaction();
            gateway.collection("books")
                    .updateOne(transaction, Filters.eq("_id", "held"), BsonDocument.parse("{$set: {n: 1}}"));
            var answer = within(
                    TIME_LIMIT,
                    () -> gateway.as("ada")
                            .post(
                                    "/books?wm=upsert",
                                    "[{\"_id\": 0}, {\"_id\": \"held\"}, {\"_id\": \"there\", \"n\": 5}, {\"_id\":"
                                            + " 3}]"));
            assertThat(errors(answer, "index")).isEqualTo(Map.of(1, 503));
            var report = BsonDocument.parse(answer.body());
            assertThat(report.getInt32("inserted").getValue()).isEqualTo(2);
            assertThat(report.getInt32("matched").getValue()).isOne();
            assertThat(report.getInt32("modified").getValue()).isOne();
            transaction.abortTransaction();
        }
        assertThat(gateway.stored("books", "there").getInt32("n").getValue()).isEqualTo(5);
        assertThat(gateway.stored("books", "held").getInt32("n").getValue()).isZero();
    }

    @Test
    void uploads_of_a_held_id_and_the_first_of_a_bucket_are_refused_in_time() {
        var admin = gateway.as("admin").with("Content-Type", "application/octet-stream");
        for (var bucket : List.of("first", "used")) {
            assertStatus(201, gateway.as("admin").put("/" + bucket + ".files", "{}"));
        }
        assertStatus(201, admin.send("PUT", "/used.files/other", "x"));
        try (var transaction = mongo.client().startSession()) {
            transaction.startTransaction();
            for (var bucket : List.of("first.files", "used.files")) {
                gateway.collection(bucket).insertOne(transaction, BsonDocument.parse("{_id: 'held'}"));
            }
            var indexes = within(TIME_LIMIT, () -> admin.send("PUT", "/first.files/any", "x"));
            assertStatus(503, indexes);
            for (int size : new int[] {1, 9 << 20}) {
                var answer = within(TIME_LIMIT, () -> admin.send("PUT", "/used.files/held", "x".repeat(size)));
                assertThat(answer.statusCode()).as(answer.body()).isIn(409, 503);
            }
            assertStatus(201, admin.send("PUT", "/used.files/free", "x"));
            transaction.abortTransaction();
        }
        assertThat(gateway.collection("used.files").countDocuments()).isEqualTo(2);
        assertThat(gateway.collection("used.chunks").countDocuments()).isEqualTo(2);
    }

    @Test
    void inserts_of_a_transaction_do_not_wait_for_another_one() {
        var admin = gateway.as("admin");
        var sid = ClientTransaction.beginSession(admin);
        for (var content : List.of("{\"_id\": \"held\"}", "[{\"_id\": \"held\"}]")) {
            var books = ClientTransaction.begin(admin, sid).in("/books");
            try (var transaction = holding("held")) {
                var answer = within(SOON, () -> admin.post(books, content));
                assertStatus(409, answer);
                transaction.abortTransaction();
            }
        }
    }

    @Test
    void an_index_that_waits_for_a_transaction_is_refused_and_so_are_inserts_only_in_between() throws Exception {
        var admin = gateway.as("admin");
        try (var transaction = holding("held")) {
            var index = threads.submit(
                    () -> within(TIME_LIMIT, () -> admin.put("/books/_indexes/n", "{\"keys\": {\"n\": 1}}")));
            var insert = within(TIME_LIMIT, () -> gateway.as("ada").post("/books", "{}"));
            assertStatus(201, insert);
            assertStatus(503, index.get());
            assertThat(index.get().body()).contains("transactions");
            for (var path : List.of("/books/_indexes/m", "/books")) {
                var answer =
                        within(TIME_LIMIT, () -> admin.with("If-Match", "x").delete(path));
                assertThat(answer.statusCode()).as(path + answer.body()).isEqualTo(503);
            }
            transaction.abortTransaction();
        }
        assertStatus(201, admin.put("/books/_indexes/n", "{\"keys\": {\"n\": 1}}"));
        assertStatus(204, admin.delete("/books/_indexes/n"));
    }

    /// Somebody who is not a client of the gateway waits for the lock of the collection, and all others for that.
    @Test
    void inserts_behind_an_operation_on_the_collection_are_refused_in_time() throws Exception {
        try (var transaction = holding("held")) {
            var waiting = threads.submit(() -> gateway.collection("books").createIndex(Indexes.ascending("n")));
            var blocked = "{'command.createIndexes': 'books', waitingForLock: true}";
            await().until(() -> !TestMongo.operations(mongo.client(), blocked).isEmpty());
            var single = post(gateway.as("ada"), "{\"_id\": 1}");
            var array = post(gateway.as("ada"), "[{\"_id\": 2}, {\"_id\": 3}]");
            assertBlocked(within(TIME_LIMIT, () -> gateway.as("ada").post("/books", "{\"_id\": 4}")));
            assertBlocked(single.get());
            assertThat(errors(array.get(), "index")).isEqualTo(Map.of(0, 503, 1, 503));
            transaction.abortTransaction();
            waiting.get();
        }
        assertThat(gateway.collection("books").countDocuments()).isZero();
    }
}
