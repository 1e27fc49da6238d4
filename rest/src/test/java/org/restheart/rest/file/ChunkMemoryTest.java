package org.restheart.rest.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.MongoNamespace;
import com.mongodb.WriteConcern;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.Test;
import org.restheart.http.MemoryBudget;
import org.restheart.http.access.CallerScope;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// What uploads and downloads hold in memory is counted, and only as long as they hold it.
@WithMongo
class ChunkMemoryTest {
    private static final int MIB = 1 << 20;
    private static final BsonString FILE = new BsonString("f");

    private final Chunks chunks;

    ChunkMemoryTest(TestMongo mongo) {
        chunks = new Chunks(mongo.client().getDatabase(mongo.newDatabaseName()), "p.files", WriteConcern.MAJORITY);
        chunks.ensureIndexes();
    }

    @Test
    void a_download_that_has_read_a_small_range_at_once_counts_what_it_reads_ahead_of_the_next() throws Exception {
        int size = ChunkWriter.CHUNK_SIZE;
        chunks.insert(IntStream.range(0, 40)
                .mapToObj(n -> new BsonDocument("_id", new BsonInt32(n))
                        .append("files_id", FILE)
                        .append("n", new BsonInt32(n))
                        .append("data", new BsonBinary(new byte[size])))
                .toList());
        var memory = new MemoryBudget(6L * MIB);
        var file = new ChunkBatches.Described(FILE, 40L * size, size);
        var lease = memory.open(() -> "account a");
        CallerScope.call("account a", () -> {
            try (var batches = new ChunkBatches(chunks, null, Optional.of(new BsonInt32(0)), file, lease, _ -> {})) {
                assertThat(batches.next(0, 1)).isNotNull();
                assertThat(batches.next(1, 1)).isNotNull();
                assertThat(batches.next(4, 39)).isNotNull();
                assertThat(isFree(memory, 4)).as("memory for reading ahead").isFalse();
            }
            return null;
        });
        await().until(() -> isFree(memory, 5)); // when what was being read has arrived
    }

    @Test
    void content_that_is_kept_counts_while_it_is_sent() throws Exception {
        var memory = new MemoryBudget(6L * MIB);
        var recent = new RecentContent(64L * MIB);
        var file = new BsonDocument("_id", FILE);
        var key = RecentContent.Key.of(
                new MongoNamespace("d.p.files"), new RawBsonDocument(file, new BsonDocumentCodec()));
        var chunk = new BsonDocument("n", new BsonInt32(0)).append("data", new BsonBinary(new byte[3 * MIB]));
        for (int i = 0; i < 2; i++) {
            recent.offer(key, new ChunkBatches.Described(FILE, 3L * MIB, 3 * MIB), List.of(chunk));
        }
        var lease = memory.open(() -> "account a");
        CallerScope.call("account a", () -> {
            try (var source = Objects.requireNonNull(recent.source(key, lease))) {
                assertThat(source.next(0, 0)).isEqualTo(chunk);
                assertThat(isFree(memory, 3)).isFalse();
                assertThat(recent.source(key, lease)).as("beyond the memory").isNull();
            }
            return null;
        });
        assertThat(isFree(memory, 5)).isTrue();
    }

    @Test
    void content_is_kept_whole_or_not_at_all() {
        var recent = new RecentContent(64L * MIB);
        var key = RecentContent.Key.of(
                new MongoNamespace("d.p.files"),
                new RawBsonDocument(new BsonDocument("_id", FILE), new BsonDocumentCodec()));
        var file = new ChunkBatches.Described(FILE, 20, 10);
        var first = new BsonDocument("n", new BsonInt32(0)).append("data", new BsonBinary(new byte[10]));
        var tooShort = new BsonDocument("n", new BsonInt32(1)).append("data", new BsonBinary(new byte[9]));
        for (int i = 0; i < 2; i++) {
            recent.offer(key, file, List.of(first));
            recent.offer(key, file, List.of(first, first));
            recent.offer(key, file, List.of(first, tooShort));
        }
        assertThat(recent.source(key, new MemoryBudget(MIB).open(() -> "account a")))
                .isNull();
    }

    @Test
    void an_upload_that_is_too_large_for_memory_gives_it_back() throws Exception {
        var memory = new MemoryBudget(44L * MIB);
        try (var share = memory.open(() -> "account a")) {
            var writer = new ChunkWriter(chunks, share);
            writer.write(new byte[20 * ChunkWriter.CHUNK_SIZE]);
            assertThat(writer.isInMemory()).isTrue();
            assertThat(isFree(memory, 40)).isFalse();
            writer.write(new byte[20 * ChunkWriter.CHUNK_SIZE]);
            assertThat(writer.isInMemory()).isFalse();
            assertThat(isFree(memory, 40)).isTrue();
        }
        assertThat(isFree(memory, 40)).isTrue();
    }

    private static boolean isFree(MemoryBudget memory, int mebibytes) {
        try (var share = memory.open(() -> "account other")) {
            return share.tryHold((long) mebibytes * MIB);
        }
    }
}
