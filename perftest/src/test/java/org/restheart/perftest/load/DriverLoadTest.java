package org.restheart.perftest.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.bson.Document;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.restheart.perftest.measure.Measurement;
import org.restheart.perftest.workload.Documents;
import org.restheart.perftest.workload.Namespace;
import org.restheart.perftest.workload.Operation;
import org.restheart.perftest.workload.Window;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
class DriverLoadTest {
    private static final Window TWENTY = new Window(0, 30_000, 20);

    private final TestMongo mongo;
    private final Namespace docs;

    DriverLoadTest(TestMongo mongo) {
        this.mongo = mongo;
        this.docs = new Namespace(mongo.databaseName(), "docs");
    }

    @BeforeEach
    void fill() {
        var collection = mongo.database().getCollection(docs.collection());
        collection.drop();
        collection.insertMany(IntStream.range(0, 100)
                .mapToObj(i -> {
                    var document = new Document("_id", Documents.id(i));
                    document.putAll(Documents.fields(i, 10));
                    return document;
                })
                .toList());
    }

    @Test
    void inserted_documents_have_an_id_and_an_etag_of_their_own() throws Exception {
        var inserts = new Namespace(mongo.databaseName(), "inserts");
        var measured = run(new Operation.Insert(inserts, 1, 50));
        assertThat(measured.operations()).isEqualTo(20);
        var found = mongo.database().getCollection(inserts.collection());
        assertThat(found.distinct("_etag", ObjectId.class))
                .hasSizeGreaterThanOrEqualTo(20)
                .hasSize(Math.toIntExact(found.countDocuments()));
        assertThat(found.find().first()).containsKeys("n", "group", "text");
    }

    @Test
    void batches_are_one_operation_each() throws Exception {
        var batches = new Namespace(mongo.databaseName(), "batches");
        var measured = run(new Operation.Insert(batches, 7, 50));
        assertThat(measured.operations()).isEqualTo(20);
        assertThat(mongo.database().getCollection(batches.collection()).countDocuments() % 7)
                .isZero();
    }

    @Test
    void reads_succeed_on_what_was_loaded() throws Exception {
        assertThat(run(new Operation.FindById(docs, 100)).operations()).isEqualTo(20);
        assertThat(run(new Operation.Page(docs, 25, 5)).operations()).isEqualTo(20);
        assertThat(run(new Operation.RandomPage(docs, 10, 100, 5)).operations()).isEqualTo(20);
        assertThat(run(new Operation.Matching(docs, "group", "^g1$", 2)).operations())
                .isEqualTo(20);
    }

    @Test
    void a_page_past_the_end_is_a_failure_not_a_fast_answer() throws Exception {
        var measured = run(new Operation.Page(docs, 1000, 5));
        assertThat(measured.operations()).isZero();
        assertThat(measured.errors()).containsKey("empty page");
    }

    @Test
    void updates_change_a_document_and_its_etag() throws Exception {
        assertThat(run(new Operation.Update(docs, 1)).operations()).isEqualTo(20);
        var changed = mongo.database()
                .getCollection(docs.collection())
                .find(new Document("_id", Documents.id(0)))
                .first();
        assertThat(changed).containsEntry("text", "changed").containsKey("_etag");
    }

    @Test
    void all_workloads_find_what_they_look_for() throws Exception {
        for (var workload : Operation.Ycsb.YcsbWorkload.values()) {
            var measured = run(new Operation.Ycsb(docs, workload, 100));
            assertThat(measured.errors()).as(workload.name()).isEmpty();
            assertThat(measured.operations()).as(workload.name()).isEqualTo(20);
        }
    }

    private Measurement run(Operation operation) throws Exception {
        return new DriverLoad(mongo.connectionString(), operation, 2, TWENTY, 1, Map.of()).run();
    }

    @Test
    void a_worker_does_the_same_in_a_process_of_its_own_and_says_why_it_cannot() throws Exception {
        try (var worker = Worker.start(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"))) {
            var page = new Operation.Page(docs, 0, 5);
            assertThatThrownBy(
                            () -> worker.run(new DriverLoad("not a connection string", page, 1, TWENTY, 1, Map.of())))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("connection string");
            var task = new DriverLoad(mongo.connectionString(), page, 1, TWENTY, 1, Map.of());
            assertThat(worker.run(task).operations()).isEqualTo(20);
        }
    }
}
