package org.restheart.core.streams;

import static com.mongodb.client.model.Filters.eq;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoNamespace;
import com.mongodb.MongoSocketException;
import com.mongodb.WriteConcern;
import com.mongodb.client.MongoClients;
import com.mongodb.event.CommandFailedEvent;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandSucceededEvent;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.Test;
import org.restheart.http.RequestStart;
import org.restheart.mongo.error.UnknownOutcomeException;
import org.restheart.mongo.write.BulkWrites.Writes;
import org.restheart.mongo.write.RetryableStatements;
import org.restheart.mongo.write.TimeLimitedWrites;

/// What clients learn of writes when MongoDB does not say what it has done. Failpoints and locks provoke that.
class UnknownOutcomesTest extends OwnMongoFixture {
    private static final int UNAUTHORIZED = 13;
    private static final int INTERRUPTED = 11601;
    private static final int MAX_TIME_EXPIRED = 50;
    private static final String NAMESPACE = "outcomes.t";

    UnknownOutcomesTest() {
        super("outcomes");
    }

    /// An open transaction holds the documents, so the time limit of the commands ends.
    @Test
    void inserts_of_which_it_cannot_be_determined_what_was_done_are_told_so() throws Exception {
        int requests = 16;
        try (var session = client.startSession();
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            session.startTransaction();
            for (int i = 0; i < requests; i++) {
                gateway.collection("t").insertOne(session, BsonDocument.parse("{_id: 'held" + i + "'}"));
            }
            OwnReplicaSet.fail(client, "outcomes._properties", "update", INTERRUPTED, 1_000);
            long inserts = inserts();
            var answers = IntStream.range(0, requests)
                    .mapToObj(i -> threads.submit(() -> gateway.send("POST", "/t", "{\"_id\": \"held" + i + "\"}")))
                    .toList();
            for (var answer : answers) {
                assertStatus(503, answer.get());
                assertThat(answer.get().body()).contains("or which part of it, is not known");
            }
            assertThat(inserts() - inserts).as("shared commands").isLessThan(requests);
            session.abortTransaction();
        } finally {
            OwnReplicaSet.fail(client, "outcomes._properties", "update", INTERRUPTED, 0);
        }
    }

