package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;

import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import com.mongodb.bulk.BulkWriteError;
import com.mongodb.client.model.CreateCollectionOptions;
import com.mongodb.client.model.Filters;
import com.mongodb.client.model.ValidationOptions;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonDateTime;
import org.bson.BsonDocument;
import org.bson.BsonDouble;
import org.bson.BsonInt32;
import org.bson.BsonInt64;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.Test;
import org.restheart.http.Lease;
import org.restheart.mongo.find.DocumentQuery;
import org.restheart.mongo.find.Projection;
import org.restheart.mongo.find.ReadSettings;
import org.restheart.mongo.find.StagedFilter;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Invariants under concurrency, over a real replica set. The number of operations grows with the system
/// property `coalescing.stress.operations`; the default is the short form.
@WithMongo
class CoalescedOperationsTest {
    private static final int OPERATIONS = Integer.getInteger("coalescing.stress.operations", 8_000);

    private final TestMongo mongo;
    private final CoalescedInserts inserts;
    private final PointReads reads;

    CoalescedOperationsTest(TestMongo mongo) {
        this.mongo = mongo;
        var coalescer = new Coalescer(mongo.client(), CoalescingConfig.DEFAULT, new SimpleMeterRegistry());
        this.inserts = coalescer.inserts();
        this.reads = coalescer.pointReads();
    }

    private MongoNamespace namespace(String collection) {
        return new MongoNamespace(mongo.databaseName(), collection);
    }

    private BatchResult<List<BulkWriteError>> insert(String collection, BsonDocument document) {
        return inserts.submit(namespace(collection), WriteConcern.MAJORITY, List.of(raw(document)))
                .join();
    }

    private static RawBsonDocument raw(BsonDocument document) {
        return new RawBsonDocument(document, new BsonDocumentCodec());
    }

    private DocumentQuery query(String collection, BsonDocument filter, BsonValue id) {
        return new DocumentQuery(
                namespace(collection), id, StagedFilter.of(filter), Projection.ALL, ReadSettings.DEFAULT);
    }

    private Optional<RawBsonDocument> read(String collection, BsonDocument filter, BsonValue id) {
        return reads.submit(query(collection, filter, id), Lease.CONSTANT)
                .join()
                .outcome();
    }

    @Test
    void a_client_reads_back_its_acknowledged_insert_and_never_another() throws Exception {
        var largest = new AtomicInteger();
        ManyClients.run(OPERATIONS, () -> {
            var id = new BsonObjectId();
            var document = new BsonDocument("_id", id).append("of", new BsonString(id.toString()));
            var result = insert("own", document);
            assertThat(result.outcome()).isEmpty();
            largest.accumulateAndGet(result.sharing(), Math::max);
            assertThat(read("own", new BsonDocument(), id)).contains(raw(document));
            return null;
        });
        assertThat(mongo.database().getCollection("own").countDocuments()).isEqualTo(OPERATIONS);
        assertThat(largest).as("batches were formed").hasValueGreaterThan(1);
    }

    @Test
    void a_duplicate_key_fails_its_own_request_and_no_other() throws Exception {
        int ids = OPERATIONS / 4;
        var won = new ConcurrentLinkedQueue<Integer>();
        var lost = new AtomicInteger();
        var next = new AtomicInteger();
        ManyClients.run(ids * 2, () -> {
            int id = next.getAndIncrement() / 2;
            var errors =
                    insert("twice", new BsonDocument("_id", new BsonInt32(id))).outcome();
            if (errors.isEmpty()) {
                won.add(id);
            } else {
                assertThat(errors).extracting(BulkWriteError::getCode).containsExactly(11000);
                lost.incrementAndGet();
            }
            return null;
        });
        assertThat(won).hasSize(ids).doesNotHaveDuplicates();
        assertThat(lost).hasValue(ids);
        assertThat(mongo.database().getCollection("twice").countDocuments()).isEqualTo(ids);
    }

