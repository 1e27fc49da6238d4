package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.CreateCollectionOptions;
import com.mongodb.client.model.ValidationOptions;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.restheart.testkit.ClientTransaction;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Transactions through two gateways.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TransactionsTest {
    private static final String CONFIG = "mongo: {mongo-mounts: [{what: '*', where: /}]}";

    /// Transfers per client; the stress form has more.
    private static final int TRANSFERS = Integer.getInteger("restheart.test.transfers", 1);

    /// Takes filters that sleep.
    private static final String SLOW =
            ConformanceGateway.GUARDS.replace("enabled: true, blacklist: [$where]", "enabled: false")
                    + "mclient: {connection-string: '%s'}\n" + CONFIG + "\n" + ConformanceGateway.ACCOUNTS
                    + ConformanceGateway.PERMISSIONS;

    private final TestMongo mongo;

    @AutoClose
    private final ConformanceGateway here;

    @AutoClose
    private final ConformanceGateway there;

    TransactionsTest(TestMongo mongo) {
        this.mongo = mongo;
        here = ConformanceGateway.start(mongo, CONFIG);
        there = ConformanceGateway.start(mongo, CONFIG);
    }

    @BeforeEach
    void prepare() {
        mongo.database().getCollection("c").drop();
        mongo.database().getCollection("c").insertOne(new Document("_id", "a").append("n", 1));
    }

    private static HttpResponse<String> send(
            ConformanceGateway to, String user, String method, String path, String content) {
        return to.as(user).json(method, path, content);
    }

    private HttpResponse<String> send(ConformanceGateway to, String method, String path, String content) {
        return send(to, "admin", method, path, content);
    }

    private int status(ConformanceGateway to, String method, String path, String content) {
        return send(to, method, path, content).statusCode();
    }

    private String session() {
        return ClientTransaction.beginSession(here.as("admin"));
    }

    /// The number of the transaction begun.
    private static String begin(ConformanceGateway at, String sid) {
        return ClientTransaction.begin(at.as("admin"), sid).number();
    }

    private String path(String rest) {
        return "/" + mongo.databaseName() + "/c" + rest;
    }

    @Test
    void an_idempotency_key_is_refused_in_a_transaction_since_its_answer_would_outlive_an_abort() {
        var sid = session();
        var in = "?sid=" + sid + "&txn=" + begin(here, sid);
        var keyed = here.as("admin").with("Content-Type", "application/json").with("Idempotency-Key", "\"k\"");
        var refused = keyed.send("POST", path(in), "{\"n\": 9}");
        assertStatus(400, refused);
        assertThat(refused.body()).contains("cannot be used in a transaction");
        assertStatus(201, keyed.send("POST", path("?sid=" + sid), "{\"n\": 9}"));
    }

    @Test
    void what_is_written_in_a_transaction_is_seen_there_by_any_gateway_and_elsewhere_only_after_its_commit() {
        var sid = session();
        var txn = begin(here, sid);
        assertThat(txn).isEqualTo("1");
        var in = "?sid=" + sid + "&txn=" + txn;

        assertThat(status(here, "POST", path(in), "{\"_id\": \"b\"}")).isEqualTo(201);
        assertThat(status(there, "POST", path(in), "[{\"_id\": \"c\"}, {\"_id\": \"d\"}]"))
                .isEqualTo(200);
        assertThat(status(there, "PATCH", path("/a" + in), "{\"$inc\": {\"n\": 1}}"))
                .isEqualTo(200);
        assertThat(status(here, "DELETE", path("/d" + in), "")).isEqualTo(204);
        assertThat(send(there, "GET", path("/a" + in), "").body()).contains("\"n\": 2");
        assertThat(send(here, "GET", path("/_size" + in), "").body()).contains("3");
        assertThat(send(there, "GET", path(in + "&keys=%7B%22_id%22:1%7D"), "").body())
                .contains("\"a\"", "\"b\"", "\"c\"");
        assertThat(send(here, "GET", path("/a"), "").body()).contains("\"n\": 1");
        assertThat(send(here, "GET", path("/a?sid=" + sid), "").body()).contains("\"n\": 1");
        assertThat(send(here, "GET", path("/_size"), "").body()).contains("1");
        var txns = "/_sessions/" + sid + "/_txns";
        assertThat(send(there, "GET", txns, "").body()).contains("\"id\": 1").contains("\"IN\"");
        assertThat(status(there, "POST", txns, "")).isEqualTo(304);

        assertThat(status(there, "PATCH", txns + "/1", "")).isEqualTo(200);
        assertThat(status(here, "PATCH", txns + "/1", "")).isEqualTo(200);

        assertThat(send(here, "GET", path("/_size"), "").body()).contains("3");
        assertThat(send(here, "GET", txns, "").body()).contains("\"id\": 1").contains("\"COMMITTED\"");
        assertThat(status(here, "DELETE", txns + "/1", "")).isEqualTo(400);
        assertThat(status(here, "POST", path(in), "{\"_id\": \"e\"}")).isEqualTo(400);
        assertThat(begin(there, sid)).isEqualTo("2");
        assertThat(status(here, "DELETE", txns + "/2", "")).isEqualTo(204);
        assertThat(send(here, "GET", txns, "").body()).contains("\"id\": 2").contains("\"ABORTED\"");
        assertThat(status(here, "DELETE", txns + "/2", "")).isEqualTo(400);
        assertThat(status(here, "PATCH", txns + "/2", "")).isEqualTo(400);
        assertThat(status(here, "PATCH", txns + "/3", "")).isEqualTo(400);
        assertThat(begin(here, sid)).isEqualTo("3");
        assertThat(status(here, "DELETE", "/_sessions/" + sid, "")).isEqualTo(200);
        assertStatus(400, send(here, "GET", path("/a?sid=" + sid + "&txn=3"), ""));
    }

    @Test
    void results_of_one_request_are_json_that_leads_out_of_its_transaction() {
        var read = "[{\"method\": \"GET\", \"path\": \"" + path("?pagesize=1&keys=%7B%22n%22:1%7D")
                + "\", \"headers\": {}}]";
        var answer = send(here, "POST", "/_transactions", read);
        assertStatus(200, answer);
        assertThat(answer.body())
                .contains("<?pagesize=1&keys=%7B%22n%22:1%7D&after=")
                .doesNotContain("sid=")
                .doesNotContain("txn=");
        var bson = send(here, "POST", "/_transactions", read.replace("{}", "{\"Accept\": \"application/bson\"}"));
        assertStatus(400, bson);
        assertThat(bson.body()).contains("JSON, not BSON");
    }

    @Test
    void a_request_has_at_most_100_operations_and_1_MiB() {
        var read = "{\"method\": \"GET\", \"path\": \"" + path("/a") + "\"}";
        var list = "[" + read + " ".repeat((1 << 20) - read.length() - 2) + "]";
        assertStatus(200, send(here, "POST", "/_transactions", list));
        assertStatus(413, send(here, "POST", "/_transactions", " " + list));
        assertStatus(
                200,
                send(
                        here,
                        "POST",
                        "/_transactions",
                        Collections.nCopies(100, read).toString()));
        assertStatus(
                400,
                send(
                        here,
                        "POST",
                        "/_transactions",
                        Collections.nCopies(101, read).toString()));
    }

    @Test
    void money_moves_by_one_request_each_and_the_sum_is_kept() throws Exception {
        var accounts = mongo.database().getCollection("money");
        accounts.drop();
        accounts.insertMany(IntStream.range(0, 8)
                .mapToObj(i -> new Document("_id", "m" + i).append("n", 100))
                .toList());
        var money = "/" + mongo.databaseName() + "/money/m";
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var clients = IntStream.range(0, 64)
                    .mapToObj(i -> threads.submit(() -> {
                        var random = ThreadLocalRandom.current();
                        var from = money + random.nextInt(4);
                        var to = money + (4 + random.nextInt(4));
                        return send(i % 2 == 0 ? here : there, "POST", "/_transactions", """
                            [{"method": "PATCH", "path": "%s", "body": {"$inc": {"n": -3}}},
                             {"method": "PATCH", "path": "%s", "body": {"$inc": {"n": 3}}}]\
                            """.formatted(from, to));
                    }))
                    .toList();
            for (var client : clients) {
                assertStatus(200, client.get());
            }
        }
        var sums = accounts.find()
                .map(account -> account.get("n", Number.class).intValue())
                .into(new ArrayList<>());
        assertThat(sums.stream().mapToInt(n -> n).sum()).isEqualTo(800);
        assertThat(sums.stream().filter(n -> n > 100).mapToInt(n -> n - 100).sum())
                .isEqualTo(64 * 3);
    }

    @Test
    void what_an_attempt_has_read_is_given_back_before_the_next_one() throws Exception {
        mongo.database().getCollection("large").drop();
        mongo.database()
                .getCollection("large")
                .insertMany(IntStream.range(0, 12)
                        .mapToObj(i -> new Document("_id", i).append("text", "x".repeat(1 << 20)))
                        .toList());
        var holder = ClientTransaction.begin(there.as("admin"));
        assertStatus(200, there.as("admin").patch(holder.in(path("/a")), "{\"n\": 2}"));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            long before = aborted();
            var waiting = threads.submit(
                    () -> here.as("admin").post("/_transactions", """
                        [{"method": "GET", "path": "/%s/large"}, {"method": "PATCH", "path": "%s", "body": {"m": 3}}]\
                        """.formatted(mongo.databaseName(), path("/a"))));
            long late = System.nanoTime() + TimeUnit.SECONDS.toNanos(6); // of the ten that it tries
            await().until(() -> waiting.isDone() || aborted() > before + 40 || System.nanoTime() > late);
            assertStatus(200, holder.commit());
            assertStatus(200, waiting.get());
        }
    }

    /// Each of its attempts but the last ends with a document that fails.
    @Test
    void a_rehearsal_without_conflicts_waits_for_no_turn_of_those_that_have() throws Exception {
        mongo.database().getCollection("bounded").drop();
        mongo.database()
                .createCollection(
                        "bounded",
                        new CreateCollectionOptions()
                                .validationOptions(new ValidationOptions().validator(Document.parse("{n: 1}"))));
        var holder = ClientTransaction.begin(there.as("admin"));
        assertStatus(200, there.as("admin").patch(holder.in(path("/a")), "{\"n\": 2}"));
        try (var slow = ConformanceGateway.of(SLOW.formatted(mongo.connectionString()));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            long before = aborted();
            var conflicting = threads.submit(() -> send(slow, "POST", "/_transactions", """
                [{"method": "GET", "path": "%s"}, {"method": "PATCH", "path": "%s", "body": {"m": 3}}]\
                """.formatted(
                            path("?filter=%7B%22$where%22:%22sleep(700)%7C%7Ctrue%22%7D"), path("/a"))));
            await().until(() -> aborted() >= before + 2); // the next attempts have their turn
            long began = System.nanoTime();
            var rehearsed = slow.as("admin")
                    .with("Prefer", "tx=rollback")
                    .post(
                            "/" + mongo.databaseName() + "/bounded",
                            Collections.nCopies(6, "{\"n\": 2}").toString());
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(2));
            assertStatus(207, rehearsed);
            assertStatus(200, holder.commit());
            assertStatus(200, conflicting.get());
        }
    }

    /// Transactions of all clients of the deployment.
    private long aborted() {
        var status = mongo.client().getDatabase("admin").runCommand(new Document("serverStatus", 1));
        return status.get("transactions", Document.class)
                .get("totalAborted", Number.class)
                .longValue();
    }

    @Test
    void a_change_stream_hears_nothing_of_a_rehearsal_and_of_a_transaction_that_failed() {
        try (var events = mongo.database().getCollection("c").watch().cursor()) {
            var rehearsing = here.as("admin").with("Prefer", "tx=rollback");
            assertStatus(200, rehearsing.patch(path("/a"), "{\"n\": 7}"));
            assertStatus(200, rehearsing.send("DELETE", path("/*?filter=%7B%22n%22:1%7D"), ""));
            assertStatus(404, here.as("admin").post("/_transactions", """
                [{"method": "PATCH", "path": "%s", "body": {"n": 8}},
                 {"method": "PATCH", "path": "%s", "body": {"n": 8}}]\
                """.formatted(path("/a"), path("/none"))));
            assertStatus(200, here.as("admin").patch(path("/a"), "{\"n\": 9}"));
            var updated = events.next().getUpdateDescription();
            assertThat(updated).isNotNull();
            assertThat(updated.getUpdatedFields().getInt32("n").getValue()).isEqualTo(9);
        }
    }

    @Test
    void a_taken_id_violates_a_precondition_as_it_does_without_a_transaction() {
        var none = ", \"headers\": {\"If-None-Match\": \"*\"}";
        var other = ", \"headers\": {\"If-Match\": \"other\"}";
        for (var headers : List.of(none, other)) {
            for (var mode : List.of("insert", "upsert")) {
                for (var method : List.of("PUT", "PATCH")) {
                    var operation = "{\"method\": \"" + method + "\", \"path\": \"" + path("/a?wm=" + mode)
                            + "\", \"body\": {\"n\": 2}" + headers + "}";
                    assertStatus(412, send(here, "POST", "/_transactions", "[" + operation + "]"));
                }
            }
        }
        var made = "{\"method\": \"PUT\", \"path\": \"" + path("/b?wm=upsert") + "\", \"body\": {}" + none + "}";
        var twice = send(here, "POST", "/_transactions", "[" + made + ", " + made + "]");
        assertStatus(412, twice);
        assertThat(twice.body()).contains("\"index\": 1");
        assertStatus(200, send(here, "POST", "/_transactions", "[" + made + "]"));
        var taken = "{\"method\": \"PUT\", \"path\": \"" + path("/a?wm=insert") + "\", \"body\": {}}";
        assertStatus(409, send(here, "POST", "/_transactions", "[" + taken + "]"));
    }

    @Test
    void a_bound_that_is_ignored_is_warned_of() {
        for (var more : List.of("", ", tx=rollback")) {
            var answer = here.as("admin")
                    .with("Prefer", "handling=lenient, max-affected=1" + more)
                    .send("DELETE", path("/*?filter=%7B%22n%22:-1%7D"), "");
            assertStatus(200, answer);
            assertThat(answer.headers().allValues("Warning"))
                    .singleElement()
                    .asString()
                    .contains("max-affected is ignored");
        }
    }

    @Test
    void however_many_others_insert_no_more_are_deleted_than_the_bound() throws Exception {
        var many = "/" + mongo.databaseName() + "/many";
        mongo.database().getCollection("many").drop();
        mongo.database().getCollection("many").insertOne(new Document("n", 1));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var inserts = threads.submit(
                    () -> IntStream.range(0, 60).allMatch(_ -> status(there, "POST", many, "{\"n\": 1}") == 201));
            var bounded = here.as("admin").with("Prefer", "max-affected=3, handling=strict");
            while (!inserts.isDone()) {
                var answer = bounded.send("DELETE", many + "/*?filter=%7B%22n%22:1%7D", "");
                assertThat(answer.statusCode()).isIn(200, 400, 409);
                assertThat(answer.body()).doesNotContainPattern("\"deleted\": ([4-9]|\\d\\d)");
            }
            assertThat(inserts.get()).isTrue();
        }
    }

    @Test
    void of_two_transactions_that_write_the_same_document_one_is_aborted() {
        var one = ClientTransaction.begin(here.as("admin"));
        var other = ClientTransaction.begin(there.as("admin"));

        assertThat(status(here, "PATCH", one.in(path("/a")), "{\"n\": 2}")).isEqualTo(200);
        var refused = send(there, "PATCH", other.in(path("/a")), "{\"n\": 3}");

        assertStatus(409, refused);
        assertThat(refused.body()).contains("Write conflict inside transaction");
        assertThat(send(here, "GET", "/_sessions/" + other.sid() + "/_txns", "").body())
                .contains("\"ABORTED\"");
        assertStatus(200, one.commit());
        assertThat(send(here, "GET", path("/a"), "").body()).contains("\"n\": 2");
    }

    /// MongoDB aborts it there, and what follows in later commands is not even sent.
    @Test
    void of_an_array_that_fails_in_a_transaction_only_what_precedes_the_failure_is_reported() {
        var sid = session();
        var documents = IntStream.range(0, 12_000)
                .mapToObj(i -> "{\"_id\": " + (i == 1 ? 0 : i) + "}")
                .collect(Collectors.joining(",", "[", "]"));
        var answer = send(here, "POST", path("?sid=" + sid + "&txn=" + begin(here, sid)), documents);
        assertStatus(207, answer);
        assertThat(Document.parse(answer.body())).containsEntry("inserted", 1);
    }

    @Test
    void a_write_that_fails_ends_the_transaction() {
        for (var content : new String[] {"{\"_id\": \"a\"}", "[{\"_id\": \"x\"}, {\"_id\": \"a\"}]"}) {
            var sid = session();
            var in = "?sid=" + sid + "&txn=" + begin(here, sid);
            assertThat(status(here, "POST", path(in), "{\"_id\": \"b\"}")).isEqualTo(201);
            assertThat(status(here, "POST", path(in), content)).isIn(409, 207);
            assertThat(status(here, "PATCH", "/_sessions/" + sid + "/_txns/1", ""))
                    .isEqualTo(400);
            assertThat(send(here, "GET", path("/_size"), "").body()).contains("1");
        }
        var sid = session();
        var in = "?wm=insert&sid=" + sid + "&txn=" + begin(here, sid);
        assertThat(status(here, "PUT", path("/a" + in), "{}")).isEqualTo(409);
    }

    @Test
    void sessions_of_other_accounts_cannot_be_used() {
        var sid = session();
        var txn = begin(here, sid);
        assertThat(status(here, "PATCH", path("/a?sid=" + sid + "&txn=" + txn), "{\"n\": 5}"))
                .isEqualTo(200);
        for (var target :
                new String[] {path("/a?sid=" + sid), path("/a?sid=" + sid + "&txn=1"), "/_sessions/" + sid + "/_txns"
                }) {
            assertThat(send(there, "bob", "GET", target, "").statusCode())
                    .as(target)
                    .isEqualTo(404);
        }
        assertStatus(404, send(there, "bob", "POST", path("?sid=" + sid + "&txn=1"), "{\"_id\": \"x\"}"));
        for (var method : new String[] {"PATCH", "DELETE"}) {
            assertStatus(404, send(there, "bob", method, "/_sessions/" + sid + "/_txns/1", ""));
        }
        assertStatus(404, send(there, "bob", "DELETE", "/_sessions/" + sid, ""));

        var chosen = "7f3c1f0e-6a5b-4c1d-9e2f-" + mongo.databaseName().hashCode();
        chosen = chosen.substring(0, 24) + "0123456789ab";
        var begun = begin(here, chosen);
        assertThat(send(there, "bob", "GET", path("/a?sid=" + chosen + "&txn=" + begun), "")
                        .statusCode())
                .as("the same id is another session for somebody else")
                .isEqualTo(400);
        assertThat(status(here, "PATCH", "/_sessions/" + sid + "/_txns/1", "")).isEqualTo(200);
        assertThat(status(here, "DELETE", "/_sessions/" + chosen, "")).isEqualTo(200);
    }

    @Test
    void a_patch_that_violates_its_schema_ends_the_transaction() {
        assertThat(status(here, "PUT", "/" + mongo.databaseName() + "/_schemas", ""))
                .isIn(200, 201);
        send(
                here,
                "PUT",
                "/" + mongo.databaseName() + "/_schemas/s?wm=upsert",
                "{\"properties\": {\"n\": {\"type\": \"integer\"}}}");
        assertThat(status(here, "PUT", path(""), "{\"jsonSchema\": {\"schemaId\": \"s\"}}"))
                .isIn(200, 201);
        var sid = session();
        var in = "?sid=" + sid + "&txn=" + begin(here, sid);

        assertThat(status(here, "PATCH", path("/a" + in), "{\"n\": 2}")).isEqualTo(200);
        assertThat(status(here, "PATCH", path("/a" + in), "{\"n\": \"x\"}")).isEqualTo(400);

        assertThat(status(here, "PATCH", "/_sessions/" + sid + "/_txns/1", "")).isEqualTo(400);
        assertThat(send(here, "GET", path("/a"), "").body()).contains("\"n\": 1");
        assertThat(status(here, "PUT", path(""), "{}")).isEqualTo(200);
    }

    @Test
    void money_that_many_move_at_once_stays_the_same() throws Exception {
        var accounts = mongo.database().getCollection("c");
        accounts.drop();
        IntStream.range(0, 20).forEach(i -> accounts.insertOne(new Document("_id", "k" + i).append("n", 100)));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var clients = IntStream.range(0, 64)
                    .mapToObj(i -> threads.submit(() -> IntStream.range(0, TRANSFERS)
                            .filter(_ -> transfer(i % 2 == 0 ? here : there, i % 2 == 0 ? there : here))
                            .count()))
                    .toList();
            long done = 0;
            for (var client : clients) {
                done += client.get();
            }
            assertThat(done).isPositive();
        }
        assertThat(accounts.find().map(account -> account.getInteger("n")).into(new ArrayList<>()))
                .hasSize(20)
                .satisfies(all -> assertThat(
                                all.stream().mapToInt(Integer::intValue).sum())
                        .isEqualTo(2000));
    }

    private boolean transfer(ConformanceGateway one, ConformanceGateway other) {
        var random = ThreadLocalRandom.current();
        int from = random.nextInt(20);
        int to = (from + 1 + random.nextInt(19)) % 20;
        var sid = session();
        var in = "?sid=" + sid + "&txn=" + begin(one, sid);
        int amount = random.nextInt(50);
        boolean moved = status(one, "PATCH", path("/k" + from + in), "{\"$inc\": {\"n\": " + -amount + "}}") == 200
                && status(other, "PATCH", path("/k" + to + in), "{\"$inc\": {\"n\": " + amount + "}}") == 200;
        return moved
                ? status(other, "PATCH", "/_sessions/" + sid + "/_txns/1", "") == 200
                : status(one, "DELETE", "/_sessions/" + sid + "/_txns/1", "") == 204;
    }
}
