package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.embedded.EmbeddedMongo;
import org.restheart.embedded.EmbeddedMongoConfig;
import org.restheart.http.ProblemException;
import org.restheart.mongo.write.Insert;
import org.restheart.mongo.write.InsertOutcome;

/// What becomes of batches when MongoDB dies, over a mongod of the test's own.
class FailureTest {
    private static final MongoNamespace NAMESPACE = new MongoNamespace("failures", "inserts");
    private static final int CLIENTS = 32;

    @TempDir
    Path data;

    private static Insert insert(ObjectId id) {
        var document = new RawBsonDocument(new BsonDocument("_id", new BsonObjectId(id)), new BsonDocumentCodec());
        return new Insert(NAMESPACE, WriteConcern.MAJORITY, document);
    }

    private static CoalescingConfig maxWait(Duration maxWait) {
        return new CoalescingConfig(
                true, true, true, 2, 256, 4 << 20, 1_000, maxWait, 10, Duration.ofMinutes(1), false);
    }

    private static GroupInserts inserts(MongoClient client, Duration maxWait) {
        return new Coalescer(client, maxWait(maxWait), new SimpleMeterRegistry()).groupInserts();
    }

    private static void kill(MongoClient client) {
        long pid = client.getDatabase("admin")
                .runCommand(BsonDocument.parse("{serverStatus: 1}"))
                .get("pid", Number.class)
                .longValue();
        assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
    }

    @Test
    void a_mongod_killed_in_mid_batch_loses_no_acknowledged_insert_and_repeats_none() {
        try (var mongo = EmbeddedMongo.start(EmbeddedMongoConfig.in(data).withCacheMegabytes(256));
                var client = MongoClients.create(mongo.connectionString());
                var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            client.getDatabase("failures").createCollection("inserts");
            var inserts = inserts(client, Duration.ofMinutes(1));
            Queue<ObjectId> acknowledged = new ConcurrentLinkedQueue<>();
            Queue<InsertOutcome> refused = new ConcurrentLinkedQueue<>();
            var failed = new AtomicInteger();
            var stop = new AtomicBoolean();
            for (int i = 0; i < CLIENTS; i++) {
                callers.execute(() -> {
                    while (!stop.get()) {
                        var id = new ObjectId();
                        try {
                            switch (inserts.submit(insert(id)).join().outcome()) {
                                case InsertOutcome.Inserted() -> acknowledged.add(id);
                                case InsertOutcome.Refused(var error) -> refused.add(new InsertOutcome.Refused(error));
                            }
                        } catch (CompletionException e) {
                            assertThat(e.getCause()).isInstanceOf(MongoException.class);
                            failed.incrementAndGet();
                        }
                    }
                });
            }
            await().atMost(Duration.ofSeconds(30)).until(() -> acknowledged.size() > 500);
            kill(client);
            int before = acknowledged.size();
            await().atMost(Duration.ofMinutes(1)).until(() -> acknowledged.size() > before + 500);
            stop.set(true);
            callers.shutdown();
            await().atMost(Duration.ofMinutes(1)).until(callers::isTerminated);

            Set<ObjectId> stored = client
                    .getDatabase("failures")
                    .getCollection("inserts", BsonDocument.class)
                    .find()
                    .map(document -> document.getObjectId("_id").getValue())
                    .into(new ArrayList<>())
                    .stream()
                    .collect(Collectors.toSet());
            assertThat(refused)
                    .as("a repeated insert would meet itself as a duplicate key")
                    .isEmpty();
            assertThat(stored).containsAll(acknowledged);
        }
    }

    @Test
    void with_mongodb_stopped_everybody_is_refused_in_time_and_the_queue_is_bounded() throws Exception {
        var mongo = EmbeddedMongo.start(EmbeddedMongoConfig.in(data).withCacheMegabytes(256));
        try (var client = MongoClients.create(mongo.connectionString() + "&serverSelectionTimeoutMS=3000")) {
            client.getDatabase("failures").createCollection("inserts");
            mongo.close();
            var inserts = inserts(client, Duration.ofSeconds(1));
            var waiting = new ArrayList<CompletableFuture<?>>();
            int full = 0;
            for (int i = 0; i < 5_000; i++) {
                try {
                    waiting.add(inserts.submit(insert(new ObjectId())));
                } catch (ProblemException e) {
                    assertThat(e.problem().status()).isEqualTo(503);
                    full++;
                }
            }
            assertThat(waiting).hasSizeLessThan(2_000);
            assertThat(full).isEqualTo(5_000 - waiting.size());
            for (var pending : waiting) {
                var failure = pending.handle((_, thrown) -> thrown).get(20, TimeUnit.SECONDS);
                assertThat(failure).isInstanceOfAny(ProblemException.class, MongoException.class);
            }
        } finally {
            mongo.close();
        }
    }
}
