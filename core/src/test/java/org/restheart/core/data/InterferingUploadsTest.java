package org.restheart.core.data;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import com.mongodb.client.MongoCollection;
import com.mongodb.client.gridfs.GridFSBuckets;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.testkit.Opened;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Uploads to one id, and deletions of files with it, while another upload to it arrives: what is acknowledged is
/// stored completely. With transactions and without.
@WithMongo
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class InterferingUploadsTest {
    /// Of the chunks that the gateway stores.
    private static final int CHUNK = 255 * 1024;

    /// The first part of a slow upload: more than stays in memory.
    private static final int FIRST = 41 * CHUNK;

    /// Chunks that are stored of it, at least.
    private static final int STORED = 36;

    private static final String PERMISSION = """
            - role: filer
              predicate: path-prefix('/')
              mongo:
                allowBulkDelete: true
                readFilter: {'metadata.owner': '@user.userid'}
                writeFilter: {'metadata.owner': '@user.userid'}
                mergeRequest: {owner: '@user.userid'}
        """;

    @AutoClose
    private final Opened<AutoCloseable> opened = new Opened<>();

    private final Map<String, Deployment> deployments = new HashMap<>();

    private record Deployment(MongoClient client, String database, ConformanceGateway gateway) {
        MongoCollection<BsonDocument> collection(String name) {
            return client.getDatabase(database).getCollection(name, BsonDocument.class);
        }

        /// Without files and chunks.
        Deployment emptied() {
            collection("p.files").deleteMany(new BsonDocument());
            collection("p.chunks").deleteMany(new BsonDocument());
            return this;
        }

        String path(String more) {
            return "/" + database + "/p.files" + more;
        }
    }

    @BeforeAll
    void start(TestMongo mongo, @TempDir Path folder) throws IOException {
        open("replica set", mongo.connectionString(), mongo.newDatabaseName());
        var mongod = opened.add(OwnStandalone.start(folder));
        open("standalone", mongod.connectionString(), "db");
    }

    private void open(String name, String uri, String database) {
        var client = opened.add(MongoClients.create(uri));
        var gateway = opened.add(ConformanceGateway.of(ConformanceGateway.GUARDS + "core: {error-bodies: MINIMAL}\n"
                + "mongo: {mongo-mounts: [{what: '*', where: /}]}\nmclient: {connection-string: '" + uri + "'}\n"
                + ConformanceGateway.ACCOUNTS + "    - {userid: eve, password: secret, roles: [filer]}\n"
                + ConformanceGateway.PERMISSIONS + PERMISSION));
        var deployment = new Deployment(client, database, gateway);
        deployments.put(name, deployment);
        assertThat(gateway.as("admin").put("/" + database, "{}").statusCode()).isIn(200, 201);
        assertStatus(201, gateway.as("admin").put(deployment.path(""), "{}"));
    }

    private static HttpResponse<byte[]> send(
            Deployment to, String user, String method, String path, String type, byte[] content) {
        return to.gateway.as(user).with("Content-Type", type).sendBytes(method, to.path(path), content);
    }

    /// Content whose every eight bytes have the number, so that two contents cannot be mixed unnoticed.
    private static byte[] content(long number, int length) {
        var bytes = ByteBuffer.allocate(Math.ceilDiv(length, 8) * 8);
        while (bytes.hasRemaining()) {
            bytes.putLong(number);
        }
        var content = new byte[length];
        bytes.get(0, content);
        return content;
    }

    private static byte[] form(String id, byte[] content) {
        var form = new ByteArrayOutputStream();
        form.writeBytes(
                "--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\n".getBytes(US_ASCII));
        form.writeBytes(content);
        form.writeBytes(("\r\n--XX\r\nContent-Disposition: form-data; name=\"metadata\"\r\n\r\n{\"_id\": \"" + id
                        + "\"}\r\n--XX--\r\n")
                .getBytes(US_ASCII));
        return form.toByteArray();
    }

    /// One way to write a file with this id.
    private static int write(Deployment to, String user, String way, String id, byte[] content) {
        return switch (way) {
            case "put" -> send(to, user, "PUT", "/" + id, "image/png", content).statusCode();
            case "id after the content" ->
                send(to, user, "POST", "", "multipart/form-data; boundary=XX", form(id, content))
                        .statusCode();
            case "delete" ->
                send(to, user, "DELETE", "/" + id, "a/b", new byte[0]).statusCode();
            case "delete many" ->
                send(to, user, "DELETE", "/*?filter=" + encoded("{\"_id\":\"" + id + "\"}"), "a/b", new byte[0])
                        .statusCode();
            default -> throw new IllegalArgumentException(way);
        };
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, US_ASCII);
    }

    /// An upload whose content arrives in two parts.
    private static final class SlowUpload implements AutoCloseable {
        private final Socket socket;
        private final byte[] content;

        SlowUpload(Deployment to, String id, byte[] content) throws IOException {
            this.content = content;
            socket = new Socket("127.0.0.1", to.gateway.port());
            var out = socket.getOutputStream();
            out.write(("PUT " + to.path("/" + id) + " HTTP/1.1\r\nHost: h\r\nContent-Type: image/png\r\n"
                            + "Connection: close\r\nContent-Length: " + content.length + "\r\nAuthorization: "
                            + TestClient.basic("admin", "secret") + "\r\n\r\n")
                    .getBytes(US_ASCII));
            out.write(content, 0, FIRST);
            out.flush();
        }

        int finish() throws IOException {
            socket.getOutputStream().write(content, FIRST, content.length - FIRST);
            var response = new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
            return Integer.parseInt(response.substring(9, 12));
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    /// The file is there as a whole, for the gateway and other drivers, and nothing else is.
    private void assertOnly(Deployment in, String id, byte[] expected) throws Exception {
        assertThat(send(in, "admin", "GET", "/" + id + "/binary", "a/b", new byte[0])
                        .body())
                .isEqualTo(expected);
        var seen = new ByteArrayOutputStream();
        GridFSBuckets.create(in.client.getDatabase(in.database), "p").downloadToStream(new BsonString(id), seen);
        assertThat(seen.toByteArray()).as("by the driver").isEqualTo(expected);
        assertThat(in.collection("p.chunks").countDocuments()).isEqualTo(Math.ceilDiv(expected.length, CHUNK));
    }

    @ParameterizedTest
    @CsvSource({
        "replica set, put, delete", "replica set, put, delete many",
        "replica set, id after the content, delete", "replica set, id after the content, delete many",
        "standalone, put, delete", "standalone, put, delete many",
        "standalone, id after the content, delete", "standalone, id after the content, delete many"
    })
    void a_file_that_is_made_and_deleted_takes_nothing_of_an_upload(String deployment, String write, String delete)
            throws Exception {
        var to = deployments.get(deployment).emptied();
        for (int length : new int[] {0, 3 * CHUNK}) {
            var content = content(1, 45 * CHUNK + 3);
            try (var upload = new SlowUpload(to, "a", content)) {
                await().until(() -> to.collection("p.chunks").countDocuments() >= STORED);
                assertThat(write(to, "eve", write, "a", content(2, length))).isEqualTo(201);
                assertThat(write(to, "eve", delete, "a", content)).isIn(200, 204);
                assertThat(upload.finish()).isEqualTo(201);
            }
            assertOnly(to, "a", content);
            to.emptied();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"replica set", "standalone"})
    void an_upload_of_a_file_that_is_deleted_meanwhile_takes_nothing_of_another_one(String deployment)
            throws Exception {
        var to = deployments.get(deployment).emptied();
        assertThat(write(to, "eve", "put", "a", content(0, 5))).isEqualTo(201);
        try (var replacement = new SlowUpload(to, "a", content(1, 45 * CHUNK))) {
            await().until(() -> to.collection("p.chunks").countDocuments() > STORED);
            assertThat(write(to, "eve", "delete", "a", new byte[0])).isEqualTo(204);
            var content = content(2, 47 * CHUNK);
            try (var upload = new SlowUpload(to, "a", content)) {
                await().until(() -> to.collection("p.chunks").countDocuments() >= 2 * STORED);
                assertThat(replacement.finish()).isEqualTo(201);
                assertThat(write(to, "admin", "delete", "a", new byte[0])).isEqualTo(204);
                assertThat(upload.finish()).isEqualTo(201);
            }
            assertOnly(to, "a", content);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"replica set", "standalone"})
    void of_two_uploads_that_create_one_id_the_first_that_is_complete_is_stored(String deployment) throws Exception {
        var to = deployments.get(deployment).emptied();
        try (var first = new SlowUpload(to, "a", content(1, 45 * CHUNK));
                var second = new SlowUpload(to, "a", content(2, 42 * CHUNK))) {
            await().until(() -> to.collection("p.chunks").countDocuments() >= 2 * STORED);
            assertThat(first.finish()).isEqualTo(201);
            assertThat(second.finish()).isEqualTo(409);
        }
        assertOnly(to, "a", content(1, 45 * CHUNK));
    }

    @ParameterizedTest
    @ValueSource(strings = {"replica set", "standalone"})
    void who_may_not_change_a_file_cannot_damage_it(String deployment) throws Exception {
        var to = deployments.get(deployment).emptied();
        var content = content(1, 5 * CHUNK);
        assertThat(write(to, "admin", "put", "a", content)).isEqualTo(201);
        for (int length : new int[] {0, 5, 7 * CHUNK}) {
            for (var way : List.of("put", "id after the content")) {
                assertThat(write(to, "eve", way, "a", content(2, length)))
                        .as(way)
                        .isEqualTo(409);
            }
        }
        assertThat(write(to, "eve", "delete", "a", new byte[0])).isEqualTo(404);
        assertThat(write(to, "eve", "delete many", "a", new byte[0])).isEqualTo(200);
        assertOnly(to, "a", content);
    }

    @ParameterizedTest
    @ValueSource(strings = {"replica set", "standalone"})
    void files_are_whole_while_many_write_and_delete_them(String deployment) throws Exception {
        var to = deployments.get(deployment).emptied();
        var numbers = new AtomicInteger();
        var written = new AtomicInteger();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var all = new ArrayList<Future<?>>();
            for (int i = 0; i < 6; i++) {
                var random = new Random(i);
                all.add(threads.submit(() -> {
                    for (int turn = 0; turn < 12; turn++) {
                        var ways = List.of("put", "put", "id after the content", "delete", "delete many", "read");
                        act(to, ways.get(random.nextInt(ways.size())), random, numbers.incrementAndGet(), written);
                    }
                    return null;
                }));
            }
            for (var each : all) {
                each.get();
            }
        }
        assertThat(written).hasPositiveValue();
        long chunks = 0;
        for (var id : List.of("a", "b")) {
            chunks += Math.ceilDiv(read(to, id), CHUNK);
        }
        assertThat(to.collection("p.chunks").countDocuments()).isEqualTo(chunks);
    }

    private void act(Deployment to, String way, Random random, int number, AtomicInteger written) throws Exception {
        var id = random.nextBoolean() ? "a" : "b";
        if (way.equals("read")) {
            read(to, id);
            return;
        }
        int length = new int[] {0, 5, CHUNK, 6 * CHUNK + 1}[random.nextInt(4)];
        int status = write(to, "admin", way, id, content(number, length));
        assertThat(status).as(way).isIn(200, 201, 204, 404, 409, 503);
        if (status == 201 || (status == 200 && way.equals("put"))) {
            written.incrementAndGet();
        }
    }

    /// The length of the file, 0 if it is not there.
    private int read(Deployment to, String id) throws Exception {
        HttpResponse<byte[]> response;
        try {
            response = send(to, "admin", "GET", "/" + id + "/binary", "a/b", new byte[0]);
        } catch (UncheckedIOException _) {
            return 0; // the content that was being sent has been replaced, so the connection is closed
        }
        assertThat(response.statusCode()).isIn(200, 404, 503);
        if (response.statusCode() != 200) {
            return 0;
        }
        var body = response.body();
        if (body.length >= 8) {
            assertThat(body).isEqualTo(content(ByteBuffer.wrap(body).getLong(), body.length));
        }
        return body.length;
    }
}