    @Test
    void a_document_that_fails_validation_fails_alone() throws Exception {
        mongo.database()
                .createCollection(
                        "valid",
                        new CreateCollectionOptions()
                                .validationOptions(new ValidationOptions().validator(Filters.gte("n", 0))));
        var accepted = new AtomicInteger();
        ManyClients.run(OPERATIONS / 10, () -> {
            int n = ThreadLocalRandom.current().nextInt(-10, 10);
            var document = new BsonDocument("_id", new BsonObjectId()).append("n", new BsonInt32(n));
            var errors = insert("valid", document).outcome();
            if (errors.isEmpty()) {
                assertThat(n).isNotNegative();
                accepted.incrementAndGet();
            } else {
                assertThat(n).isNegative();
                assertThat(errors).extracting(BulkWriteError::getCode).containsExactly(121);
            }
            return null;
        });
        assertThat(mongo.database().getCollection("valid").countDocuments()).isEqualTo(accepted.get());
    }

    @Test
    void reads_are_not_crossed_and_missing_documents_are_missing() throws Exception {
        var collection = mongo.database().getCollection("many", BsonDocument.class);
        collection.insertMany(java.util.stream.IntStream.range(0, 1000)
                .mapToObj(i -> new BsonDocument("_id", new BsonInt32(2 * i)).append("v", new BsonInt32(i)))
                .toList());
        ManyClients.run(OPERATIONS, () -> {
            int id = ThreadLocalRandom.current().nextInt(2000);
            var found = read("many", new BsonDocument(), new BsonInt32(id));
            assertThat(found.map(d -> d.getInt32("v").getValue()))
                    .isEqualTo(id % 2 == 0 ? Optional.of(id / 2) : Optional.empty());
            return null;
        });
    }

    @Test
    void ids_match_across_number_types_as_mongodb_compares_them() throws Exception {
        var stored = List.of(
                new BsonInt32(1),
                new BsonInt64(1L << 40),
                new BsonDouble(3.0),
                new BsonDouble(2.5),
                new BsonDouble(0.1),
                new BsonDouble(1e20),
                new BsonInt64(100),
                new BsonString("1"),
                new BsonString(""),
                new BsonDateTime(1),
                new BsonObjectId(new ObjectId()));
        mongo.database()
                .getCollection("types", BsonDocument.class)
                .insertMany(
                        stored.stream().map(id -> new BsonDocument("_id", id)).toList());
        var asked = List.of(
                new BsonDouble(1.0),
                new BsonDouble(1L << 40),
                new BsonInt32(3),
                new BsonDouble(2.5),
                new BsonDouble(0.1),
                new BsonDouble(1e20),
                new BsonDouble(100),
                new BsonString("1"),
                new BsonString(""),
                new BsonDateTime(1),
                stored.getLast());
        var turn = new AtomicInteger();
        ManyClients.run(OPERATIONS / 10, () -> {
            int i = turn.getAndIncrement() % asked.size();
            assertThat(PointReads.fits(query("types", new BsonDocument(), asked.get(i))))
                    .isTrue();
            assertThat(read("types", new BsonDocument(), asked.get(i)).map(d -> d.get("_id")))
                    .contains(stored.get(i));
            return null;
        });
    }

    @Test
    void reads_with_different_filters_do_not_share() throws Exception {
        mongo.database()
                .getCollection("owned", BsonDocument.class)
                .insertMany(java.util.stream.IntStream.range(0, 100)
                        .mapToObj(i -> new BsonDocument("_id", new BsonInt32(i)).append("owner", new BsonInt32(i % 3)))
                        .toList());
        ManyClients.run(OPERATIONS / 4, () -> {
            int id = ThreadLocalRandom.current().nextInt(100);
            int reader = ThreadLocalRandom.current().nextInt(3);
            var found = read("owned", new BsonDocument("owner", new BsonInt32(reader)), new BsonInt32(id));
            assertThat(found.isPresent()).isEqualTo(id % 3 == reader);
            return null;
        });
    }

    @Test
    void a_projection_without_the_id_is_not_coalesced() {
        assertThat(PointReads.fits(projected("{_id: 0, a: 1}"))).isFalse();
        assertThat(PointReads.fits(projected("{_id: '$a'}"))).isFalse();
        assertThat(PointReads.fits(projected("{a: 1}"))).isTrue();
    }

    private DocumentQuery projected(String keys) {
        var projection = Projection.of(Optional.empty(), BsonDocument.parse(keys));
        return new DocumentQuery(
                namespace("any"), new BsonInt32(1), StagedFilter.ALL, projection, ReadSettings.DEFAULT);
    }
}
