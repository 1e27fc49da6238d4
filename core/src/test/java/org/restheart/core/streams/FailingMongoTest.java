package org.restheart.core.streams;

import static com.mongodb.client.model.Filters.eq;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.MongoWriteException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;

/// Responses to failures that MongoDB reports: elections, interrupted operations, lost history of a change stream.
/// Failpoints provoke them.
class FailingMongoTest extends OwnMongoFixture {
    private static final int UNAUTHORIZED = 13;
    private static final int HISTORY_LOST = 286;
    private static final int WRITE_CONFLICT = 112;
    private static final String NAMESPACE = "history.t";
    private static final String WRITES = "insert', 'update', 'delete', 'findAndModify', 'aggregate";

    FailingMongoTest() {
        super("history");
    }

    @Test
    void a_listener_with_an_expired_token_is_refused_with_410_and_affects_no_others() throws Exception {
        try (var staying = SseListener.open(gateway, "/t/_streams/all")) {
            gateway.insert("t", "{n: 1}");
            var id = staying.next().id();

            OwnReplicaSet.fail(client, NAMESPACE, "aggregate", HISTORY_LOST, 1);
            try (var away = new SseListener(gateway, "/t/_streams/all", id)) {
                assertThat(away.status()).contains(" 410 ");
            }
            OwnReplicaSet.fail(client, NAMESPACE, "aggregate", HISTORY_LOST, 1);
            assertThat(gateway.handshake("/t/_streams/all?startAtOperationTime=1"))
                    .isEqualTo(410);

            gateway.insert("t", "{n: 2}");
            assertThat(staying.nextN()).isEqualTo(2);
        }
        try (var now = SseListener.open(gateway, "/t/_streams/all")) { // without a past, all is well
            assertThat(now.status()).contains(" 200 ");
        }
    }

    /// Each may search all of MongoDB's log, on a processor of its own.
    @Test
    void of_those_who_resume_few_search_at_a_time() throws Exception {
        try (var staying = SseListener.open(gateway, "/t/_streams/all");
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            gateway.insert("t", "{n: 1}");
            var id = staying.next().id();
            gateway.insert("t", "{n: 2}");
            OwnReplicaSet.delay(client, NAMESPACE, "aggregate", 1_000);
            int most = 0;
            try {
                var again = IntStream.range(0, 20)
                        .mapToObj(_ -> threads.submit(() -> {
                            try (var away = new SseListener(gateway, "/t/_streams/all", id)) {
                                return away.nextN();
                            }
                        }))
                        .toList();
                while (again.stream().anyMatch(each -> !each.isDone())) {
                    most = Math.max(most, aggregations());
                }
                for (var each : again) {
                    assertThat(each.get()).isEqualTo(2);
                }
            } finally {
                OwnReplicaSet.fail(client, NAMESPACE, "aggregate", UNAUTHORIZED, 0);
            }
            assertThat(most).as("of 16 half").isBetween(2, 8);
        }
    }

    private int aggregations() {
        return TestMongo.operations(client, "{type: 'op', 'command.aggregate': 't', 'command.$db': 'history'}")
                .size();
    }

    @Test
    void listeners_of_a_stream_with_lost_history_get_a_failure() throws Exception {
        try (var webSocket = WebSocketListener.open(gateway, "/t/_streams/all");
                var events = SseListener.open(gateway, "/t/_streams/all")) {
            OwnReplicaSet.fail(client, NAMESPACE, "getMore", HISTORY_LOST, 1);
            assertThat(webSocket.closeCode()).isEqualTo(1011);
            assertThatThrownBy(events::next).hasMessageStartingWith("the stream has ended");
        }
    }

