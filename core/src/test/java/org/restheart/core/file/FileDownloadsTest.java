package org.restheart.core.file;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.restheart.core.file.FileClient.header;
import static org.restheart.core.file.FileClient.random;
import static org.restheart.core.file.FileClient.text;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.gridfs.GridFSBuckets;
import java.io.ByteArrayOutputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Collections;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// The content of files over HTTP: whole, in ranges, while it is replaced, and its headers.
@WithMongo
class FileDownloadsTest {
    @AutoClose
    private static TestGateway gateway;

    private static FileClient files;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        files = new FileClient(gateway);
        assertStatus(201, gateway.as("admin").put("/q.files", "{}"));
    }

    @Test
    void files_of_json_are_sent_as_they_were_stored() throws Exception {
        var json = "{\"a\":[1,2]}".getBytes(ISO_8859_1);
        var metadata = "{\"_id\":\"j\",\"filename\":\"j.json\",\"contentType\":\"application/json\"}";
        assertStatus(201, files.upload("admin", "q", metadata, json));
        var whole = files.send("admin", "GET", "/q.files/j/binary?pretty", new byte[0]);
        assertThat(header(whole, "Content-Type")).startsWith("application/json");
        assertThat(whole.body()).isEqualTo(json);
        var range = files.send("admin", "GET", "/q.files/j/binary?pretty", new byte[0], "Range", "bytes=0-4");
        assertThat(text(range)).isEqualTo("{\"a\":");
    }

    @Test
    void what_is_uploaded_comes_back_and_other_drivers_read_it() throws Exception {
        var content = random(700_000);
        var posted = files.upload("admin", "q", "{\"_id\":\"a\",\"filename\":\"a.bin\",\"tag\":\"x\"}", content);
        assertStatus(201, posted);
        assertThat(header(posted, "Location")).endsWith("/q.files/a");
        var binary = files.send("admin", "GET", "/q.files/a/binary", new byte[0]);
        assertThat(binary.body()).isEqualTo(content);
        assertThat(header(binary, "Content-Type")).isEqualTo("application/octet-stream");
        assertThat(header(binary, "Content-Length")).isEqualTo("700000");
        assertThat(header(binary, "Content-Disposition")).isEqualTo("inline; filename=\"a.bin\"");
        var tag = header(binary, "ETag");
        assertThat(tag).isNotEmpty().isEqualTo(header(files.send("admin", "GET", "/q.files/a", new byte[0]), "ETag"));
        assertStatus(304, files.send("admin", "GET", "/q.files/a/binary", new byte[0], "If-None-Match", tag));
        var head = files.send("admin", "HEAD", "/q.files/a/binary", new byte[0]);
        assertStatus(200, head);
        assertThat(header(head, "Content-Length")).isEqualTo("700000");
        var read = new ByteArrayOutputStream();
        GridFSBuckets.create(gateway.database(), "q").downloadToStream(new BsonString("a"), read);
        assertThat(read.toByteArray()).isEqualTo(content);
        assertStatus(409, files.upload("admin", "q", "{\"_id\":\"a\"}", random(5)));
        assertThat(files.chunks("q", "a")).isEqualTo(3);
    }

    @Test
    void ranges_are_bytes_of_the_content() throws Exception {
        var content = random(600_000);
        assertStatus(201, files.raw("/q.files/r", content));
        var one = files.send("admin", "GET", "/q.files/r/binary", new byte[0], "Range", "bytes=261000-522300");
        assertStatus(206, one);
        assertThat(one.body()).isEqualTo(Arrays.copyOfRange(content, 261_000, 522_301));
        assertThat(header(one, "Content-Range")).isEqualTo("bytes 261000-522300/600000");
        assertThat(header(one, "Content-Type")).isEqualTo("image/png");
        var suffix = files.send(
                "admin", "GET", "/q.files/r/binary", new byte[0], "Range", "bytes=-7", "Accept-Encoding", "gzip");
        assertThat(suffix.body()).isEqualTo(Arrays.copyOfRange(content, 599_993, 600_000));
        var two = files.send("admin", "GET", "/q.files/r/binary", new byte[0], "Range", "bytes=0-1,599998-");
        assertThat(header(two, "Content-Type")).startsWith("multipart/byteranges; boundary=");
        assertThat(text(two))
                .contains("Content-Range: bytes 0-1/600000\r\n\r\n"
                        + new String(Arrays.copyOf(content, 2), ISO_8859_1)
                        + "\r\n--")
                .contains("Content-Range: bytes 599998-599999/600000\r\n\r\n"
                        + new String(Arrays.copyOfRange(content, 599_998, 600_000), ISO_8859_1));
        var backwards =
                text(files.send("admin", "GET", "/q.files/r/binary", new byte[0], "Range", "bytes=300000-300001, 0-0"));
        assertThat(backwards.indexOf("bytes 300000-300001/600000"))
                .isPositive()
                .isLessThan(backwards.indexOf("bytes 0-0/600000"));
        assertThat(Long.parseLong(header(two, "Content-Length"))).isEqualTo(two.body().length);
        for (var ignored : new String[] {
            "items=0-1", "bytes=1-0", "bytes=x", "bytes=0-0" + ",0-0".repeat(16), "bytes=0-599999,0-599999"
        }) {
            var whole = files.send("admin", "GET", "/q.files/r/binary", new byte[0], "Range", ignored);
            assertThat(whole.statusCode()).as(ignored).isEqualTo(200);
            assertThat(whole.body().length).isEqualTo(600_000);
        }
        var head = files.send("admin", "HEAD", "/q.files/r/binary", new byte[0], "Range", "bytes=0-1");
        assertStatus(200, head);
        assertThat(header(head, "Content-Length")).isEqualTo("600000");
        assertThat(header(head, "Accept-Ranges")).isEqualTo("bytes");
        var tag = header(head, "ETag");
        var current =
                files.send("admin", "GET", "/q.files/r/binary", new byte[0], "Range", "bytes=0-1", "If-Range", tag);
        assertStatus(206, current);
        var beyond = files.send("admin", "GET", "/q.files/r/binary", new byte[0], "Range", "bytes=600000-");
        assertStatus(416, beyond);
        assertThat(header(beyond, "Content-Range")).isEqualTo("bytes */600000");
        assertStatus(
                200,
                files.send("admin", "GET", "/q.files/r/binary", new byte[0], "Range", "bytes=0-1", "If-Range", "old"));
    }

    @Test
    void a_file_is_replaced_whole_and_a_download_goes_on_with_the_old_one() throws Exception {
        var old = random(12_000_000);
        var replacement = random(3_000_001);
        assertStatus(201, files.raw("/q.files/s", old));
        try (var socket =
                new Socket(gateway.address().getAddress(), gateway.address().getPort())) {
            socket.getOutputStream()
                    .write(("GET /q.files/s/binary HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: "
                                    + FileClient.credentials("admin") + "\r\n\r\n")
                            .getBytes(UTF_8));
            var in = socket.getInputStream();
            var begin = in.readNBytes(1_000);
            assertStatus(200, files.raw("/q.files/s", replacement));
            var all = new String(begin, ISO_8859_1) + new String(in.readAllBytes(), ISO_8859_1);
            assertThat(all.endsWith("\r\n\r\n" + new String(old, ISO_8859_1))).isTrue();
        }
        assertThat(files.send("admin", "GET", "/q.files/s/binary", new byte[0]).body())
                .isEqualTo(replacement);
        assertThat(files.chunks("q", "s")).isEqualTo(12);
        assertStatus(412, files.send("admin", "PUT", "/q.files/s", random(9), "Content-Type", "a/b", "If-Match", "no"));
        assertStatus(409, files.send("admin", "PUT", "/q.files/s?checkEtag", random(9), "Content-Type", "a/b"));
        assertThat(files.send("admin", "GET", "/q.files/s/binary", new byte[0]).body())
                .isEqualTo(replacement);
    }

    /// More than one transaction takes.
    @Test
    void a_large_file_is_replaced_too() throws Exception {
        assertStatus(201, files.raw("/q.files/t", random(700_000)));
        var random = random(1 << 20);
        var answer = files.send(
                "admin",
                "PUT",
                "/q.files/t",
                BodyPublishers.ofByteArrays(Collections.nCopies(130, random)),
                BodyHandlers.discarding(),
                "Content-Type",
                "a/b");
        assertStatus(200, answer);
        var last = files.send("admin", "GET", "/q.files/t/binary", new byte[0], "Range", "bytes=-1048576");
        assertStatus(206, last);
        assertThat(last.body()).isEqualTo(random);
        assertThat(header(last, "Content-Range")).endsWith("/" + (130 << 20));
        assertThat(gateway.collection("q.files").countDocuments(BsonDocument.parse("{movesFrom: {$exists: true}}")))
                .isZero();
        assertStatus(200, files.raw("/q.files/t", random(9)));
        assertThat(files.chunks("q", "t")).isEqualTo(1);
        assertThat(files.send("admin", "GET", "/q.files/t/binary", new byte[0]).body())
                .isEqualTo(random(9));
    }

    @Test
    void the_content_of_a_file_that_is_downloaded_again_is_kept_for_those_who_may_read_the_file() throws Exception {
        gateway.permit(
                "viewer", "method(GET) and path-prefix('/k.files')", "{\"readFilter\": {\"metadata.public\": true}}");
        assertThat(gateway.as("admin").put("/k.files", "{}").statusCode()).isEqualTo(201);
        var content = random(700_000);
        files.upload("admin", "k", "{\"_id\": \"k\", \"public\": true}", content);
        files.upload("admin", "k", "{\"_id\": \"once\"}", content);
        for (int i = 0; i < 2; i++) {
            assertThat(download("admin", "/k.files/k/binary").body()).isEqualTo(content);
        }
        assertThat(download("admin", "/k.files/once/binary").body()).isEqualTo(content);
        gateway.collection("k.chunks").deleteMany(new BsonDocument()); // what is sent now has not been read now

        assertThat(download("bob", "/k.files/k/binary").body()).isEqualTo(content);
        var range = files.send("admin", "GET", "/k.files/k/binary", new byte[0], "Range", "bytes=300000-300009,-5");
        assertThat(range.statusCode()).isEqualTo(206);
        assertThat(text(range))
                .contains(new String(content, 300_000, 10, ISO_8859_1), new String(content, 699_995, 5, ISO_8859_1));
        assertThatThrownBy(() -> download("admin", "/k.files/once/binary")).isInstanceOf(UncheckedIOException.class);

        gateway.collection("k.files")
                .updateOne(
                        BsonDocument.parse("{_id: 'k'}"), BsonDocument.parse("{$set: {\"metadata.public\": false}}"));
        assertThat(download("bob", "/k.files/k/binary").statusCode()).isEqualTo(404);
        assertThat(files.raw("/k.files/k", random(5)).statusCode()).isEqualTo(200);
        assertThat(download("admin", "/k.files/k/binary").body()).isEqualTo(random(5));
    }

    private static HttpResponse<byte[]> download(String user, String path) throws Exception {
        return files.send(user, "GET", path, new byte[0]);
    }

    @Test
    void hostile_names_are_neutralised() throws Exception {
        files.upload("admin", "q", "{\"_id\":\"h\",\"filename\":\"../a\\\"\\r\\nX: y\\u202e;\u00e9.png\"}", random(3));
        var headers = files.send("admin", "GET", "/q.files/h/binary", new byte[0]);
        assertThat(header(headers, "X")).isEmpty();
        assertThat(header(headers, "Content-Disposition"))
                .isEqualTo("inline; filename=\".._a___X: y_;_.png\"; filename*=UTF-8''.._a%22__X%3A%20y_%3B%C3%A9.png");
        assertThat(header(headers, "X-Content-Type-Options")).isEqualTo("nosniff");
    }

    @Test
    void a_file_of_64_mib_goes_in_and_out() throws Exception {
        var random = random(1 << 20);
        var digest = MessageDigest.getInstance("SHA-256");
        for (int i = 0; i < 64; i++) {
            digest.update(random);
        }
        var content = BodyPublishers.ofByteArrays(Collections.nCopies(64, random));
        assertStatus(
                201,
                files.send(
                        "admin", "PUT", "/q.files/large", content, BodyHandlers.discarding(), "Content-Type", "a/b"));
        var got = MessageDigest.getInstance("SHA-256");
        var answer = files.send(
                "admin",
                "GET",
                "/q.files/large/binary",
                BodyPublishers.noBody(),
                BodyHandlers.ofByteArrayConsumer(bytes -> bytes.ifPresent(got::update)));
        assertStatus(200, answer);
        assertThat(got.digest()).isEqualTo(digest.digest());
    }
}
