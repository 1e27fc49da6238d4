package org.restheart.core.streams;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.MongoClients;
import com.mongodb.client.model.changestream.ChangeStreamDocument;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What `_transactions`, `max-affected` and `tx=rollback` promise, while many write and the primary fails: transfers
/// are made as a whole and once, no write exceeds its bound, and nobody hears of a rehearsal.
class TransactionsFailoverTest {
    private static final int ACCOUNTS = 16;
    private static final int STOCK = 100;
    private static final int BOUND = 3;
    private static final int ENOUGH = 25;

    @TempDir
    Path folder;

    private final AtomicBoolean over = new AtomicBoolean();
    private final Map<String, AtomicInteger> successes = new ConcurrentHashMap<>();

    /// The status of each transfer.
    private final Map<String, Integer> transfers = new ConcurrentHashMap<>();

    @Test
    void they_hold_under_concurrent_writes_and_a_failover() throws Exception {
        try (var mongo = OwnReplicaSet.start(3, folder);
                var client = MongoClients.create(mongo.connectionString());
                var gateway = StreamsGateway.start(client, mongo.connectionString(), "kept", "");
                var threads = Executors.newVirtualThreadPerTaskExecutor();
                var changes = gateway.database()
                        .watch()
                        .maxAwaitTime(1, TimeUnit.SECONDS)
                        .cursor()) {
            fill(gateway);
            var clients = new ArrayList<Future<?>>();
            for (int i = 0; i < 4; i++) {
                int n = i;
                clients.add(threads.submit(() -> repeat("transfer", () -> transfer(gateway, n))));
                clients.add(threads.submit(() -> repeat("rehearse", () -> rehearse(gateway))));
                clients.add(threads.submit(() -> repeat("insert", () -> insert(gateway))));
            }
            clients.add(threads.submit(() -> repeat("delete", () -> delete(gateway))));
            clients.add(threads.submit(() -> repeat("read", () -> read(gateway))));
            enough();
            mongo.killPrimary(client);
            successes.clear();
            enough();
            over.set(true);
            for (var each : clients) {
                each.get(1, TimeUnit.MINUTES);
            }
            gateway.insert("end", "{_id: 'end'}");
            var heard = new ArrayList<ChangeStreamDocument<Document>>();
            while (heard.isEmpty() || !collection(heard.getLast()).equals("end")) {
                var next = changes.tryNext();
                if (next != null) {
                    heard.add(next);
                }
            }
            verify(gateway, heard);
        }
    }

    private static void fill(StreamsGateway gateway) throws Exception {
        for (var name : List.of("accounts", "ledger", "rehearsed", "many")) {
            gateway.define(name, "{}");
        }
        for (int i = 0; i < ACCOUNTS; i++) {
            gateway.insert("accounts", "{_id: 'a" + i + "', n: " + STOCK + "}");
            gateway.insert("rehearsed", "{_id: 'r" + i + "', n: 0}");
        }
    }

    @FunctionalInterface
    private interface Request {
        /// Whether it was successful.
        boolean send() throws Exception;
    }

    private boolean repeat(String kind, Request request) throws Exception {
        while (!over.get()) {
            if (request.send()) {
                successes.computeIfAbsent(kind, _ -> new AtomicInteger()).incrementAndGet();
            }
        }
        return true;
    }

    private void enough() {
        await().atMost(Duration.ofMinutes(1))
                .until(() -> List.of("transfer", "rehearse", "insert", "delete", "read").stream()
                        .allMatch(kind -> successes
                                        .getOrDefault(kind, new AtomicInteger())
                                        .get()
                                >= (kind.equals("delete") ? 3 : ENOUGH)));
    }

    private static String all(String filter) {
        return "/*?filter=" + URLEncoder.encode(filter, StandardCharsets.UTF_8);
    }

    private boolean transfer(StreamsGateway gateway, int client) throws Exception {
        var random = ThreadLocalRandom.current();
        var id = "t" + client + "-" + transfers.size();
        int half = ACCOUNTS / 2;
        var answer = gateway.send(
                "POST", "/_transactions", """
            [{"method": "PATCH", "path": "/accounts/a%d", "body": {"$inc": {"n": -1}}},
             {"method": "POST", "path": "/ledger", "body": {"_id": "%s"}},
             {"method": "PATCH", "path": "/accounts/a%d", "body": {"$inc": {"n": 1}}}]\
            """.formatted(random.nextInt(half), id, half + random.nextInt(half)));
        transfers.put(id, answer.statusCode());
        return is(answer, 200);
    }

