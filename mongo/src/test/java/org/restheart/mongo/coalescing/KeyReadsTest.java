package org.restheart.mongo.coalescing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoCommandException;
import com.mongodb.MongoExecutionTimeoutException;
import com.mongodb.MongoNamespace;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.restheart.http.Lease;
import org.restheart.http.MemoryBudget;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.mongo.coalescing.KeyReads.KeyRead;
import org.restheart.mongo.find.QueryKey;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Which reads by keys share a command. The documents are made by the test.
@WithMongo
class KeyReadsTest extends BatchQueueFixture {
    private static final QueryKey SHAPE =
            QueryKey.of(new MongoNamespace("db", "c")).key();

    private final TestMongo mongo;
    private volatile Gate gate = new Gate();
    private KeyReads reads;

    KeyReadsTest(TestMongo mongo) {
        this.mongo = mongo;
        this.reads = reads(4 << 20);
    }

    private KeyReads reads(int maxBatchBytes) {
        return new KeyReads(new Batching(
                mongo.client(), limits(1, 256, maxBatchBytes, 1_000), threads, UP, load, new SimpleMeterRegistry()));
    }

    /// Finds one document for each key, and refuses to find more than some at a time.
    private final class Reader implements KeyReader {
        final ConcurrentLinkedQueue<Integer> commands = new ConcurrentLinkedQueue<>();
        final ConcurrentLinkedQueue<Boolean> held = new ConcurrentLinkedQueue<>();
        private final RuntimeException failure;
        private volatile int most;
        private volatile String text = "";

        Reader(int most) {
            this(most, new IllegalStateException());
        }

        /// @param failure of a command with a negative key
        Reader(int most, RuntimeException failure) {
            this.most = most;
            this.failure = failure;
        }

        @Override
        public Optional<List<List<RawBsonDocument>>> together(List<List<BsonValue>> keys, Lease lease) {
            commands.add(keys.size());
            gate.pass();
            held.add(lease.tryHold(1));
            if (keys.stream()
                    .flatMap(List::stream)
                    .anyMatch(key -> key.asInt32().getValue() < 0)) {
                throw failure;
            }
            return keys.size() > most ? Optional.empty() : Optional.of(apart(keys, lease));
        }

        private BsonDocument document(BsonValue key) {
            var document = new BsonDocument("k", key);
            return text.isEmpty() ? document : document.append("text", new BsonString(text));
        }

        @Override
        public List<List<RawBsonDocument>> apart(List<List<BsonValue>> keys, Lease lease) {
            return keys.stream()
                    .map(each -> each.stream()
                            .map(key -> new RawBsonDocument(document(key), new BsonDocumentCodec()))
                            .toList())
                    .toList();
        }
    }

    private CompletableFuture<BatchResult<List<List<RawBsonDocument>>>> submit(Reader reader, int key) {
        return submit(reader, key, Lease.CONSTANT);
    }

    private CompletableFuture<BatchResult<List<List<RawBsonDocument>>>> submit(Reader reader, int key, Lease lease) {
        return reads.submit(
                SHAPE,
                reader,
                new KeyRead(
                        List.of(List.of(new BsonInt32(key)), List.of(new BsonInt32(key), new BsonInt32(key + 100))),
                        4_000,
                        Lease.CONSTANT,
                        lease));
    }

    /// The first one, and those that arrive while its command runs.
    private List<CompletableFuture<BatchResult<List<List<RawBsonDocument>>>>> waiting(Reader reader, int count)
            throws InterruptedException {
        var all = new ArrayList<CompletableFuture<BatchResult<List<List<RawBsonDocument>>>>>();
        all.add(submit(reader, 0));
        gate.sent.await();
        IntStream.range(1, count).forEach(i -> all.add(submit(reader, i)));
        gate.open.countDown();
        return all;
    }

    private static void assertOwn(CompletableFuture<BatchResult<List<List<RawBsonDocument>>>> read, int key) {
        assertThat(read.join().outcome().toString())
                .isEqualTo("[[{\"k\": %1$d}], [{\"k\": %1$d}, {\"k\": %2$d}]]".formatted(key, key + 100));
    }