    @Test
    void a_listener_whose_account_cannot_be_read_when_it_is_deleted_is_closed_later() throws Exception {
        try (var secured =
                StreamsGateway.startSecured(client, mongo.connectionString(), "secured", StreamsGateway.SECURITY)) {
            secured.addUser("admin", "admin");
            secured.addUser("eve", "reader");
            secured.insert("acl", "{_id: 'p', roles: ['reader'], predicate: \"path-prefix('/t')\", mongo: {}}");
            var admin = StreamsGateway.basic("admin");
            assertStatus(
                    201,
                    secured.send(
                            "PUT",
                            "/t",
                            "{\"streams\": [{\"uri\": \"all\", \"stages\": []}]}",
                            "Authorization",
                            admin));
            try (var threads = Executors.newVirtualThreadPerTaskExecutor();
                    var events = SseListener.open(
                            secured, "/t/_streams/all", "Authorization: " + StreamsGateway.basic("eve"))) {
                OwnReplicaSet.fail(client, "secured.users", "find", UNAUTHORIZED, 3);
                secured.collection("users").deleteOne(eq("_id", "eve"));
                assertThat(threads.submit(events::next)) // comments keep an open stream from timing out
                        .failsWithin(Duration.ofSeconds(20))
                        .withThrowableOfType(ExecutionException.class)
                        .withMessageContaining("the stream has ended");
            } finally {
                OwnReplicaSet.fail(client, "secured.users", "find", UNAUTHORIZED, 0);
            }
        }
    }

    /// The user of MongoDB may write the accounts, and not the lock that gateways share; or no majority confirms it.
    @Test
    void accounts_with_the_root_role_can_be_changed_when_their_lock_cannot() throws Exception {
        try (var secured =
                StreamsGateway.startSecured(client, mongo.connectionString(), "managers", StreamsGateway.SECURITY)) {
            for (var name : List.of("admin", "root", "other")) {
                secured.addUser(name, "admin");
            }
            var admin = StreamsGateway.basic("admin");
            OwnReplicaSet.fail(client, "managers._manager_lock", "findAndModify", UNAUTHORIZED, 1);
            assertStatus(204, secured.send("DELETE", "/users/other", "", "Authorization", admin));
            OwnReplicaSet.leaveUnconfirmed(client, "managers._manager_lock", "findAndModify");
            assertThat(secured.send("DELETE", "/users/root", "", "Authorization", admin)
                            .statusCode())
                    .isGreaterThanOrEqualTo(500);
            assertStatus(204, secured.send("DELETE", "/users/root", "", "Authorization", admin));
            assertStatus(409, secured.send("DELETE", "/users/admin", "", "Authorization", admin));
        }
    }