    /// MongoDB is locked for writes, so the time limit of the insert ends.
    @Test
    void what_was_done_is_not_waited_for_without_limit() throws Exception {
        var admin = client.getDatabase("admin");
        admin.runCommand(BsonDocument.parse("{fsync: 1, lock: true}"));
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var answer = threads.submit(() -> gateway.send("POST", "/t", "[{\"n\": 1}, {\"n\": 2}]"));
            try {
                await().until(answer::isDone);
            } finally {
                admin.runCommand(BsonDocument.parse("{fsyncUnlock: 1}"));
            }
            assertStatus(503, answer.get());
            assertThat(answer.get().body()).contains("or which part of it, is not known");
        }
    }

    /// MongoDB ends the commands after their time limits, and the question what they have done too.
    @Test
    void writes_of_which_it_cannot_be_determined_whether_they_took_place_are_told_so() throws Exception {
        int requests = 16;
        for (int i = 0; i < requests; i++) {
            gateway.insert("t", "{_id: 'written" + i + "'}");
        }
        for (var method : List.of("PUT", "PATCH", "DELETE")) {
            var command = method.equals("DELETE") ? "delete" : "update";
            OwnReplicaSet.fail(client, NAMESPACE, command, MAX_TIME_EXPIRED, 1_000);
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                var answers = IntStream.range(0, requests)
                        .mapToObj(i -> threads.submit(() -> gateway.send(method, "/t/written" + i, "{\"a\": 1}")))
                        .toList();
                int unknown = 0;
                for (var answer : answers) {
                    assertStatus(503, answer.get());
                    unknown += answer.get().body().contains("or which part of it, is not known") ? 1 : 0;
                }
                assertThat(unknown).as(method).isPositive();
            } finally {
                OwnReplicaSet.fail(client, NAMESPACE, command, MAX_TIME_EXPIRED, 0);
            }
        }
    }

    /// The time ends while MongoDB waits for the write concern, and the question what was executed fails.
    @Test
    void inserts_whose_reply_came_are_not_said_to_have_failed() {
        var settings = MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(mongo.connectionString()))
                .addCommandListener(new CommandListener() {
                    @Override
                    public void commandSucceeded(CommandSucceededEvent event) {
                        if (event.getCommandName().equals("insert")) {
                            OwnReplicaSet.fail(client, "outcomes._properties", "update", INTERRUPTED, 1_000);
                        }
                    }
                })
                .build();
        try (var sending = MongoClients.create(settings)) {
            sending.getDatabase("admin").runCommand(new Document("ping", 1)); // so that the kind of cluster is known
            failInsert(1, "writeConcernError: {code: 50, errmsg: 'operation exceeded time limit'}");
            var documents =
                    List.of(new RawBsonDocument(BsonDocument.parse("{_id: 'replied'}"), new BsonDocumentCodec()));
            var namespace = new MongoNamespace(NAMESPACE);
            var collection = sending.getDatabase(namespace.getDatabaseName())
                    .getCollection(namespace.getCollectionName(), RawBsonDocument.class)
                    .withWriteConcern(WriteConcern.MAJORITY);
            assertThatThrownBy(() -> new TimeLimitedWrites(sending, true).each(Writes.inserts(collection, documents)))
                    .isInstanceOf(UnknownOutcomeException.class);
        } finally {
            OwnReplicaSet.fail(client, "outcomes._properties", "update", INTERRUPTED, 0);
        }
        assertThat(gateway.collection("t").countDocuments(eq("_id", "replied"))).isEqualTo(1);
    }

    /// The number of `insert` commands.
    private long inserts() {
        return client.getDatabase("admin")
                .runCommand(new Document("serverStatus", 1))
                .getEmbedded(List.of("metrics", "commands", "insert", "total"), Number.class)
                .longValue();
    }

    @Test
    void the_attempt_that_may_have_written_tells_the_outcome() {
        var nothingDone = "errorCode: 9001, errorLabels: ['RetryableWriteError', 'NoWritesPerformed']";
        var refused = "errorCode: 13";
        var lost = "closeConnection: true";
        assertThatThrownBy(() -> insert(nothingDone, lost)).isInstanceOf(MongoSocketException.class);
        assertThatThrownBy(() -> insert(lost, nothingDone)).isInstanceOf(MongoSocketException.class);
        assertThatThrownBy(() -> insert(lost, refused)).isInstanceOf(MongoSocketException.class);
        assertThatThrownBy(() -> insert(nothingDone, refused))
                .isInstanceOfSatisfying(
                        MongoCommandException.class,
                        e -> assertThat(e.getCode()).isEqualTo(UNAUTHORIZED));
    }

    /// Inserts, while the first attempt fails in one way and the second one in another.
    private void insert(String first, String second) {
        var settings = MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(mongo.connectionString()))
                .addCommandListener(new CommandListener() {
                    @Override
                    public void commandFailed(CommandFailedEvent event) {
                        failInsert(1, second);
                    }
                })
                .build();
        try (var sending = MongoClients.create(settings);
                var statements = new RetryableStatements(
                        sending, "insert", new MongoNamespace(NAMESPACE), List.of(new BsonDocument()))) {
            failInsert(1, first);
            var late = System.nanoTime() - Duration.ofMillis(9_500).toNanos(); // no time for a third attempt
            RequestStart.during(late, () -> {
                var _ = statements.send(WriteConcern.MAJORITY, 10_000);
            });
        } finally {
            failInsert(0, second);
        }
    }

    private void failInsert(int times, String failure) {
        OwnReplicaSet.failCommand(client, times, "insert", "namespace: '" + NAMESPACE + "', " + failure);
    }
}
