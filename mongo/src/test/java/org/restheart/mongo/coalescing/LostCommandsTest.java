package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoSocketException;
import com.mongodb.client.MongoClient;
import com.mongodb.event.CommandFailedEvent;
import com.mongodb.event.CommandListener;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.http.ProblemException;
import org.restheart.http.RequestStart;
import org.restheart.mongo.coalescing.Batching.BatchLoad;
import org.restheart.mongo.coalescing.LossyNetwork.Fate;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.concern.ConnectionRetry;
import org.restheart.mongo.error.UnknownOutcomeException;
import org.restheart.mongo.write.SessionCollection;
import org.restheart.mongo.write.WriteMode;
import org.restheart.mongo.write.WriteOutcome.Changed;
import org.restheart.mongo.write.WriteOutcome.Created;
import org.restheart.testkit.Patience;
import org.restheart.testkit.TestMongo;

/// Commands whose connections to MongoDB are lost, or that MongoDB answers late.
class LostCommandsTest extends CoalescedWritesFixture {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final CommandListener NONE = new CommandListener() {};

    LostCommandsTest(TestMongo mongo) {
        super(mongo);
    }

    /// Coalesces the updates of this client.
    private CoalescedWrites updates(MongoClient client) {
        return updates(client, task -> Thread.ofVirtual().start(task));
    }

    private CoalescedWrites updates(MongoClient client, Executor threads) {
        var batching = new Batching(
                client,
                CoalescingConfig.DEFAULT,
                threads,
                Deployment.of(mongo.client()), // this client knows no other member
                new BatchLoad(),
                new SimpleMeterRegistry());
        return new CoalescedWrites(batching, "update", new BlockedDocuments());
    }

    /// Opens a latch when MongoDB ends an `update` at its time limit.
    private static CommandListener atTimeLimit(CountDownLatch reached) {
        return new CommandListener() {
            @Override
            public void commandFailed(CommandFailedEvent event) {
                if (event.getCommandName().equals("update")
                        && event.getThrowable() instanceof MongoExecutionTimeoutException) {
                    reached.countDown();
                }
            }
        };
    }

