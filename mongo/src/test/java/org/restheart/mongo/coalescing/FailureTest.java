package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoException;
import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.types.ObjectId;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.bson.fields.Update;
import org.restheart.embedded.EmbeddedMongo;
import org.restheart.embedded.EmbeddedMongoConfig;
import org.restheart.http.ProblemException;
import org.restheart.mongo.write.Precondition;
import org.restheart.mongo.write.TargetDocument;
import org.restheart.mongo.write.WriteMode;
import org.restheart.mongo.write.WriteOutcome;

/// Batches when MongoDB fails, over the test's own mongod.
class FailureTest {
    private static final MongoNamespace NAMESPACE = new MongoNamespace("failures", "inserts");
    private static final int CLIENTS = 32;
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Update INCREMENT = new Update.Operators(BsonDocument.parse("{$inc: {n: 1}}"));

    @TempDir
    Path data;

    private static CompletableFuture<BatchResult<List<BulkWriteError>>> submit(CoalescedInserts inserts, ObjectId id) {
        var document = new RawBsonDocument(new BsonDocument("_id", new BsonObjectId(id)), new BsonDocumentCodec());
        return inserts.submit(NAMESPACE, WriteConcern.MAJORITY, List.of(document));
    }

    private static CoalescingConfig maxWait(Duration maxWait) {
        return new CoalescingConfig(true, true, true, true, 2, 256, 4 << 20, 1_000, maxWait, true, false);
    }

    private static CoalescedInserts inserts(MongoClient client, Duration maxWait) {
        return new Coalescer(client, maxWait(maxWait), new SimpleMeterRegistry()).inserts();
    }

    private static void kill(MongoClient client) {
        long pid = client.getDatabase("admin")
                .runCommand(BsonDocument.parse("{serverStatus: 1}"))
                .get("pid", Number.class)
                .longValue();
        var mongod = ProcessHandle.of(pid);
        assumeThat(mongod)
                .as("a process of this system, which one under Wine is not")
                .isPresent();
        assertThat(mongod.orElseThrow().destroyForcibly()).isTrue();
    }

