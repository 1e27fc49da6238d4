package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.MongoNamespace;
import com.mongodb.MongoWriteConcernException;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.model.CreateCollectionOptions;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ValidationOptions;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Arrays of documents that leave together, over a real replica set. The number of arrays grows with the system
/// property `coalescing.stress.operations`.
@WithMongo
class BulkInsertsTest {
    private static final int ARRAYS = Integer.getInteger("coalescing.stress.operations", 20_000) / 10;
    private static final int CLIENTS = 64;
    private static final BsonString TAKEN = new BsonString("taken");

    private final TestMongo mongo;
    private final CoalescedInserts inserts;

    BulkInsertsTest(TestMongo mongo) {
        this.mongo = mongo;
        var coalescer = new Coalescer(mongo.client(), CoalescingConfig.DEFAULT, new SimpleMeterRegistry());
        this.inserts = coalescer.bulkInserts();
    }

    private CompletableFuture<BatchResult<List<BulkWriteError>>> submit(
            String collection, WriteConcern concern, List<BsonDocument> documents) {
        return inserts.submit(namespace(collection), concern, raw(documents));
    }

    private MongoNamespace namespace(String collection) {
        return new MongoNamespace(mongo.databaseName(), collection);
    }

    private static List<RawBsonDocument> raw(List<BsonDocument> documents) {
        return documents.stream()
                .map(document -> new RawBsonDocument(document, new BsonDocumentCodec()))
                .toList();
    }

    /// A document that is stored, one that fails validation, or one whose id is taken.
    private static BsonDocument randomDocument() {
        var random = ThreadLocalRandom.current();
        var id = random.nextInt(10) == 0 ? TAKEN : new BsonObjectId();
        return new BsonDocument("_id", id).append("n", new BsonInt32(random.nextInt(-2, 10)));
    }

    private static boolean isTaken(BsonDocument document) {
        return document.get("_id").equals(TAKEN);
    }

    private static boolean isInvalid(BsonDocument document) {
        return document.getInt32("n").getValue() < 0;
    }

    @Test
    void each_request_learns_of_its_own_documents() throws Exception {
        mongo.database()
                .createCollection(
                        "arrays",
                        new CreateCollectionOptions()
                                .validationOptions(new ValidationOptions().validator(Filters.gte("n", 0))));
        var collection = mongo.database().getCollection("arrays", BsonDocument.class);
        collection.insertOne(new BsonDocument("_id", TAKEN).append("n", new BsonInt32(0)));
        var largest = new AtomicInteger();
        var stored = new AtomicInteger(1);
        Callable<Void> client = () -> {
            for (int i = 0; i < ARRAYS / CLIENTS; i++) {
                var documents = IntStream.range(0, ThreadLocalRandom.current().nextInt(1, 20))
                        .mapToObj(_ -> randomDocument())
                        .toList();
                var result = submit("arrays", WriteConcern.MAJORITY, documents).join();
                largest.accumulateAndGet(result.sharing(), Math::max);
                var errors = result.outcome().stream()
                        .collect(Collectors.toMap(BulkWriteError::getIndex, Function.identity()));
                for (int k = 0; k < documents.size(); k++) {
                    var document = documents.get(k);
                    var error = errors.remove(k);
                    if (isInvalid(document)) {
                        assertThat(error.getCode()).isEqualTo(121);
                    } else if (isTaken(document)) {
                        assertThat(error.getCode()).isEqualTo(11000);
                    } else {
                        assertThat(error).isNull();
                        stored.incrementAndGet();
                    }
                }
                assertThat(errors).as("errors of other requests' documents").isEmpty();
            }
            return null;
        };
        try (var callers = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var done : callers.invokeAll(Collections.nCopies(CLIENTS, client))) {
                done.get();
            }
        }
        assertThat(collection.countDocuments()).isEqualTo(stored.get());
        assertThat(largest).as("arrays left together").hasValueGreaterThan(1);
    }

    /// Some are refused as duplicates, which is certain, and the deployment has fewer members than the write
    /// concern asks for.
    @Test
    void an_unsatisfied_write_concern_reveals_no_documents_of_other_requests() {
        mongo.database().getCollection("concern", BsonDocument.class).insertOne(new BsonDocument("_id", TAKEN));
        var concern = WriteConcern.W3.withWTimeout(100, TimeUnit.MILLISECONDS);
        var waiting = IntStream.range(0, 100)
                .mapToObj(i -> i % 2 == 0 ? new BsonObjectId() : TAKEN)
                .map(id -> submit("concern", concern, List.of(new BsonDocument("_id", id))))
                .toList();
        for (int i = 0; i < waiting.size(); i++) {
            var result = waiting.get(i);
            if (i % 2 == 0) {
                assertThatThrownBy(result::join)
                        .hasCauseInstanceOf(MongoWriteConcernException.class)
                        .hasMessageNotContaining("taken");
            } else {
                assertThat(result.join().outcome())
                        .singleElement()
                        .satisfies(error -> assertThat(error.getCode()).isEqualTo(11000));
            }
        }
        assertThat(mongo.database().getCollection("concern").countDocuments()).isEqualTo(51);
    }

    @Test
    void documents_of_one_request_stay_in_their_order() {
        var numbers = IntStream.range(0, 50).boxed().toList();
        var waiting = new ArrayList<CompletableFuture<?>>();
        for (int request = 0; request < 20; request++) {
            int number = request;
            waiting.add(submit(
                    "ordered",
                    WriteConcern.MAJORITY,
                    numbers.stream()
                            .map(n -> new BsonDocument("_id", new BsonObjectId())
                                    .append("request", new BsonInt32(number))
                                    .append("n", new BsonInt32(n)))
                            .toList()));
        }
        waiting.forEach(CompletableFuture::join);
        var stored = new TreeMap<Integer, List<Integer>>();
        mongo.database()
                .getCollection("ordered", BsonDocument.class)
                .find()
                .sort(BsonDocument.parse("{$natural: 1}"))
                .forEach(document -> stored.computeIfAbsent(
                                document.getInt32("request").getValue(), _ -> new ArrayList<>())
                        .add(document.getInt32("n").getValue()));
        assertThat(stored).hasSize(20);
        assertThat(stored.values()).allSatisfy(order -> assertThat(order).isEqualTo(numbers));
    }

    @Test
    void an_array_that_fills_a_command_goes_alone() {
        var small = new BsonDocument("_id", new BsonObjectId());
        var large = new BsonDocument("_id", new BsonObjectId()).append("text", new BsonString("x".repeat(2 << 20)));
        assertThat(take(List.of(small))).isTrue();
        assertThat(take(Collections.nCopies(100, small))).isTrue();
        assertThat(take(Collections.nCopies(200, small))).isFalse();
        assertThat(take(List.of(large))).isFalse();
    }

    private boolean take(List<BsonDocument> documents) {
        return inserts.take(namespace("any"), raw(documents));
    }
}