    /// MongoDB 6.0 ends no upsert that waits for a transaction. So the lost command, which has executed its first
    /// statement, waits in the second one and holds its session. Both repeated ones wait for the session until
    /// their time limits.
    @Test
    void a_statement_that_a_lost_command_has_executed_is_not_executed_anew_while_that_goes_on() throws Exception {
        var limits = new CountDownLatch(2);
        var queued = new CountDownLatch(1);
        try (var network = new LossyNetwork(mongo, "$inc", Fate.REPLY_LOST, 2);
                var client = network.client(atTimeLimit(limits));
                var session = mongo.client().startSession()) {
            insert("once", 1);
            session.startTransaction();
            collection("once").insertOne(session, raw("{_id: 1, n: 0}"));
            var updates = updates(
                    client,
                    task -> Thread.ofVirtual().start(() -> {
                        awaitQuietly(queued);
                        task.run();
                    }));
            var upserts = IntStream.range(0, 2)
                    .mapToObj(id ->
                            submit(updates, target("once", id).updating(change("{$inc: {n: 1}}"), WriteMode.UPSERT)))
                    .toList();
            queued.countDown(); // both leave in one command
            assertThat(limits.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            session.abortTransaction();
            assertThat(upserts).allSatisfy(upsert -> assertThat(upsert).succeedsWithin(TIMEOUT));
            assertThat(upserts.get(0).join().outcome()).isEqualTo(new Changed());
            assertThat(upserts.get(1).join().outcome()).isEqualTo(new Created());
            Patience.within(TIMEOUT).until(() -> network.answered() == 2);
        }
        assertThat(n("once", 0)).isOne();
        assertThat(n("once", 1)).isOne();
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// The statement was not executed within its time limit, and is sent as another write.
    @Test
    void a_lost_command_that_arrives_afterwards_executes_nothing_once_more() throws Exception {
        var limit = new CountDownLatch(1);
        try (var network = new LossyNetwork(mongo, "$inc", Fate.ARRIVES_LATER, 2);
                var client = network.client(atTimeLimit(limit));
                var session = mongo.client().startSession()) {
            insert("late", 1);
            session.startTransaction();
            collection("late").updateOne(session, BsonDocument.parse("{_id: 0}"), BsonDocument.parse("{$inc: {n: 1}}"));
            var update =
                    submit(updates(client), target("late", 0).updating(change("{$inc: {n: 1}}"), WriteMode.UPDATE));
            assertThat(limit.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
            session.abortTransaction();
            assertThat(update)
                    .succeedsWithin(TIMEOUT)
                    .satisfies(result -> assertThat(result.outcome()).isEqualTo(new Changed()));
            network.arrive();
            Patience.within(TIMEOUT).until(() -> network.answered() == 2);
        }
        assertThat(n("late", 0)).isOne();
    }

    /// It could end one server after the other. The driver repeats it once.
    @Test
    void a_query_whose_connection_is_lost_after_a_while_is_not_repeated() throws Exception {
        insert("queried", 1);
        var slow = BsonDocument.parse("{$where: 'sleep(600) || true'}");
        try (var network = new LossyNetwork(mongo, "$where", Fate.CLOSED_AT_REPLY, 4);
                var client = network.client(NONE)) {
            assertThatThrownBy(() -> ConnectionRetry.repeatedSoon(() -> first(client, slow)))
                    .isInstanceOf(MongoSocketException.class);
            assertThat(network.seen()).isEqualTo(2);
        }
        var quick = BsonDocument.parse("{n: {$gte: 0}}");
        try (var network = new LossyNetwork(mongo, "$gte", Fate.CLOSED_AT_REPLY, 4);
                var client = network.client(NONE)) {
            // without a limit, which a busy machine may exceed
            assertThat(ConnectionRetry.repeated(() -> first(client, quick))).isNotNull();
            assertThat(network.seen()).isEqualTo(5);
        }
    }

    private BsonDocument first(MongoClient client, BsonDocument filter) {
        return client.getDatabase(mongo.databaseName())
                .getCollection("queried", BsonDocument.class)
                .find(filter)
                .first();
    }

    /// As many as there may be at a time.
    @Test
    void changes_that_take_seconds_keep_no_others_from_being_sent() throws Exception {
        int commands = CoalescingConfig.DEFAULT.commands();
        insert("slow", commands + 1);
        try (var network = new LossyNetwork(mongo, "$inc", Fate.REPLY_LATER, commands);
                var client = network.client(NONE)) {
            var updates = updates(client);
            var slow = IntStream.range(0, commands)
                    .mapToObj(id -> {
                        var update = submit(
                                updates, target("slow", id).updating(change("{$inc: {n: 1}}"), WriteMode.UPDATE));
                        await().until(() -> network.answered() == id + 1); // each in a command of its own
                        return update;
                    })
                    .toList();
            assertThat(submit(updates, target("slow", commands).updating(change("{$inc: {n: 1}}"), WriteMode.UPDATE)))
                    .succeedsWithin(Duration.ofSeconds(8));
            assertThat(slow).noneMatch(CompletableFuture::isDone);
            network.arrive();
            assertThat(slow).allSatisfy(update -> assertThat(update).succeedsWithin(TIMEOUT));
        }
    }

    @Test
    void nothing_is_sent_again_after_the_time_of_its_request() {
        RequestStart.during(System.nanoTime() - BoundedConcern.LIMIT.toNanos(), () -> {
            assertThatThrownBy(() -> Batching.requireTime(false)).isInstanceOf(ProblemException.class);
            assertThatThrownBy(() -> Batching.requireTime(true)).isInstanceOf(UnknownOutcomeException.class);
        });
    }

    @Test
    void a_write_alone_has_no_more_than_the_rest_of_the_time_of_its_request() {
        var longest = SessionCollection.LONGEST_WRITE;
        assertThat(BoundedConcern.left(longest)).isEqualTo(longest);
        RequestStart.during(
                System.nanoTime() - Duration.ofSeconds(7).toNanos(),
                () -> assertThat(BoundedConcern.left(longest)).isLessThanOrEqualTo(Duration.ofSeconds(3)));
        RequestStart.during(
                System.nanoTime() - BoundedConcern.LIMIT.toNanos(),
                () -> assertThat(BoundedConcern.left(longest)).isEqualTo(Duration.ofSeconds(1)));
    }
}
