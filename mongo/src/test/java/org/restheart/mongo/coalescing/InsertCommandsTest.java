package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Indexes;
import com.mongodb.client.model.InsertOneModel;
import com.mongodb.client.model.ReplaceOneModel;
import com.mongodb.event.CommandListener;
import com.mongodb.event.CommandStartedEvent;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.Test;
import org.restheart.mongo.error.MongoCodes;
import org.restheart.mongo.write.BulkWrites.Writes;
import org.restheart.mongo.write.RetryableStatements;
import org.restheart.mongo.write.TimeLimitedWrites;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The commands that insert documents, and what MongoDB does when their time limit ends.
@WithMongo
class InsertCommandsTest {
    private final TestMongo mongo;

    InsertCommandsTest(TestMongo mongo) {
        this.mongo = mongo;
    }

    private static RawBsonDocument document(String id) {
        return new RawBsonDocument(BsonDocument.parse("{_id: " + id + "}"), new BsonDocumentCodec());
    }

    private static List<RawBsonDocument> documents(String... ids) {
        return List.of(ids).stream().map(InsertCommandsTest::document).toList();
    }

    private Writes inserts(String name, List<RawBsonDocument> documents, boolean ordered) {
        var collection =
                mongo.database().getCollection(name, RawBsonDocument.class).withWriteConcern(WriteConcern.MAJORITY);
        var models = documents.stream().map(InsertOneModel::new).toList();
        return new Writes(collection, Optional.empty(), models, ordered, Optional.empty(), Optional.empty());
    }

    private MongoNamespace namespace(String collection) {
        return new MongoNamespace(mongo.databaseName(), collection);
    }

    private MongoCollection<BsonDocument> collection(String name) {
        return mongo.database().getCollection(name, BsonDocument.class);
    }

    @Test
    void the_time_limit_fails_the_whole_command_and_what_was_inserted_stays_and_is_told() throws Exception {
        collection("limit").insertOne(BsonDocument.parse("{_id: 'there'}"));
        try (var session = mongo.client().startSession();
                var inserts = new RetryableStatements(
                        mongo.client(), "insert", namespace("limit"), documents("0", "'there'", "2", "'held'", "4"))) {
            session.startTransaction();
            collection("limit").insertOne(session, BsonDocument.parse("{_id: 'held'}"));
            assertThatThrownBy(() -> inserts.send(WriteConcern.MAJORITY, 500))
                    .isInstanceOf(MongoExecutionTimeoutException.class);
            var all = IntStream.range(0, 5).boxed().toList();
            assertThat(inserts.executed(all, WriteConcern.MAJORITY).results()).containsOnlyKeys(0, 2);

            collection("limit").deleteOne(BsonDocument.parse("{_id: 0}"));
            try (var _ = new Waiting()) {
                assertThat(inserts.executed(all, WriteConcern.MAJORITY).results())
                        .as("of a document that was removed, while the collection is locked")
                        .containsOnlyKeys(0, 2);
                session.abortTransaction();
            }
            assertThat(inserts.send(WriteConcern.MAJORITY, 30_000).n())
                    .as("sent again")
                    .isEqualTo(4);
        }
        assertThat(collection("limit").countDocuments())
                .as("0 was not inserted again")
                .isEqualTo(4);
    }

    /// An operation that waits for the lock of the collection.
    private final class Waiting implements AutoCloseable {
        private final Thread thread;

        Waiting() {
            thread = Thread.ofVirtual().start(() -> collection("limit").createIndex(Indexes.ascending("n")));
            var blocked = "{'command.createIndexes': 'limit', waitingForLock: true}";
            await().until(() -> !TestMongo.operations(mongo.client(), blocked).isEmpty());
        }

        @Override
        public void close() throws InterruptedException {
            thread.join();
        }
    }

    @Test
    void in_order_none_behind_the_one_that_waits_is_inserted() {
        mongo.database().createCollection("ordered");
        try (var session = mongo.client().startSession()) {
            session.startTransaction();
            collection("ordered").insertOne(session, BsonDocument.parse("{_id: 'held'}"));
            var errors = new TimeLimitedWrites(mongo.client(), true)
                    .each(inserts("ordered", documents("0", "1", "'held'", "3"), true))
                    .errors();
            assertThat(errors).singleElement().satisfies(error -> {
                assertThat(error.getIndex()).isEqualTo(2);
                assertThat(error.getCode()).isEqualTo(MongoCodes.MAX_TIME_EXPIRED);
            });
            session.abortTransaction();
        }
        assertThat(collection("ordered").countDocuments()).isEqualTo(2);
    }

