package org.restheart.rest.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mongodb.client.MongoCollection;
import com.mongodb.client.model.Filters;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.bson.BsonArray;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonString;
import org.bson.RawBsonDocument;
import org.bson.codecs.BsonDocumentCodec;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.restheart.bson.JsonEncoder;
import org.restheart.bson.JsonMode;
import org.restheart.bson.Utf8Buffer;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.MemoryBudget;
import org.restheart.http.judged.JudgedRequest.Answer.Frame;
import org.restheart.mongo.find.DocumentSizes.Size;
import org.restheart.rest.format.DocumentContent.Room;
import org.restheart.rest.format.DocumentFormat.JsonArray;
import org.restheart.rest.format.DocumentFormat.JsonLines;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DocumentContentTest {
    private static final int DOCUMENTS = 5_000;
    private static final String FILLING = String.join("", Collections.nCopies(1_000, "x"));

    private final MongoCollection<RawBsonDocument> collection;

    DocumentContentTest(TestMongo mongo) {
        collection = mongo.database().getCollection("c", RawBsonDocument.class);
    }

    @BeforeAll
    void fill() {
        collection.insertMany(IntStream.range(0, DOCUMENTS)
                .mapToObj(i -> new RawBsonDocument(
                        new BsonDocument("_id", new BsonInt32(i)).append("t", new BsonString(FILLING)),
                        new BsonDocumentCodec()))
                .toList());
    }

    private static Room room() {
        return new Room(Lease.CONSTANT, new Size(), 500);
    }

    private static Content.Source source(Content content) {
        assertThat(content).isInstanceOf(Content.Streamed.class);
        return ((Content.Streamed) content).source();
    }

    @Test
    void a_small_result_is_complete_and_its_cursor_closed() {
        var cursor = collection.find(Filters.lt("_id", 2)).batchSize(1).cursor();

        var response = DocumentContent.response(room(), _ -> cursor, JsonLines.of(JsonMode.DEFAULT));

        assertThat(response.content()).isInstanceOf(Content.Bytes.class);
        assertThatThrownBy(cursor::getServerCursor).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_large_result_comes_in_pieces_and_is_whole() throws Exception {
        var cursor = collection.find().batchSize(500).cursor();
        long lines = 0;
        int largest = 0;
        int pieces = 0;

        try (var source = source(DocumentContent.response(room(), _ -> cursor, JsonLines.of(JsonMode.DEFAULT))
                .content())) {
            for (var piece = source.next(); piece.hasRemaining(); piece = source.next()) {
                largest = Math.max(largest, piece.remaining());
                pieces++;
                while (piece.hasRemaining()) {
                    lines += piece.get() == '\n' ? 1 : 0;
                }
            }
            assertThat(source.next().hasRemaining()).as("after the end").isFalse();
        }

        assertThat(lines).isEqualTo(DOCUMENTS);
        assertThat(pieces).isGreaterThan(10);
        assertThat(largest).isLessThan(DocumentContent.LARGEST_WHOLE + 2 * FILLING.length());
    }

    @Test
    void a_client_that_goes_away_closes_the_cursor() throws Exception {
        var cursor = collection.find().batchSize(100).cursor();

        try (var source = source(DocumentContent.response(
                        room(), _ -> cursor, new JsonArray(JsonEncoder.of(JsonMode.DEFAULT), Frame.ARRAY))
                .content())) {
            assertThat(source.next().hasRemaining()).isTrue();
        }

        assertThatThrownBy(cursor::getServerCursor).isInstanceOf(IllegalStateException.class);
    }

    /// While others hold it, at the end of a piece that was sent.
    @Test
    void a_tree_waits_for_memory_rather_than_cut_a_response() throws Exception {
        var memory = new MemoryBudget(64 << 20);
        try (var other = memory.open(() -> "other");
                var lease = memory.open(() -> "a")) {
            other.correct(0, 64 << 20);
            var tree = new BsonDocument("a", new BsonArray(Collections.nCopies(100_000, new BsonDocument())));
            var trees = DocumentFormat.ownedTrees(lease, UnaryOperator.identity());

            var waiting = CompletableFuture.supplyAsync(() -> trees.apply(tree), Thread::startVirtualThread);
            assertThat(waiting.copy()
                            .completeOnTimeout(null, 50, TimeUnit.MILLISECONDS)
                            .get())
                    .isNull();
            other.correct(64 << 20, 0);

            assertThat(waiting.get()).isSameAs(tree);
        }
    }

    @Test
    void a_format_that_fails_closes_the_cursor() {
        var cursor = collection.find().batchSize(100).cursor();
        DocumentFormat failing = new DocumentFormat() {
            @Override
            public String mediaType() {
                return "text/plain";
            }

            @Override
            public void document(BsonDocument document, long index, Utf8Buffer out) {
                throw new IllegalArgumentException("this one");
            }
        };

        assertThatThrownBy(() -> DocumentContent.response(room(), _ -> cursor, failing))
                .hasMessage("this one");
        assertThatThrownBy(cursor::getServerCursor).isInstanceOf(IllegalStateException.class);
    }
}