    /// Lets many callers send requests, one after the other, before mongod is killed and after it.
    ///
    /// @param acknowledged how many requests were told that they were carried out
    /// @param request may fail as it does while MongoDB is away
    private static void killUnderLoad(MongoClient client, IntSupplier acknowledged, Runnable request) {
        var stop = new AtomicBoolean();
        Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < CLIENTS; i++) {
                callers.execute(() -> {
                    while (!stop.get()) {
                        try {
                            request.run();
                        } catch (CompletionException | MongoException | ProblemException e) {
                            if (!isAbsence(e instanceof CompletionException ? e.getCause() : e)) {
                                unexpected.add(e);
                            }
                        } catch (RuntimeException | Error e) {
                            unexpected.add(e);
                            return;
                        }
                    }
                });
            }
            try {
                await().atMost(LIMIT).until(() -> acknowledged.getAsInt() > 500);
                kill(client);
                int before = acknowledged.getAsInt();
                await().atMost(LIMIT).until(() -> acknowledged.getAsInt() > before + 500);
            } finally {
                stop.set(true);
            }
        }
        assertThat(unexpected).isEmpty();
    }

    private static boolean isAbsence(@Nullable Throwable failure) {
        return failure instanceof MongoException
                || (failure instanceof ProblemException refused
                        && refused.problem().status() == 503);
    }

    @Test
    void a_mongod_killed_in_mid_batch_loses_no_acknowledged_insert_and_repeats_none() {
        try (var mongo = EmbeddedMongo.start(EmbeddedMongoConfig.in(data));
                var client = MongoClients.create(mongo.connectionString())) {
            client.getDatabase("failures").createCollection("inserts");
            var inserts = inserts(client, Duration.ofMinutes(1));
            Queue<ObjectId> acknowledged = new ConcurrentLinkedQueue<>();
            Queue<BulkWriteError> refused = new ConcurrentLinkedQueue<>();
            killUnderLoad(client, acknowledged::size, () -> {
                var id = new ObjectId();
                var errors = submit(inserts, id).join().outcome();
                refused.addAll(errors);
                if (errors.isEmpty()) {
                    acknowledged.add(id);
                }
            });

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
    void a_mongod_killed_in_mid_batch_loses_no_acknowledged_change_and_repeats_none() {
        int ids = 8;
        try (var mongo = EmbeddedMongo.start(EmbeddedMongoConfig.in(data));
                var client = MongoClients.create(mongo.connectionString())) {
            var collection = client.getDatabase("failures")
                    .getCollection("counters", RawBsonDocument.class)
                    .withWriteConcern(WriteConcern.MAJORITY);
            for (int id = 0; id < ids; id++) {
                collection.insertOne(
                        new RawBsonDocument(BsonDocument.parse("{_id: " + id + ", n: 0}"), new BsonDocumentCodec()));
            }
            CoalescedWrites updates =
                    new Coalescer(client, maxWait(Duration.ofMinutes(1)), new SimpleMeterRegistry()).updates();
            var acknowledged = new AtomicIntegerArray(ids);
            var unknown = new AtomicIntegerArray(ids);
            Queue<WriteOutcome> others = new ConcurrentLinkedQueue<>();
            var total = new AtomicInteger();
            killUnderLoad(client, total::get, () -> {
                int id = ThreadLocalRandom.current().nextInt(ids);
                var write = increment(collection, id).updating(INCREMENT, WriteMode.UPDATE);
                var statement = updates.statement(write);
                unknown.incrementAndGet(id); // until it is told
                var outcome = statement.isPresent()
                        ? updates.submit(statement.get()).join().outcome()
                        : write.alone(); // while nobody knows what the deployment is
                unknown.decrementAndGet(id);
                if (outcome.equals(new WriteOutcome.Changed())) {
                    acknowledged.incrementAndGet(id);
                    total.incrementAndGet();
                } else {
                    others.add(outcome);
                }
            });

            assertThat(others).isEmpty();
            for (int id = 0; id < ids; id++) {
                var stored = collection
                        .find(new BsonDocument("_id", new BsonInt32(id)))
                        .first()
                        .getInt32("n")
                        .getValue();
                assertThat(stored).isBetween(acknowledged.get(id), acknowledged.get(id) + unknown.get(id));
            }
        }
    }

    private static TargetDocument increment(MongoCollection<RawBsonDocument> collection, int id) {
        return new TargetDocument(collection, new BsonInt32(id), new Precondition.None());
    }

    @Test
    void with_mongodb_stopped_all_requests_are_refused_in_time_and_the_queue_is_bounded() throws Exception {
        var mongo = EmbeddedMongo.start(EmbeddedMongoConfig.in(data));
        try (var client = MongoClients.create(mongo.connectionString() + "&serverSelectionTimeoutMS=3000")) {
            client.getDatabase("failures").createCollection("inserts");
            mongo.close();
            var inserts = inserts(client, Duration.ofSeconds(1));
            var waiting = new ArrayList<CompletableFuture<?>>();
            int full = 0;
            for (int i = 0; i < 5_000; i++) {
                try {
                    waiting.add(submit(inserts, new ObjectId()));
                } catch (ProblemException e) {
                    assertThat(e.problem().status()).isEqualTo(503);
                    full++;
                }
            }
            assertThat(waiting).hasSizeLessThan(2_000);
            assertThat(full).isEqualTo(5_000 - waiting.size());
            for (var pending : waiting) {
                var failure = pending.handle((_, thrown) -> thrown).get(60, TimeUnit.SECONDS);
                assertThat(failure).isInstanceOfAny(ProblemException.class, MongoException.class);
            }
        } finally {
            mongo.close();
        }
    }
}
