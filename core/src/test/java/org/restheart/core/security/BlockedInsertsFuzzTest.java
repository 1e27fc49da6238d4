package org.restheart.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.MongoException;
import com.mongodb.client.model.Filters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Documents that many insert, while open transactions have written the same `_id`.
@WithMongo
class BlockedInsertsFuzzTest {
    private final TestMongo mongo;

    @AutoClose
    private final TestGateway gateway;

    @AutoClose
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    BlockedInsertsFuzzTest(TestMongo mongo) {
        this.mongo = mongo;
        this.gateway = TestGateway.start(mongo, "");
        gateway.permit("editor", "path-prefix('/books')", "{allowWriteMode: true}");
        gateway.database().createCollection("books");
    }

    /// Clients who insert few ids at once, alone and in arrays, while transactions hold some of these for random
    /// times and commit or abort them.
    @Test
    void what_is_acknowledged_is_stored_once_and_what_is_refused_is_not() throws Exception {
        int ids = 600;
        var next = new AtomicInteger();
        Map<Integer, Integer> told = new ConcurrentHashMap<>(); // id → client
        Map<Integer, Boolean> transactions = new ConcurrentHashMap<>(); // ids that a transaction has committed
        var unknown = ConcurrentHashMap.<Integer>newKeySet();
        var refused = new AtomicInteger();
        var ended = new AtomicBoolean();
        var tasks = new ArrayList<Callable<Void>>();
        for (int t = 0; t < 4; t++) {
            var random = new Random(t);
            tasks.add(() -> {
                while (!ended.get()) {
                    int millis = random.nextInt(10) == 0 ? 9_000 : random.nextInt(600);
                    int id = Math.min(next.get() + random.nextInt(60), ids - 1);
                    hold(id, millis, random.nextBoolean(), transactions, () -> {});
                }
                return null;
            });
        }
        var held = new CountDownLatch(1);
        var first = threads.submit(() -> {
            hold(0, 9_000, true, transactions, held::countDown);
            return null;
        });
        held.await();
        var clients = new ArrayList<Future<?>>();
        for (int c = 0; c < 24; c++) {
            int client = c;
            var random = new Random(100 + c);
            clients.add(threads.submit(() -> {
                for (int from = next.getAndAdd(3); from < ids; from = next.getAndAdd(3)) {
                    var documents = IntStream.range(from, Math.min(from + 3, ids))
                            .boxed()
                            .collect(Collectors.toList());
                    documents.add(random.nextInt(ids)); // often one of another client
                    insert(client, documents, random.nextBoolean(), told, unknown, refused);
                }
            }));
        }
        var holders = tasks.stream().map(threads::submit).toList();
        for (var each : clients) {
            each.get();
        }
        ended.set(true);
        first.get();
        for (var each : holders) {
            each.get();
        }
        assertThat(refused).as("documents that were held too long").hasPositiveValue();
        for (int id = 0; id < ids; id++) {
            var stored = gateway.collection("books").find(Filters.eq("_id", id)).first();
            if (told.containsKey(id)) {
                assertThat(stored).as("acknowledged " + id).isNotNull();
                assertThat(stored.getNumber("client").intValue()).isEqualTo(told.get(id));
                assertThat(transactions).doesNotContainKey(id);
            } else if (transactions.containsKey(id)) {
                assertThat(stored).isNotNull();
                assertThat(stored.containsKey("client")).isFalse();
            } else {
                assertThat(stored == null || unknown.contains(id))
                        .as("refused " + id)
                        .isTrue();
            }
        }
        assertThat(gateway.collection("books").countDocuments())
                .isBetween(
                        (long) told.size() + transactions.size(),
                        (long) told.size() + transactions.size() + unknown.size());
    }

    private void hold(int id, int millis, boolean commits, Map<Integer, Boolean> committed, Runnable held)
            throws InterruptedException {
        try (var session = mongo.client().startSession()) {
            session.startTransaction();
            try {
                gateway.collection("books").insertOne(session, BsonDocument.parse("{_id: " + id + "}"));
            } catch (MongoException e) { // somebody else has inserted it, or does so now
                session.abortTransaction();
                return;
            }
            held.run();
            Thread.sleep(millis);
            if (commits) {
                session.commitTransaction();
                committed.put(id, true);
            } else {
                session.abortTransaction();
            }
        }
    }

    private void insert(
            int client,
            List<Integer> ids,
            boolean alone,
            Map<Integer, Integer> told,
            Set<Integer> unknown,
            AtomicInteger refused) {
        var ada = gateway.as("ada");
        if (alone) {
            for (int id : ids) {
                var answer = BlockedInsertsTest.within(
                        BlockedInsertsTest.TIME_LIMIT,
                        () -> ada.post("/books", "{\"_id\": " + id + ", \"client\": " + client + "}"));
                if (answer.statusCode() == 201) {
                    assertThat(told.put(id, client))
                            .as("acknowledged twice " + id)
                            .isNull();
                } else if (answer.statusCode() == 503) {
                    refused.incrementAndGet();
                    if (answer.body().contains("not known")) {
                        unknown.add(id);
                    }
                } else {
                    assertStatus(409, answer);
                }
            }
            return;
        }
        var array = ids.stream()
                .map(id -> "{\"_id\": " + id + ", \"client\": " + client + "}")
                .collect(Collectors.joining(",", "[", "]"));
        var answer = ada.post("/books", array);
        if (answer.statusCode() == 503) {
            if (answer.body().contains("not known")) {
                unknown.addAll(ids);
            }
            return;
        }
        assertThat(answer.statusCode()).as(answer.body()).isIn(200, 207);
        var errors =
                answer.statusCode() == 200 ? Map.<Integer, Integer>of() : BlockedInsertsTest.errors(answer, "index");
        for (int i = 0; i < ids.size(); i++) {
            if (errors.containsKey(i)) {
                assertThat(errors.get(i)).isIn(409, 503);
                if (errors.get(i) == 503) {
                    refused.incrementAndGet();
                }
            } else {
                assertThat(told.put(ids.get(i), client))
                        .as("acknowledged twice " + ids.get(i))
                        .isNull();
            }
        }
    }
}
