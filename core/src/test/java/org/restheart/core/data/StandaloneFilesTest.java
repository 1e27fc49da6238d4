package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.gridfs.GridFSBuckets;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.Opened;

/// The content of files is replaced on a server without transactions, through two gateways.
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StandaloneFilesTest {
    /// Of the chunks that the gateway stores.
    private static final int CHUNK = 255 * 1024;

    private static final String MARK = "movesFrom";

    @AutoClose
    private final Opened<AutoCloseable> opened = new Opened<>();

    private final List<ConformanceGateway> gateways = new ArrayList<>();
    private MongoClient client;
    private MongoCollection<BsonDocument> files;
    private MongoCollection<BsonDocument> chunks;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        var mongod = opened.add(OwnStandalone.start(folder));
        client = opened.add(MongoClients.create(mongod.connectionString()));
        files = client.getDatabase("db").getCollection("p.files", BsonDocument.class);
        chunks = client.getDatabase("db").getCollection("p.chunks", BsonDocument.class);
        for (int i = 0; i < 2; i++) {
            gateways.add(opened.add(ConformanceGateway.start(
                    mongod.connectionString(), "mongo: {mongo-mounts: [{what: '*', where: /}]}")));
        }
        assertStatus(201, gateways.getFirst().as("admin").put("/db", "{}"));
        assertStatus(201, gateways.getFirst().as("admin").put("/db/p.files", "{}"));
    }

    @BeforeEach
    void empty() {
        files.deleteMany(new BsonDocument());
        chunks.deleteMany(new BsonDocument());
    }

    private HttpResponse<byte[]> send(int gateway, String method, String path, String type, byte[] content) {
        return gateways.get(gateway)
                .as("admin")
                .with("Content-Type", type)
                .sendBytes(method, "/db/p.files" + path, content);
    }

    private int put(int gateway, byte[] content) throws Exception {
        return send(gateway, "PUT", "/a", "image/png", content).statusCode();
    }

    private byte[] get(int gateway) throws Exception {
        var response = send(gateway, "GET", "/a/binary", "image/png", new byte[0]);
        assertStatus(200, response);
        return response.body();
    }

    /// Content of one byte only, so that two contents cannot be mixed unnoticed.
    private static byte[] content(int value, int length) {
        var bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    private void assertWhole(byte[] expected) throws Exception {
        assertThat(get(1)).isEqualTo(expected);
        var document = files.find().first();
        assertThat(document).doesNotContainKey(MARK);
        assertThat(chunks.countDocuments()).as("chunks").isEqualTo(Math.ceilDiv(expected.length, CHUNK));
        var seen = new ByteArrayOutputStream();
        GridFSBuckets.create(client.getDatabase("db"), "p").downloadToStream(new BsonString("a"), seen);
        assertThat(seen.toByteArray()).as("by the driver").isEqualTo(expected);
    }

    @Test
    void content_is_replaced_by_a_longer_a_shorter_and_an_empty_one() throws Exception {
        assertThat(put(0, content(1, 3 * CHUNK))).isEqualTo(201);
        assertThat(put(1, content(2, 5 * CHUNK + 1))).isEqualTo(200);
        assertWhole(content(2, 5 * CHUNK + 1));
        assertThat(put(0, content(3, 10))).isEqualTo(200);
        assertWhole(content(3, 10));
        assertThat(put(0, new byte[0])).isEqualTo(200);
        assertWhole(new byte[0]);
        assertThat(put(0, content(4, CHUNK))).isEqualTo(200);
        assertWhole(content(4, CHUNK));
    }

    @Test
    void an_id_may_come_after_the_content() throws Exception {
        var body = "--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\ncontent\r\n--XX\r\n"
                + "Content-Disposition: form-data; name=\"metadata\"\r\n\r\n{\"_id\": \"a\"}\r\n--XX--\r\n";
        var bytes = body.getBytes(StandardCharsets.UTF_8);
        var type = "multipart/form-data; boundary=XX";
        assertStatus(201, send(0, "POST", "", type, bytes));
        assertWhole("content".getBytes(StandardCharsets.UTF_8));
        assertStatus(409, send(0, "POST", "", type, bytes));
        assertWhole("content".getBytes(StandardCharsets.UTF_8));
    }

    /// Stores the file as a gateway leaves it that terminates while it replaces content of ones by content of twos.
    ///
    /// @param removed how many of three old chunks are gone
    /// @param moved how many of four new ones are where they belong
    private void interrupt(int removed, int moved) throws Exception {
        assertThat(put(0, content(1, 3 * CHUNK))).isEqualTo(201);
        var from = new BsonObjectId();
        files.updateOne(
                new BsonDocument(),
                new BsonDocument("$set", new BsonDocument(MARK, from).append("length", new BsonInt32(4 * CHUNK))));
        for (int n = 0; n < removed; n++) {
            chunks.deleteOne(new BsonDocument("n", new BsonInt32(n)));
        }
        for (int n = 0; n < 4; n++) {
            var chunk = new BsonDocument("files_id", n < moved ? new BsonString("a") : from)
                    .append("n", new BsonInt32(n))
                    .append("data", new BsonBinary(content(2, CHUNK)));
            chunks.insertOne(n < moved ? chunk.append("movedFrom", from) : chunk);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 0", "1 0", "3 0", "3 1", "3 4"})
    void what_a_terminated_gateway_has_left_is_finished_by_the_next_download(String state) throws Exception {
        interrupt(state.charAt(0) - '0', state.charAt(2) - '0');
        assertThat(get(1)).isEqualTo(content(2, 4 * CHUNK));
        assertWhole(content(2, 4 * CHUNK));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 0", "2 0", "3 2"})
    void what_a_terminated_gateway_has_left_does_not_disturb_writes(String state) throws Exception {
        interrupt(state.charAt(0) - '0', state.charAt(2) - '0');
        assertThat(put(1, content(3, 2 * CHUNK))).isEqualTo(200);
        assertWhole(content(3, 2 * CHUNK));
        empty();
        interrupt(state.charAt(0) - '0', state.charAt(2) - '0');
        assertStatus(204, send(1, "DELETE", "/a", "image/png", new byte[0]));
        assertThat(chunks.countDocuments()).isZero();
        interrupt(state.charAt(0) - '0', state.charAt(2) - '0');
        assertStatus(200, send(1, "DELETE", "/*", "image/png", new byte[0]));
        assertThat(chunks.countDocuments()).isZero();
        assertThat(files.countDocuments()).isZero();
    }

    @Test
    void a_reader_sees_the_old_content_or_the_new_one() throws Exception {
        assertThat(put(0, content(0, 6 * CHUNK))).isEqualTo(201);
        var over = new AtomicBoolean();
        var read = new AtomicInteger();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = new ArrayList<Future<?>>();
            for (int i = 0; i < 4; i++) {
                int gateway = i % 2;
                all.add(threads.submit(() -> {
                    while (!over.get()) {
                        readWhole(gateway, read);
                    }
                    return null;
                }));
            }
            for (int i = 0; i < 2; i++) {
                int writer = i;
                all.add(threads.submit(() -> {
                    for (int value = 1; value <= 20; value++) {
                        assertThat(put(writer, content(writer * 20 + value, 6 * CHUNK)))
                                .isIn(200, 409);
                    }
                    return null;
                }));
            }
            all.get(4).get();
            all.get(5).get();
            over.set(true);
            for (var each : all) {
                each.get();
            }
        }
        assertThat(read).hasPositiveValue();
        assertWhole(content(get(0)[0], 6 * CHUNK));
    }

    private void readWhole(int gateway, AtomicInteger read) throws Exception {
        HttpResponse<byte[]> response;
        try {
            response = send(gateway, "GET", "/a/binary", "image/png", new byte[0]);
        } catch (UncheckedIOException _) {
            return; // the content that was being sent has been replaced, so the connection is closed
        }
        if (response.statusCode() == 200) {
            assertThat(response.body()).isEqualTo(content(response.body()[0], 6 * CHUNK));
            read.incrementAndGet();
        } else {
            assertStatus(503, response);
        }
    }

    @Test
    void a_precondition_holds_for_a_marked_file() throws Exception {
        interrupt(1, 0);
        var etag = files.find().first().getDocument("metadata").getObjectId("_etag");
        assertThat(conditional("ffffffffffffffffffffffff")).isEqualTo(412);
        assertThat(conditional(etag.getValue().toHexString())).isEqualTo(200);
        assertWhole(content(5, CHUNK));
    }

    private int conditional(String etag) {
        return gateways.getFirst()
                .as("admin")
                .with("Content-Type", "image/png", "If-Match", etag)
                .sendBytes("PUT", "/db/p.files/a", content(5, CHUNK))
                .statusCode();
    }

    /// It names the content of another file, which is not moved.
    @Test
    void a_file_with_a_wrong_mark_can_be_deleted() throws Exception {
        assertThat(put(0, content(1, CHUNK))).isEqualTo(201);
        assertStatus(201, send(0, "PUT", "/b", "image/png", content(2, 2 * CHUNK)));
        files.updateOne(
                new BsonDocument("_id", new BsonString("a")),
                new BsonDocument("$set", new BsonDocument(MARK, new BsonString("b"))));
        assertStatus(204, send(0, "DELETE", "/a", "image/png", new byte[0]));
        assertThat(chunks.countDocuments()).isEqualTo(2);
        assertThat(send(0, "GET", "/b/binary", "image/png", new byte[0]).body()).isEqualTo(content(2, 2 * CHUNK));
    }

    /// Chunks of the id of somebody else's upload, which began before the file was there.
    @Test
    void chunks_of_others_do_not_stop_a_replacement() throws Exception {
        interrupt(3, 1);
        BsonValue id = new BsonString("a");
        chunks.insertOne(new BsonDocument("files_id", id)
                .append("n", new BsonInt32(2))
                .append("data", new BsonBinary(content(9, CHUNK))));
        assertThat(get(0)).isEqualTo(content(2, 4 * CHUNK));
        assertWhole(content(2, 4 * CHUNK));
    }
}
