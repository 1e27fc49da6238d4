package org.restheart.rest.reading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoNamespace;
import com.mongodb.client.MongoClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.Document;
import org.bson.RawBsonDocument;
import org.junit.jupiter.api.Test;
import org.restheart.data.Access;
import org.restheart.http.MemoryBudget;
import org.restheart.http.access.CallerScope;
import org.restheart.mongo.coalescing.Coalescer;
import org.restheart.mongo.coalescing.CoalescingConfig;
import org.restheart.mongo.find.DriverFinder;
import org.restheart.mongo.metadata.Metadata;
import org.restheart.rest.guard.ForbiddenOperators;
import org.restheart.rest.guard.PipelineInspection;
import org.restheart.rest.guard.QuerySecurity;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// While one caller's reads hold all the memory it may have, another one's are served.
@WithMongo
class FairReadsTest {
    private static final int MIB = 1 << 20;

    private static final String ADA = CallerScope.account("ada");
    private static final String BOB = CallerScope.account("bob");
    private static final String CARL = CallerScope.account("carl");

    /// Takes long enough for others to be queued.
    private static final BsonDocument SLOW = BsonDocument.parse("""
        {$expr: {$gt: [{$reduce: {input: {$range: [0, 600000]}, initialValue: "$_id",
         in: {$add: ["$$value", "$$this"]}}}, -1]}}\
        """);

    private final MemoryBudget memory = new MemoryBudget(80L * MIB);
    private final MongoClient client;
    private final MongoNamespace namespace;
    private final DocumentReads reads;

    FairReadsTest(TestMongo mongo) {
        client = mongo.client();
        namespace = new MongoNamespace(mongo.newDatabaseName(), "c");
        client.getDatabase(namespace.getDatabaseName())
                .getCollection("c")
                .insertMany(IntStream.range(0, 8)
                        .mapToObj(n -> new Document("_id", n).append("text", "x".repeat(MIB / 2)))
                        .toList());
        reads = reads(client);
    }

    private static final CoalescingConfig ONE_AT_A_TIME =
            new CoalescingConfig(true, true, true, true, 1, 256, 4 << 20, 100, Duration.ofSeconds(30), true, false);

    private DocumentReads reads(MongoClient client) {
        var metadata = new Metadata(client, Duration.ofMinutes(1));
        var documents = new DriverFinder(client);
        return new DocumentReads(
                documents,
                new Coalescer(client, ONE_AT_A_TIME, new SimpleMeterRegistry()),
                Duration.ZERO,
                metadata,
                new ForbiddenOperators(QuerySecurity.DEFAULT),
                new PipelineInspection(
                        QuerySecurity.DEFAULT,
                        (db, name) -> metadata.collection(db, name).sources()),
                memory);
    }

    private List<RawBsonDocument> read(String caller, boolean pipeline) {
        return CallerScope.call(caller, () -> {
            var query = new DocumentRead.Find(
                    namespace, new BsonDocument(), new BsonDocument(), 0, 8, Duration.ZERO, new Access.Root());
            try (var lease = memory.open(() -> caller)) {
                return reads.read(pipeline ? query.asPipeline() : query, lease)
                        .toCompletableFuture()
                        .join();
            }
        });
    }

    /// By a filter and by a pipeline, which wait for memory at the same time.
    @Test
    void a_read_waits_for_memory_of_its_caller_alone() {
        try (var held = memory.open(List.of(ADA));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            assertThat(held.tryHold(36L * MIB)).isTrue();
            var refused = List.of(threads.submit(() -> read(ADA, false)), threads.submit(() -> read(ADA, true)));
            assertThat(read(BOB, false)).hasSize(8);
            assertThat(read(BOB, true)).hasSize(8);
            for (var read : refused) {
                assertThatThrownBy(read::get).hasMessageContaining("hold its share of the memory");
            }
        }
        assertThat(read(ADA, false)).hasSize(8);
        assertThat(read(ADA, true)).hasSize(8);
    }

    /// The first of them holds all the memory that it may have, and what they share counts for each.
    @Test
    void of_equal_reads_that_wait_together_those_are_served_whose_callers_have_memory() throws Exception {
        try (var held = memory.open(List.of(ADA))) {
            assertThat(held.tryHold(36L * MIB)).isTrue();
            var running = find(CARL, SLOW);
            var slow = "{active: true, ns: '" + namespace.getFullName() + "'}";
            await().until(() -> !TestMongo.operations(client, slow).isEmpty());
            var first = find(ADA, SLOW);
            var second = find(BOB, SLOW);
            assertThat(running.join()).hasSize(8);
            assertThat(second.join()).hasSize(8);
            assertThatThrownBy(first::join).hasMessageContaining("hold its share of the memory");
        }
    }

    private CompletableFuture<List<RawBsonDocument>> find(String caller, BsonDocument filter) {
        var query =
                new DocumentRead.Find(namespace, filter, new BsonDocument(), 0, 8, Duration.ZERO, new Access.Root());
        var lease = memory.open(() -> caller);
        return CallerScope.call(
                caller,
                () -> reads.read(query, lease)
                        .whenComplete((_, _) -> lease.close())
                        .toCompletableFuture());
    }
}