    /// MongoDB's names are NotWritablePrimary, PrimarySteppedDown, InterruptedAtShutdown, Interrupted and
    /// ShutdownInProgress.
    @ParameterizedTest
    @ValueSource(ints = {10107, 189, 11600, 11601, 91})
    void an_operation_that_an_election_or_a_restart_interrupts_may_be_tried_again_soon(int code) throws Exception {
        gateway.send("PUT", "/t/one", "{}");
        OwnReplicaSet.fail(client, NAMESPACE, "find', '" + WRITES, code, 1_000);
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answers = new LinkedHashMap<String, Future<HttpResponse<String>>>();
            for (var request : List.of(
                    "GET /t",
                    "GET /t/one",
                    "GET /t/_size?filter={\"n\":1}",
                    "POST /t",
                    "PATCH /t/one",
                    "PUT /t/one",
                    "DELETE /t/one")) {
                var words = request.split(" ");
                var call = new Call("", words[0], words[1]);
                answers.put(request, threads.submit(() -> gateway.send(call.method(), call.encoded(), "{\"m\": 1}")));
            }
            for (var request : answers.keySet()) {
                var answer = answers.get(request).get();
                assertThat(answer.statusCode())
                        .as("%s: %s", request, answer.body())
                        .isEqualTo(503);
                assertThat(answer.headers().firstValue("Retry-After")).isPresent();
            }
        } finally {
            OwnReplicaSet.fail(client, NAMESPACE, "find", code, 0);
        }
    }

    /// More often than the driver tries again. Nothing is stored twice.
    @Test
    void connections_that_break_several_times_fail_no_request_that_has_time_left() throws Exception {
        gateway.insert("t", "{_id: 'kept'}");
        assertServedOverBrokenConnections(new Call("insert", "POST", "/t"));
        assertServedOverBrokenConnections(new Call("update", "PATCH", "/t/kept"));
        for (var read : List.of(
                new Call("find", "GET", "/t/kept"),
                new Call("find", "GET", "/t?filter={\"_id\":\"kept\"}"),
                new Call("aggregate", "GET", "/t/_aggrs/kept"),
                new Call("aggregate", "GET", "/t/_size?filter={\"_id\":\"kept\"}"))) {
            // a query is repeated only if its connection is lost within half a second, which is short for a busy
            // machine
            await().untilAsserted(() -> assertServedOverBrokenConnections(read));
        }
        assertServedOverBrokenConnections(new Call("delete", "DELETE", "/t/kept"));
        for (var command : List.of("findAndModify", "update")) { // a claim, and its answer
            OwnReplicaSet.breakConnection(client, "history._idempotency", command, 3);
            assertThat(post("broken-" + command, "{\"posted\": 1}")).isEqualTo(201);
        }
        assertThat(gateway.collection("t").countDocuments(eq("posted", 1))).isEqualTo(3);
    }

    private void assertServedOverBrokenConnections(Call request) throws Exception {
        OwnReplicaSet.breakConnection(client, NAMESPACE, request.command(), 3);
        try {
            var answer = gateway.send(request.method(), request.encoded(), "{\"posted\": 1}");
            assertThat(answer.statusCode()).as("%s: %s", request, answer.body()).isBetween(200, 204);
        } finally {
            OwnReplicaSet.fail(client, NAMESPACE, request.command(), 0, 0);
        }
    }

    @Test
    void connections_that_break_several_times_fail_no_file() throws Exception {
        gateway.define("pictures.files", "{}");
        var form = "multipart/form-data; boundary=b";
        for (var broken : List.of("files", "chunks")) {
            OwnReplicaSet.breakConnection(client, "history.pictures." + broken, "insert", 3);
            var stored = gateway.send("POST", "/pictures.files", """
                --b\r
                Content-Disposition: form-data; name="file"; filename="f"\r
                \r
                %s\r
                --b--\r
                """.formatted(broken), "Content-Type", form);
            assertStatus(201, stored);
            OwnReplicaSet.breakConnection(client, "history.pictures." + broken, "find", 3);
            var file = URI.create(stored.headers().firstValue("Location").orElseThrow())
                    .getPath();
            var read = gateway.send("GET", file + "/binary", "");
            assertStatus(200, read);
            assertThat(read.body()).isEqualTo(broken);
        }
        assertThat(gateway.collection("pictures.chunks").countDocuments())
                .as("no chunk is stored twice")
                .isEqualTo(2);
    }

    @Test
    void connections_that_break_several_times_end_no_transaction() throws Exception {
        var session = path(gateway.send("POST", "/_sessions", ""));
        var committed = begunOverBrokenConnections(session);
        OwnReplicaSet.breakConnection(client, "commitTransaction", 3);
        assertStatus(200, gateway.send("PATCH", committed, ""));
        var aborted = begunOverBrokenConnections(session);
        OwnReplicaSet.breakConnection(client, "abortTransaction", 3);
        assertStatus(204, gateway.send("DELETE", aborted, ""));
        // as if the command without a reply had ended it
        var gone = begunOverBrokenConnections(session);
        client.getDatabase("admin").runCommand(new Document("killAllSessions", List.of()));
        OwnReplicaSet.breakConnection(client, "abortTransaction", 1);
        assertStatus(204, gateway.send("DELETE", gone, ""));
    }

    private String begunOverBrokenConnections(String session) throws Exception {
        OwnReplicaSet.breakConnection(client, "restheart._txns", "find", 3);
        return path(gateway.send("POST", session + "/_txns", ""));
    }

    private static String path(HttpResponse<String> created) {
        assertStatus(201, created);
        return URI.create(created.headers().firstValue("Location").orElseThrow())
                .getPath();
    }

    /// The driver's own pause of 500 ms before it looks for a server again would pass twice.
    @Test
    void a_server_whose_connection_broke_is_found_again_within_a_moment() {
        await().until(() -> {
            OwnReplicaSet.breakConnection(client, NAMESPACE, "insert", 3);
            long start = System.nanoTime();
            assertStatus(201, gateway.send("POST", "/t", "{}"));
            return System.nanoTime() - start < Duration.ofMillis(900).toNanos();
        });
    }

    private record Call(String command, String method, String target) {
        String encoded() {
            return target.replace("{", "%7B").replace("}", "%7D").replace("\"", "%22");
        }
    }

    /// With the same key, a retry carries out what failed, and does so once.
    @Test
    void an_idempotency_key_does_not_repeat_a_failure() throws Exception {
        OwnReplicaSet.fail(client, NAMESPACE, WRITES, 10107, 100_000_000);
        try {
            assertThat(post("k-1")).isEqualTo(503);
        } finally {
            OwnReplicaSet.fail(client, NAMESPACE, WRITES, 10107, 0);
        }
        assertThat(post("k-1")).isEqualTo(201);
        assertThat(post("k-1")).isEqualTo(201);
        assertThat(gateway.collection("t").countDocuments(eq("key", 1))).isEqualTo(1);
    }

    private int post(String key) throws Exception {
        return post(key, "{\"key\": 1}");
    }

    private int post(String key, String body) throws Exception {
        return gateway.send(
                        "POST",
                        "/t",
                        body,
                        "Authorization",
                        TestClient.basic("admin", "secret"),
                        "Idempotency-Key",
                        key)
                .statusCode();
    }

    @Test
    void validators_that_cannot_be_compared_with_a_changed_schema_are_flagged_and_compared_later() throws Exception {
        gateway.define("_schemas", "{}");
        gateway.send("PUT", "/_schemas/s?wm=upsert", "{\"properties\": {\"n\": {\"type\": \"integer\"}}}");
        gateway.define("books", "{\"jsonSchema\": {\"schemaId\": \"s\"}}");
        assertStatus(201, gateway.send("PUT", "/books/_validator", ""));
        gateway.insert("books", "{n: 1}");

        // that there are both collections is known to the gateway, unless the test has taken long
        await().untilAsserted(() -> {
            gateway.send("GET", "/_schemas/s", "");
            OwnReplicaSet.fail(client, "listCollections", UNAUTHORIZED, 1_000);
            try {
                var changed = gateway.send(
                        "PUT", "/_schemas/s?wm=upsert", "{\"properties\": {\"n\": {\"type\": \"string\"}}}");
                assertStatus(200, changed);
                assertThat(changed.headers().firstValue("Warning").orElse("")).contains("tried again");
            } finally {
                OwnReplicaSet.fail(client, "listCollections", UNAUTHORIZED, 0);
            }
        });
        await().untilAsserted(() ->
                assertThatThrownBy(() -> gateway.insert("books", "{n: 1}")).isInstanceOf(MongoWriteException.class));
    }

    /// Whatever the parts of an answer do with the failure of one.
    @ParameterizedTest
    @ValueSource(strings = {"/t?embed=to", "/t/a?embed=to", "/to/_aggrs/all", "/to"})
    void a_transaction_is_repeated_after_reads_that_others_have_disturbed(String target) throws Exception {
        gateway.define("t", """
            {"streams": [{"uri": "all", "stages": []}], "aggrs": [{"uri": "kept", "stages": [{"$match": {"_id": "kept"}}]}],
             "rels": [{"rel": "to", "type": "MANY_TO_ONE", "role": "OWNING", "target-coll": "to", "ref-field": "to"}]}
            """);
        gateway.define("to", "{\"aggrs\": [{\"uri\": \"all\", \"stages\": []}]}");
        assertThat(gateway.send("PUT", "/t/a?wm=upsert", "{\"to\": \"b\"}").statusCode())
                .isLessThan(300);
        assertThat(gateway.send("PUT", "/to/b?wm=upsert", "{}").statusCode()).isLessThan(300);
        OwnReplicaSet.fail(client, "history.to", "find', 'aggregate", WRITE_CONFLICT, 2);
        try {
            var answer =
                    gateway.send("POST", "/_transactions", "[{\"method\": \"GET\", \"path\": \"" + target + "\"}]");
            assertStatus(200, answer);
            assertThat(answer.body()).contains("\"b\"");
        } finally {
            OwnReplicaSet.fail(client, "history.to", "find', 'aggregate", WRITE_CONFLICT, 0);
        }
    }

    /// Such as by a change of the primary.
    @ParameterizedTest
    @CsvSource({
        "PUT, /own.files/x, some bytes",
        "POST, /_transactions, '[{\"method\": \"POST\", \"path\": \"/own\", \"body\": {}}]'"
    })
    void a_transaction_that_meets_no_MongoDB_again_and_again_is_no_conflict(String method, String path, String body)
            throws Exception {
        gateway.define("own.files", "{}");
        gateway.define("own", "{}");
        var collection = path.startsWith("/own") ? "history.own.files" : "history.own";
        OwnReplicaSet.breakConnection(client, collection, "insert", 100_000);
        try {
            var type = path.startsWith("/own") ? "text/plain" : "application/json";
            assertStatus(503, gateway.send(method, path, body, "Content-Type", type));
        } finally {
            OwnReplicaSet.breakConnection(client, collection, "insert", 0);
        }
    }
}