    @Test
    void reads_that_wait_share_a_command_and_each_gets_its_own_documents() throws Exception {
        var reader = new Reader(1_000);
        var all = waiting(reader, 20);
        for (int i = 0; i < all.size(); i++) {
            assertOwn(all.get(i), i);
        }
        assertThat(reader.commands).containsExactly(2, 2 * 19);
    }

    @Test
    void what_is_too_much_together_is_read_for_each_alone_and_less_of_it_together_afterwards() throws Exception {
        var reader = new Reader(16);
        var all = waiting(reader, 20);
        for (int i = 0; i < all.size(); i++) {
            assertOwn(all.get(i), i);
        }
        assertThat(reader.commands).hasSize(2 + 19).startsWith(2, 38);
    }

    static List<RuntimeException> failures() {
        return List.of(
                new ProblemException(ProblemCode.EMBED_TOO_LARGE, "a key of one read"),
                new MongoCommandException(BsonDocument.parse("{ok: 0, code: 16609}"), SERVER),
                new MongoExecutionTimeoutException(50, "operation exceeded time limit"));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void a_read_that_fails_alone_does_not_fail_the_others(RuntimeException failure) throws Exception {
        var reader = new Reader(1_000, failure);
        var first = submit(reader, 0);
        gate.sent.await();
        var refused = submit(reader, -5);
        var other = submit(reader, 7);
        gate.open.countDown();
        assertOwn(first, 0);
        assertOwn(other, 7);
        assertThat(refused).failsWithin(Duration.ofMinutes(1));
        assertThat(reader.commands).startsWith(2, 4).hasSize(4);
    }

    @Test
    void a_batch_has_no_more_keys_than_a_command() throws Exception {
        reads = reads(10_000);
        var reader = new Reader(1_000);
        var all = waiting(reader, 6);
        for (int i = 0; i < all.size(); i++) {
            assertOwn(all.get(i), i);
        }
        assertThat(reader.commands).containsExactly(2, 4, 4, 2);
    }

    @Test
    void reads_are_combined_again_when_each_alone_has_found_little() throws Exception {
        var reader = new Reader(2);
        waiting(reader, 3).forEach(CompletableFuture::join);
        for (int i = 0; i < 12; i++) {
            submit(reader, i).join();
        }
        reader.most = 1_000;
        reader.commands.clear();
        gate = new Gate();
        waiting(reader, 5).forEach(CompletableFuture::join);
        assertThat(reader.commands).containsExactly(2, 8);
    }

    @Test
    void a_read_keeps_its_memory_while_its_command_runs_though_nobody_waits_for_it() throws Exception {
        var lease = new MemoryBudget(8 << 20).open(() -> "account a");
        var reader = new Reader(1_000);
        var read = submit(reader, 0, lease);
        gate.sent.await();
        lease.close();
        gate.open.countDown();
        read.join();
        assertThat(reader.held).containsExactly(true);
        assertThat(lease.tryHold(1)).as("it is open afterwards").isFalse();
    }

    @Test
    void a_read_without_memory_for_its_part_of_a_shared_command_waits_for_it_alone() throws Exception {
        var memory = new MemoryBudget(8 << 20);
        var reader = new Reader(1_000);
        reader.text = "x".repeat(300_000);
        try (var others = memory.open(() -> "account a");
                var mine = memory.open(() -> "account a")) {
            for (boolean isMore = true; isMore; ) {
                isMore = others.tryHold(100_000);
            }
            var first = submit(reader, 0);
            gate.sent.await();
            var poor = submit(reader, 1, mine);
            var other = submit(reader, 2);
            gate.open.countDown();
            first.join();
            other.join();
            assertThat(poor.join().outcome()).hasSize(2);
            assertThat(reader.commands).containsExactly(2, 4, 2);
        }
    }

    @Test
    void one_that_takes_seconds_does_not_let_the_others_wait() throws Exception {
        var reader = new Reader(1_000);
        var slow = submit(reader, 0);
        gate.sent.await();
        var held = gate;
        gate = new Gate();
        gate.open.countDown();
        var other = submit(reader, 1);
        await().untilAsserted(() -> {
            var _ = submit(reader, 2);
            assertThat(other).isDone();
        });
        assertThat(slow).isNotDone();
        held.open.countDown();
        slow.join();
    }
}
