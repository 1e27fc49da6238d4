package org.restheart.core.file;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.file.FileClient.header;
import static org.restheart.core.file.FileClient.random;
import static org.restheart.core.file.FileClient.text;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.bson.BsonBinary;
import org.bson.BsonDocument;
import org.bson.BsonInt32;
import org.bson.BsonObjectId;
import org.bson.BsonString;
import org.bson.BsonValue;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Files over HTTP: uploads, metadata, deletions, rules.
@WithMongo
class FilesTest {
    private static final AtomicInteger COUNTER = new AtomicInteger();

    @AutoClose
    private static TestGateway gateway;

    private static FileClient files;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        files = new FileClient(gateway);
        gateway.permit("{_id: 1, roles: ['editor'], predicate: \"path-prefix('/p.files')\", mongo:"
                + " {readFilter: {'metadata.owner': 'ada'}, writeFilter: {'metadata.owner': 'ada'}, checkWritten: true,"
                + " projectResponse: {'metadata.contentType': 0, filename: 0}}}");
        for (var bucket : List.of("p", "q", "all")) {
            assertStatus(201, gateway.as("admin").put("/" + bucket + ".files", "{}"));
        }
    }

    @Test
    void an_upload_that_breaks_off_leaves_nothing() throws Exception {
        assertStatus(201, gateway.as("admin").put("/broken.files", "{}"));
        try (var socket =
                new Socket(gateway.address().getAddress(), gateway.address().getPort())) {
            var out = socket.getOutputStream();
            out.write(("PUT /broken.files/gone HTTP/1.1\r\nHost: h\r\nContent-Type: a/b\r\nContent-Length: 12000000\r\n"
                            + "Authorization: " + FileClient.credentials("admin") + "\r\n\r\n")
                    .getBytes(UTF_8));
            out.write(random(10_000_000));
            out.flush();
            await().until(() -> gateway.collection("broken.chunks").countDocuments() >= 32);
        }
        await().until(() -> gateway.collection("broken.chunks").countDocuments() == 0);
        assertStatus(404, files.send("admin", "GET", "/broken.files/gone", new byte[0]));
        var cut = FileClient.multipart("{\"_id\":\"cut\"}", random(2_000_000));
        assertStatus(
                400,
                files.send(
                        "admin",
                        "POST",
                        "/broken.files",
                        Arrays.copyOf(cut, cut.length - 100),
                        "Content-Type",
                        FileClient.MULTIPART));
        assertThat(gateway.collection("broken.chunks").countDocuments()).isZero();
        assertStatus(201, files.raw("/broken.files/gone", random(5)));
    }

    private BsonDocument chunk(BsonValue file, int n, Duration age) {
        var seconds = (int) Instant.now().minus(age).getEpochSecond();
        return new BsonDocument("_id", new BsonObjectId(new ObjectId(seconds, COUNTER.incrementAndGet())))
                .append("files_id", file)
                .append("n", new BsonInt32(n))
                .append("data", new BsonBinary(new byte[5]));
    }

    @Test
    void what_uploads_of_terminated_gateways_have_left_is_removed_after_an_hour() throws Exception {
        assertStatus(201, gateway.as("admin").put("/left.files", "{}"));
        var chunks = gateway.collection("left.chunks");
        var old = new BsonString("old");
        var moving = new BsonObjectId();
        chunks.insertMany(List.of(
                chunk(old, 0, Duration.ofHours(3)),
                chunk(old, 1, Duration.ofHours(2)),
                chunk(new BsonObjectId(), 0, Duration.ofHours(2)),
                chunk(new BsonString("active"), 0, Duration.ofHours(3)),
                chunk(new BsonString("active"), 1, Duration.ofMinutes(30)),
                chunk(moving, 0, Duration.ofHours(2))));
        gateway.collection("left.files")
                .insertOne(BsonDocument.parse("{_id: 'moved', filename: 'x', length: 5, chunkSize: 5, metadata: {}}")
                        .append("movesFrom", moving));

        assertStatus(201, files.raw("/left.files/new", random(5)));

        await().untilAsserted(() -> assertThat(chunks.distinct("files_id", BsonValue.class))
                .containsExactlyInAnyOrder(new BsonString("active"), new BsonString("moved"), new BsonString("new")));
        assertThat(chunks.countDocuments()).isEqualTo(4);
        assertThat(files.send("admin", "GET", "/left.files/moved/binary", new byte[0])
                        .body())
                .hasSize(5);
    }

    @Test
    void parts_of_a_form_without_effect_are_warned_of() throws Exception {
        var form = ("--XX\r\nContent-Disposition: form-data; name=\"meta\"\r\n\r\n{\"_id\":\"w\"}\r\n"
                        + "--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\nfirst\r\n"
                        + "--XX\r\nContent-Disposition: form-data; name=\"g\"; filename=\"y\"\r\n\r\nsecond\r\n--XX--\r\n")
                .getBytes(UTF_8);
        var stored = files.send("admin", "POST", "/q.files", form, "Content-Type", FileClient.MULTIPART);
        assertStatus(201, stored);
        assertThat(stored.headers().allValues("Warning"))
                .containsExactly(
                        "299 - \"the part meta has no effect: metadata are one part with the name metadata\"",
                        "299 - \"only one file is stored, the first: send another one by a request of its own\"");
        assertThat(text(stored)).contains("\"_warnings\": [\"the part meta has no effect");
        var swapped = ("--XX\r\nContent-Disposition: form-data; name=\"metadata\"; filename=\"m.json\"\r\n\r\n{}\r\n"
                        + "--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\nfirst\r\n--XX--\r\n")
                .getBytes(UTF_8);
        var mistaken = files.send("admin", "POST", "/q.files", swapped, "Content-Type", FileClient.MULTIPART);
        assertStatus(201, mistaken);
        assertThat(mistaken.headers().allValues("Warning"))
                .containsExactly(
                        "299 - \"the part metadata has a file name, so it is a file and no metadata; curl sends the text of a"
                                + " file with -F 'metadata=<NAME'\"",
                        "299 - \"only one file is stored, the first: send another one by a request of its own\"");
        assertStatus(201, gateway.as("admin").put("/plain", "{}"));
        var dropped = files.send(
                "admin", "POST", "/plain", FileClient.multipart("{}", random(5)), "Content-Type", FileClient.MULTIPART);
        assertStatus(201, dropped);
        assertThat(header(dropped, "Warning")).contains("they go to a collection whose name ends in .files");
    }

    @Test
    void who_sends_a_file_without_its_type_is_told_how_files_are_sent() throws Exception {
        for (var path : List.of("/q.files/untyped", "/q.files")) {
            var refused = files.send("admin", "PUT", path, random(50));
            assertThat(refused.statusCode()).as(path).isEqualTo(400);
            assertThat(text(refused)).as(path).contains("curl -T name -H 'Content-Type: image/png'");
        }
    }

    @Test
    void malformed_uploads_are_refused() throws Exception {
        assertStatus(
                400, files.send("admin", "POST", "/q.files", "{}".getBytes(UTF_8), "Content-Type", "application/json"));
        assertStatus(415, files.send("admin", "POST", "/q.files", "x".getBytes(UTF_8), "Content-Type", "text/plain"));
        assertStatus(400, files.upload("admin", "q", "{oops", random(5)));
        var none = "--XX\r\nContent-Disposition: form-data; name=\"metadata\"\r\n\r\n{}\r\n--XX--\r\n".getBytes(UTF_8);
        assertThat(text(files.send("admin", "POST", "/q.files", none, "Content-Type", FileClient.MULTIPART)))
                .contains("This request does not contain any binary file");
        assertStatus(400, files.send("admin", "POST", "/q.files", none, "Content-Type", "multipart/form-data"));
        assertStatus(
                400,
                files.send(
                        "admin",
                        "PUT",
                        "/q.files/m",
                        FileClient.multipart("{\"_id\":\"other\"}", random(5)),
                        "Content-Type",
                        FileClient.MULTIPART));
        assertThat(files.chunks("q", "m")).isZero();
    }

    @Test
    void metadata_change_without_the_content() throws Exception {
        var png = "\u0089PNG\r\n\u001a\n".getBytes(ISO_8859_1);
        files.upload("admin", "q", "{\"_id\":\"meta\",\"filename\":\"f.png\",\"n\":{\"a\":1,\"b\":2}}", png);
        var admin = gateway.as("admin");
        assertStatus(200, admin.patch("/q.files/meta", "{\"metadata\":{\"n\":{\"b\":3},\"filename\":\"g.png\"}}"));
        assertThat(BsonDocument.parse(admin.get("/q.files/meta").body()).toString())
                .contains("\"filename\": \"g.png\", \"length\": 8", "\"a\": 1, \"b\": 3", "image/png");
        assertStatus(400, admin.patch("/q.files/meta", "{\"$set\":{\"n\":1}}"));
        assertStatus(400, admin.patch("/q.files/meta", "{}"));
        assertStatus(404, admin.patch("/q.files/none", "{\"a\":1}"));
        var put = admin.put("/q.files/meta", "{\"tag\":\"t\",\"_id\":5}");
        assertStatus(200, put);
        assertThat(admin.get("/q.files/meta").body())
                .contains("\"tag\"", header(put, "ETag"))
                .doesNotContain("contentType", "\"n\"");
        assertThat(admin.get("/q.files/meta/binary").body()).hasSize(8);
        assertStatus(412, admin.with("If-Match", "no").send("DELETE", "/q.files/meta", ""));
        assertStatus(204, admin.with("If-Match", header(put, "ETag")).send("DELETE", "/q.files/meta", ""));
        assertThat(files.chunks("q", "meta")).isZero();
    }

    @Test
    void many_files_are_deleted_by_a_filter_or_all() throws Exception {
        for (int i = 0; i < 4; i++) {
            files.upload("admin", "all", "{\"_id\":\"" + i + "\",\"tag\":" + i % 2 + "}", random(300_000));
        }
        var admin = gateway.as("admin");
        assertThat(admin.send("DELETE", "/all.files/*?filter=%7B%22metadata.tag%22:1%7D", "")
                        .body())
                .contains("\"deleted\": 2");
        assertThat(files.chunks("all", "0") + files.chunks("all", "1")).isEqualTo(2);
        assertStatus(400, admin.send("DELETE", "/all.files/*?filter=%7B%7D", ""));
        assertThat(admin.send("DELETE", "/all.files/*", "").body()).contains("\"deleted\": 2");
        assertThat(gateway.collection("all.chunks").countDocuments()).isZero();
    }

    @Test
    void rules_hold_for_files_and_their_content() throws Exception {
        files.upload("admin", "p", "{\"_id\":\"his\",\"owner\":\"bob\"}", random(9));
        assertStatus(404, files.send("ada", "GET", "/p.files/his/binary", new byte[0]));
        assertStatus(409, files.send("ada", "PUT", "/p.files/his", random(5), "Content-Type", "a/b"));
        assertStatus(404, files.send("ada", "DELETE", "/p.files/his", new byte[0]));
        assertStatus(404, gateway.as("ada").patch("/p.files/his", "{\"owner\":\"ada\"}"));
        assertStatus(403, files.upload("ada", "p", "{\"_id\":\"planted\",\"owner\":\"bob\"}", random(9)));
        assertThat(files.chunks("p", "planted")).isZero();
        assertStatus(
                201,
                files.upload(
                        "ada",
                        "p",
                        "{\"_id\":\"hers\",\"owner\":\"ada\",\"filename\":\"n\"}",
                        "<svg/>".getBytes(UTF_8)));
        var hers = files.send("ada", "GET", "/p.files/hers/binary", new byte[0]);
        assertStatus(200, hers);
        assertThat(header(hers, "Content-Disposition")).isEqualTo("inline; filename=\"hers\"");
        assertThat(header(hers, "Content-Type")).isEqualTo("application/octet-stream");
        var seen = files.send("admin", "GET", "/p.files/hers/binary", new byte[0]);
        assertThat(header(seen, "Content-Type")).isEqualTo("image/svg+xml");
        assertThat(header(seen, "Content-Security-Policy")).startsWith("sandbox; default-src 'none';");
        assertStatus(403, gateway.as("ada").patch("/p.files/hers", "{\"owner\":\"bob\"}"));
        assertStatus(403, files.send("bob", "GET", "/p.files/hers/binary", new byte[0]));
        assertThat(files.send("ada", "DELETE", "/p.files/*", new byte[0]).statusCode())
                .as("without allowBulkDelete")
                .isEqualTo(403);
    }
}