    @Test
    void behind_three_that_wait_for_too_long_no_more_are_tried() {
        mongo.database().createCollection("blocked");
        try (var session = mongo.client().startSession()) {
            session.startTransaction();
            var documents = new ArrayList<RawBsonDocument>();
            for (int i = 0; i < 5; i++) {
                var document = new BsonDocument("_id", new BsonInt32(i));
                collection("blocked").insertOne(session, document.clone());
                documents.add(large(document, 7 << 20)); // one for each command
            }
            documents.add(document("'free'"));
            long began = System.nanoTime();
            var errors = new TimeLimitedWrites(mongo.client(), true)
                    .each(inserts("blocked", documents, false))
                    .errors();
            session.abortTransaction();
            assertThat(errors).extracting(BulkWriteError::getIndex).containsExactly(0, 1, 2, 3, 4, 5);
            assertThat(errors).extracting(BulkWriteError::getCode).containsOnly(MongoCodes.MAX_TIME_EXPIRED);
            assertThat(Duration.ofNanos(System.nanoTime() - began))
                    .isBetween(Duration.ofSeconds(6), Duration.ofSeconds(20));
        }
        assertThat(collection("blocked").countDocuments()).isZero();
    }

    /// With a field of as many bytes.
    private static RawBsonDocument large(BsonDocument document, int bytes) {
        return new RawBsonDocument(document.append("data", new BsonBinary(new byte[bytes])), new BsonDocumentCodec());
    }

    @Test
    void the_largest_and_the_deepest_documents_fit_a_command() {
        int most = 16 << 20;
        var large = new BsonDocument("_id", new BsonInt32(1));
        int rest = most - large(large, 0).getByteLength();
        var largest = large(large, rest);
        var deep = new BsonDocument("_id", new BsonInt32(2)); // MongoDB stores 180 levels
        var inner = deep;
        for (int level = 2; level < 180; level++) {
            inner.append("a", new BsonDocument());
            inner = inner.getDocument("a");
        }
        var coalescer = new Coalescer(mongo.client(), CoalescingConfig.DEFAULT, new SimpleMeterRegistry());
        var arrays = coalescer.bulkInserts();
        for (var raw : List.of(largest, new RawBsonDocument(deep, new BsonDocumentCodec()))) {
            assertThat(coalescer
                            .inserts()
                            .submit(namespace("extreme"), WriteConcern.MAJORITY, List.of(raw))
                            .join()
                            .outcome())
                    .isEmpty();
            assertThat(arrays.submit(namespace("extremes"), WriteConcern.MAJORITY, List.of(raw))
                            .join()
                            .outcome())
                    .isEmpty();
            var replacement = new ReplaceOneModel<>(new BsonDocument("_id", raw.get("_id")), raw);
            var collection = mongo.database()
                    .getCollection("extremes", RawBsonDocument.class)
                    .withWriteConcern(WriteConcern.MAJORITY);
            var replacements = new Writes(
                    collection, Optional.empty(), List.of(replacement), false, Optional.empty(), Optional.empty());
            assertThat(coalescer.limited().each(replacements).result().getMatchedCount())
                    .isOne();
        }
    }

    @Test
    void inserts_that_do_not_wait_need_one_command_each() {
        Queue<String> sent = new ConcurrentLinkedQueue<>();
        var settings = MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(mongo.connectionString()))
                .addCommandListener(new CommandListener() {
                    @Override
                    public void commandStarted(CommandStartedEvent event) {
                        sent.add(event.getCommandName());
                    }
                })
                .build();
        try (var client = MongoClients.create(settings)) {
            client.getDatabase("admin").runCommand(BsonDocument.parse("{ping: 1}"));
            sent.clear();
            var coalescer = new Coalescer(client, CoalescingConfig.DEFAULT, new SimpleMeterRegistry());
            var expected = new ArrayList<String>();
            var inserts = coalescer.inserts();
            var arrays = coalescer.bulkInserts();
            for (int i = 0; i < 5; i++) {
                assertThat(inserts.submit(namespace("plain"), WriteConcern.MAJORITY, List.of(document("" + i)))
                                .join()
                                .outcome())
                        .isEmpty();
                expected.add("insert");
                var array = documents("'a" + i + "'", "'b" + i + "'", "0");
                assertThat(arrays.submit(namespace("plain"), WriteConcern.MAJORITY, array)
                                .join()
                                .outcome())
                        .singleElement()
                        .satisfies(error -> assertThat(error.getIndex()).isEqualTo(2));
                expected.add("insert");
            }
            var many =
                    IntStream.range(100, 10_100).mapToObj(i -> document("" + i)).toList();
            assertThat(new TimeLimitedWrites(client, true)
                            .each(inserts("plain", many, false))
                            .errors())
                    .isEmpty();
            expected.add("insert");
            assertThat(sent).containsExactlyElementsOf(expected);
        }
        assertThat(collection("plain").countDocuments()).isEqualTo(10_015);
    }
}
