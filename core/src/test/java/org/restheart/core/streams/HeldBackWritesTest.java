package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoClients;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Writes that the primary carries out and no other member confirms, as long as those replicate nothing, are answered
/// within the time limit of a request, whatever their kind, and are not acknowledged.
class HeldBackWritesTest {
    /// The time limit, and what tests that share a machine take from each other.
    private static final Duration LONGEST = Duration.ofSeconds(10 + 2);

    private static final String FILE = """
            --b\r
            Content-Disposition: form-data; name="file"; filename="a.txt"\r
            Content-Type: text/plain\r
            \r
            some bytes\r
            --b--\r
            """;

    @TempDir
    Path folder;

    private record Write(String method, String target, String body, String... headers) {
        @Override
        public String toString() {
            return method + " " + target;
        }
    }

    private static final List<Write> WRITES = List.of(
            new Write("POST", "/t", "{\"n\": 1}"),
            new Write("POST", "/t?writeConcern=MAJORITY", "{\"n\": 1}"),
            new Write("POST", "/t?writeConcern=W2", "{\"n\": 1}"),
            new Write("POST", "/t?writeConcern=ACKNOWLEDGED", "{\"n\": 1}"),
            new Write("POST", "/t?writeConcern=W1", "{\"n\": 1}"),
            new Write("POST", "/t?writeConcern=JOURNALED", "{\"n\": 1}"),
            new Write("POST", "/t", "[{\"n\": 1}, {\"n\": 2}]"),
            new Write("POST", "/t?wm=upsert", "[{\"_id\": 1}, {\"_id\": 2}]"),
            new Write("POST", "/t", "{\"n\": 1}\n{\"n\": 2}\n", "Content-Type", "application/x-ndjson"),
            new Write("PATCH", "/t/a", "{\"n\": 2}"),
            new Write("PATCH", "/t/b", "[{\"$set\": {\"n\": 3}}]"),
            new Write("PUT", "/t/c?wm=upsert", "{\"n\": 2}"),
            new Write("DELETE", "/t/d", ""),
            new Write("PATCH", "/t/*?filter=%7B%22m%22:1%7D", "{\"n\": 3}"),
            new Write("DELETE", "/t/*?filter=%7B%22m%22:2%7D", ""),
            new Write("GET", "/t/_aggrs/out", ""),
            new Write("PATCH", "/t", "{\"p\": 1}"),
            new Write("PUT", "/made", "{}"),
            new Write("DELETE", "/gone", "", "If-Match", "$gone"),
            new Write("PUT", "/indexed/_indexes/n", "{\"keys\": {\"n\": 1}}"),
            new Write("DELETE", "/t/_indexes/old", ""),
            new Write("POST", "/f.files", FILE, "Content-Type", "multipart/form-data; boundary=b"),
            new Write("PATCH", "/f.files/other", "{\"m\": 1}"),
            new Write("DELETE", "/f.files/known", ""));

    @Test
    void writes_of_every_kind_end_in_time() throws Exception {
        try (var mongo = OwnReplicaSet.start(3, folder);
                var client = MongoClients.create(mongo.connectionString().replace("&w=majority", ""));
                var gateway =
                        StreamsGateway.start(client, mongo.connectionString().replace("&w=majority", ""), "held", "");
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            prepare(gateway);
            var gone = gateway.send("GET", "/gone/_meta", "")
                    .headers()
                    .firstValue("ETag")
                    .orElse("");
            var transaction = beginTransaction(gateway);
            mongo.stopReplication(client);
            var answers = new ArrayList<Future<String>>();
            for (var write : WRITES) {
                answers.add(threads.submit(outcome(
                        gateway, new Write(write.method, write.target, write.body, replace(write.headers, gone)))));
            }
            answers.add(threads.submit(outcome(gateway, new Write("PATCH", transaction, ""))));
            var wrong = new ArrayList<String>();
            for (var answer : answers) {
                wrong.add(answer.get());
            }
            wrong.removeIf(String::isEmpty);
            mongo.resumeReplication();
            assertThat(wrong).isEmpty();
            await().until(() -> gateway.send("POST", "/t", "{\"n\": 1}").statusCode() == 201);
        }
    }

    private static String[] replace(String[] headers, String gone) {
        return List.of(headers).stream()
                .map(header -> header.replace("$gone", gone))
                .toArray(String[]::new);
    }

    /// @return what is wrong with the answer, or an empty text
    private static Callable<String> outcome(StreamsGateway gateway, Write write) {
        return () -> {
            long start = System.nanoTime();
            var response = gateway.send(write.method, write.target, write.body, write.headers);
            var took = Duration.ofNanos(System.nanoTime() - start);
            boolean unavailable = response.statusCode() == 503
                    && response.headers().firstValue("Retry-After").isPresent();
            boolean alone = write.target.endsWith("=W1") || write.target.endsWith("=JOURNALED");
            boolean fine = took.compareTo(LONGEST) <= 0 && (alone ? response.statusCode() == 201 : unavailable);
            return fine ? "" : write + ": " + response.statusCode() + " after " + took + " " + response.body();
        };
    }

    private static String beginTransaction(StreamsGateway gateway) throws Exception {
        var session = gateway.send("POST", "/_sessions", "")
                .headers()
                .firstValue("Location")
                .orElseThrow();
        var path = session.substring(session.indexOf("/_sessions"));
        var transaction = gateway.send("POST", path + "/_txns", "")
                .headers()
                .firstValue("Location")
                .orElseThrow();
        var number = transaction.substring(transaction.lastIndexOf('/') + 1);
        var sid = path.substring(path.lastIndexOf('/') + 1);
        assertStatus(201, gateway.send("POST", "/t?sid=" + sid + "&txn=" + number, "{\"n\": 1}"));
        return path + "/_txns/" + number;
    }

    private static void prepare(StreamsGateway gateway) throws Exception {
        gateway.define("t", "{\"aggrs\": [{\"uri\": \"out\", \"stages\": [{\"$out\": \"copy\"}]}]}");
        for (var id : List.of("a", "b", "c", "d")) {
            gateway.insert("t", "{_id: '" + id + "', n: 1, m: 1}");
        }
        gateway.insert("t", "{_id: 'e', m: 2}"); // a write that finds nothing waits only for those before it
        gateway.define("gone", "{}");
        gateway.define("indexed", "{}");
        gateway.define("f.files", "{}");
        for (var put : List.of(
                new Write("PUT", "/t/_indexes/old", "{\"keys\": {\"n\": 1}}"),
                new Write("PUT", "/f.files/known", "bytes", "Content-Type", "text/plain"),
                new Write("PUT", "/f.files/other", "bytes", "Content-Type", "text/plain"))) {
            assertThat(gateway.send(put.method, put.target, put.body, put.headers)
                            .statusCode())
                    .as(put.toString())
                    .isEqualTo(201);
        }
    }
}