    private static boolean is(HttpResponse<String> answer, int... good) {
        assertThat(answer.statusCode())
                .as(answer.body())
                .matches(status ->
                        status == 409 || status == 503 || IntStream.of(good).anyMatch(each -> each == status));
        return IntStream.of(good).anyMatch(each -> each == answer.statusCode());
    }

    private static boolean rehearse(StreamsGateway gateway) throws Exception {
        var one = "/rehearsed/r" + ThreadLocalRandom.current().nextInt(ACCOUNTS);
        var answer = switch (ThreadLocalRandom.current().nextInt(4)) {
            case 0 -> gateway.send("PATCH", one, "{\"n\": 1}", "Prefer", "tx=rollback");
            case 1 -> gateway.send("DELETE", one, "", "Prefer", "tx=rollback");
            case 2 -> gateway.send("PATCH", "/rehearsed" + all("{\"n\":0}"), "{\"n\": 1}", "Prefer", "tx=rollback");
            default -> gateway.send("POST", "/rehearsed", "{\"n\": 1}", "Prefer", "tx=rollback");
        };
        return is(answer, 200, 201, 204);
    }

    private static boolean insert(StreamsGateway gateway) throws Exception {
        return is(
                gateway.send(
                        "POST",
                        "/many",
                        "{\"g\": " + ThreadLocalRandom.current().nextInt(40) + "}"),
                201);
    }

    private static boolean delete(StreamsGateway gateway) throws Exception {
        var group = all("{\"g\":" + ThreadLocalRandom.current().nextInt(40) + "}");
        var answer =
                gateway.send("DELETE", "/many" + group, "", "Prefer", "max-affected=" + BOUND + ", handling=strict");
        return is(answer, 200, 400) && answer.body().matches("(?s).*\"deleted\": [1-" + BOUND + "]\\D.*");
    }

    private static boolean read(StreamsGateway gateway) throws Exception {
        var answer = gateway.send("GET", "/rehearsed?pagesize=100&readConcern=local", "");
        if (!is(answer, 200)) {
            return false;
        }
        assertThat(answer.body().split("\"n\": 0", -1)).hasSize(ACCOUNTS + 1);
        return true;
    }

    private static String collection(ChangeStreamDocument<Document> change) {
        return change.getNamespace() == null ? "" : change.getNamespace().getCollectionName();
    }

    private void verify(StreamsGateway gateway, List<ChangeStreamDocument<Document>> heard) {
        var booked = new HashSet<String>();
        gateway.collection("ledger")
                .find()
                .forEach(entry -> booked.add(entry.getString("_id").getValue()));
        transfers.forEach((id, status) -> assertThat(status == 503 || booked.contains(id) == (status == 200))
                .as(id + " with status " + status)
                .isTrue());
        assertThat(sum(gateway, 0)).isEqualTo(STOCK * ACCOUNTS / 2 - booked.size());
        assertThat(sum(gateway, ACCOUNTS / 2)).isEqualTo(STOCK * ACCOUNTS / 2 + booked.size());
        assertThat(gateway.collection("rehearsed").countDocuments(new BsonDocument("n", new BsonInt32(0))))
                .isEqualTo(ACCOUNTS);
        var deleted = new HashMap<List<Object>, Integer>();
        for (var change : heard) {
            var operation = change.getOperationType().getValue();
            if (collection(change).equals("rehearsed")) {
                assertThat(operation).isEqualTo("insert");
                assertThat(change.getFullDocument()).containsEntry("n", 0);
            } else if (operation.equals("delete")) {
                deleted.merge(List.of(change.getLsid(), change.getTxnNumber()), 1, Integer::sum);
            }
        }
        assertThat(deleted.values()).isNotEmpty().allMatch(count -> count <= BOUND);
    }

    private static int sum(StreamsGateway gateway, int from) {
        return IntStream.range(from, from + ACCOUNTS / 2)
                .map(i -> gateway.collection("accounts")
                        .find(new BsonDocument("_id", new BsonString("a" + i)))
                        .first()
                        .getNumber("n")
                        .intValue())
                .sum();
    }
}
