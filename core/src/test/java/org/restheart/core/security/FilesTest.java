package org.restheart.core.security;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.mongodb.client.gridfs.GridFSBuckets;
import java.io.ByteArrayOutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Arrays;
import java.util.Random;
import org.bson.BsonDocument;
import org.bson.BsonString;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Files over HTTP: uploads, downloads, metadata, rules.
@WithMongo
class FilesTest {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private static final String MULTIPART = "multipart/form-data; boundary=XX";

    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        gateway.permit("{_id: 1, roles: ['editor'], predicate: \"path-prefix('/p.files')\", mongo:"
                + " {readFilter: {'metadata.owner': 'ada'}, writeFilter: {'metadata.owner': 'ada'}, checkWritten: true,"
                + " projectResponse: {'metadata.contentType': 0, filename: 0}}}");
        for (var bucket : new String[] {"p", "q", "all"}) {
            assertThat(gateway.as("admin").put("/" + bucket + ".files", "{}").statusCode())
                    .isEqualTo(201);
        }
    }

    @AfterAll
    static void stop() {
        gateway.close();
    }

    private static HttpResponse<byte[]> send(String user, String method, String path, byte[] content, String... headers)
            throws Exception {
        var address = gateway.address();
        var request = HttpRequest.newBuilder(
                        URI.create("http://" + address.getHostString() + ":" + address.getPort() + path))
                .method(method, content.length == 0 ? BodyPublishers.noBody() : BodyPublishers.ofByteArray(content))
                .header("Authorization", credentials(user));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return HTTP.send(request.build(), BodyHandlers.ofByteArray());
    }

    private static String credentials(String user) {
        return TestClient.basic(user, user + "-pw");
    }

    private static byte[] multipart(String metadata, byte[] file) {
        var out = new ByteArrayOutputStream();
        if (!metadata.isEmpty()) {
            out.writeBytes(("--XX\r\nContent-Disposition: form-data; name=\"metadata\"\r\n\r\n" + metadata + "\r\n")
                    .getBytes(UTF_8));
        }
        out.writeBytes("--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"../x\"\r\n\r\n".getBytes(UTF_8));
        out.writeBytes(file);
        out.writeBytes("\r\n--XX--\r\n".getBytes(UTF_8));
        return out.toByteArray();
    }

    private static HttpResponse<byte[]> upload(String user, String bucket, String metadata, byte[] file)
            throws Exception {
        return send(user, "POST", "/" + bucket + ".files", multipart(metadata, file), "Content-Type", MULTIPART);
    }

    private static HttpResponse<byte[]> raw(String path, byte[] content) throws Exception {
        return send("admin", "PUT", path, content, "Content-Type", "image/png");
    }

    private static byte[] random(int length) {
        var bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElse("");
    }

    private static long chunks(String bucket, String id) {
        return gateway.collection(bucket + ".chunks").countDocuments(new BsonDocument("files_id", new BsonString(id)));
    }

    private static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), ISO_8859_1);
    }

    @Test
    void files_of_json_are_sent_as_they_were_stored() throws Exception {
        var json = "{\"a\":[1,2]}".getBytes(ISO_8859_1);
        var metadata = "{\"_id\":\"j\",\"filename\":\"j.json\",\"contentType\":\"application/json\"}";
        assertThat(upload("admin", "q", metadata, json).statusCode()).isEqualTo(201);
        var whole = send("admin", "GET", "/q.files/j/binary?pretty", new byte[0]);
        assertThat(header(whole, "Content-Type")).startsWith("application/json");
        assertThat(whole.body()).isEqualTo(json);
        var range = send("admin", "GET", "/q.files/j/binary?pretty", new byte[0], "Range", "bytes=0-4");
        assertThat(text(range)).isEqualTo("{\"a\":");
    }

    @Test
    void what_is_uploaded_comes_back_and_other_drivers_read_it() throws Exception {
        var content = random(700_000);
        var posted = upload("admin", "q", "{\"_id\":\"a\",\"filename\":\"a.bin\",\"tag\":\"x\"}", content);
        assertThat(posted.statusCode()).isEqualTo(201);
        assertThat(header(posted, "Location")).endsWith("/q.files/a");
        var binary = send("admin", "GET", "/q.files/a/binary", new byte[0]);
        assertThat(binary.body()).isEqualTo(content);
        assertThat(header(binary, "Content-Type")).isEqualTo("application/octet-stream");
        assertThat(header(binary, "Content-Length")).isEqualTo("700000");
        assertThat(header(binary, "Content-Disposition")).isEqualTo("inline; filename=\"a.bin\"");
        var tag = header(binary, "ETag");
        assertThat(tag).isNotEmpty().isEqualTo(header(send("admin", "GET", "/q.files/a", new byte[0]), "ETag"));
        assertThat(send("admin", "GET", "/q.files/a/binary", new byte[0], "If-None-Match", tag)
                        .statusCode())
                .isEqualTo(304);
        var head = send("admin", "HEAD", "/q.files/a/binary", new byte[0]);
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(header(head, "Content-Length")).isEqualTo("700000");
        var read = new ByteArrayOutputStream();
        GridFSBuckets.create(gateway.database(), "q").downloadToStream(new BsonString("a"), read);
        assertThat(read.toByteArray()).isEqualTo(content);
        assertThat(upload("admin", "q", "{\"_id\":\"a\"}", random(5)).statusCode())
                .isEqualTo(409);
        assertThat(chunks("q", "a")).isEqualTo(3);
    }

    @Test
    void ranges_are_bytes_of_the_content() throws Exception {
        var content = random(600_000);
        assertThat(raw("/q.files/r", content).statusCode()).isEqualTo(201);
        var one = send("admin", "GET", "/q.files/r/binary", new byte[0], "Range", "bytes=261000-522300");
        assertThat(one.statusCode()).isEqualTo(206);
        assertThat(one.body()).isEqualTo(Arrays.copyOfRange(content, 261_000, 522_301));
        assertThat(header(one, "Content-Range")).isEqualTo("bytes 261000-522300/600000");
        assertThat(header(one, "Content-Type")).isEqualTo("image/png");
        var suffix =
                send("admin", "GET", "/q.files/r/binary", new byte[0], "Range", "bytes=-7", "Accept-Encoding", "gzip");
        assertThat(suffix.body()).isEqualTo(Arrays.copyOfRange(content, 599_993, 600_000));
        var two = send("admin", "GET", "/q.files/r/binary", new byte[0], "Range", "bytes=0-1,599998-");
        assertThat(header(two, "Content-Type")).startsWith("multipart/byteranges; boundary=");
        assertThat(text(two))
                .contains("Content-Range: bytes 0-1/600000\r\n\r\n"
                        + new String(Arrays.copyOf(content, 2), ISO_8859_1)
                        + "\r\n--")
                .contains("Content-Range: bytes 599998-599999/600000\r\n\r\n"
                        + new String(Arrays.copyOfRange(content, 599_998, 600_000), ISO_8859_1));
        var backwards =
                text(send("admin", "GET", "/q.files/r/binary", new byte[0], "Range", "bytes=300000-300001, 0-0"));
        assertThat(backwards.indexOf("bytes 300000-300001/600000"))
                .isPositive()
                .isLessThan(backwards.indexOf("bytes 0-0/600000"));
        assertThat(Long.parseLong(header(two, "Content-Length"))).isEqualTo(two.body().length);
        for (var ignored : new String[] {
            "items=0-1", "bytes=1-0", "bytes=x", "bytes=0-0" + ",0-0".repeat(16), "bytes=0-599999,0-599999"
        }) {
            var whole = send("admin", "GET", "/q.files/r/binary", new byte[0], "Range", ignored);
            assertThat(whole.statusCode()).as(ignored).isEqualTo(200);
            assertThat(whole.body().length).isEqualTo(600_000);
        }
        var head = send("admin", "HEAD", "/q.files/r/binary", new byte[0], "Range", "bytes=0-1");
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(header(head, "Content-Length")).isEqualTo("600000");
        assertThat(header(head, "Accept-Ranges")).isEqualTo("bytes");
        var tag = header(head, "ETag");
        var current = send("admin", "GET", "/q.files/r/binary", new byte[0], "Range", "bytes=0-1", "If-Range", tag);
        assertThat(current.statusCode()).isEqualTo(206);
        var beyond = send("admin", "GET", "/q.files/r/binary", new byte[0], "Range", "bytes=600000-");
        assertThat(beyond.statusCode()).isEqualTo(416);
        assertThat(header(beyond, "Content-Range")).isEqualTo("bytes */600000");
        assertThat(send("admin", "GET", "/q.files/r/binary", new byte[0], "Range", "bytes=0-1", "If-Range", "old")
                        .statusCode())
                .isEqualTo(200);
    }

    @Test
    void a_file_is_replaced_whole_and_a_download_goes_on_with_the_old_one() throws Exception {
        var old = random(12_000_000);
        var replacement = random(3_000_001);
        assertThat(raw("/q.files/s", old).statusCode()).isEqualTo(201);
        try (var socket =
                new Socket(gateway.address().getAddress(), gateway.address().getPort())) {
            socket.getOutputStream()
                    .write(("GET /q.files/s/binary HTTP/1.1\r\nHost: h\r\nConnection: close\r\nAuthorization: "
                                    + credentials("admin") + "\r\n\r\n")
                            .getBytes(UTF_8));
            var in = socket.getInputStream();
            var begin = in.readNBytes(1_000);
            assertThat(raw("/q.files/s", replacement).statusCode()).isEqualTo(200);
            var all = new String(begin, ISO_8859_1) + new String(in.readAllBytes(), ISO_8859_1);
            assertThat(all.endsWith("\r\n\r\n" + new String(old, ISO_8859_1))).isTrue();
        }
        assertThat(send("admin", "GET", "/q.files/s/binary", new byte[0]).body())
                .isEqualTo(replacement);
        assertThat(chunks("q", "s")).isEqualTo(12);
        assertThat(send("admin", "PUT", "/q.files/s", random(9), "Content-Type", "a/b", "If-Match", "no")
                        .statusCode())
                .isEqualTo(412);
        assertThat(send("admin", "PUT", "/q.files/s?checkEtag", random(9), "Content-Type", "a/b")
                        .statusCode())
                .isEqualTo(409);
        assertThat(send("admin", "GET", "/q.files/s/binary", new byte[0]).body())
                .isEqualTo(replacement);
    }

    @Test
    void an_upload_that_breaks_off_leaves_nothing() throws Exception {
        try (var socket =
                new Socket(gateway.address().getAddress(), gateway.address().getPort())) {
            var out = socket.getOutputStream();
            out.write(("PUT /q.files/gone HTTP/1.1\r\nHost: h\r\nContent-Type: a/b\r\nContent-Length: 9000000\r\n"
                            + "Authorization: " + credentials("admin") + "\r\n\r\n")
                    .getBytes(UTF_8));
            out.write(random(3_000_000));
            out.flush();
            await().until(() -> chunks("q", "gone") >= 8);
        }
        await().until(() -> chunks("q", "gone") == 0);
        assertThat(send("admin", "GET", "/q.files/gone", new byte[0]).statusCode())
                .isEqualTo(404);
        var cut = multipart("{\"_id\":\"cut\"}", random(2_000_000));
        assertThat(send("admin", "POST", "/q.files", Arrays.copyOf(cut, cut.length - 100), "Content-Type", MULTIPART)
                        .statusCode())
                .isEqualTo(400);
        assertThat(chunks("q", "cut")).isZero();
        assertThat(raw("/q.files/gone", random(5)).statusCode()).isEqualTo(201);
    }

    @Test
    void malformed_uploads_are_refused() throws Exception {
        assertThat(send("admin", "POST", "/q.files", "{}".getBytes(UTF_8), "Content-Type", "application/json")
                        .statusCode())
                .isEqualTo(400);
        assertThat(send("admin", "POST", "/q.files", "x".getBytes(UTF_8), "Content-Type", "text/plain")
                        .statusCode())
                .isEqualTo(415);
        assertThat(upload("admin", "q", "{oops", random(5)).statusCode()).isEqualTo(400);
        var none = "--XX\r\nContent-Disposition: form-data; name=\"metadata\"\r\n\r\n{}\r\n--XX--\r\n".getBytes(UTF_8);
        assertThat(text(send("admin", "POST", "/q.files", none, "Content-Type", MULTIPART)))
                .contains("This request does not contain any binary file");
        assertThat(send("admin", "POST", "/q.files", none, "Content-Type", "multipart/form-data")
                        .statusCode())
                .isEqualTo(400);
        assertThat(send(
                                "admin",
                                "PUT",
                                "/q.files/m",
                                multipart("{\"_id\":\"other\"}", random(5)),
                                "Content-Type",
                                MULTIPART)
                        .statusCode())
                .isEqualTo(400);
        assertThat(chunks("q", "m")).isZero();
    }

    @Test
    void metadata_change_without_the_content() throws Exception {
        var png = "\u0089PNG\r\n\u001a\n".getBytes(ISO_8859_1);
        upload("admin", "q", "{\"_id\":\"meta\",\"filename\":\"f.png\",\"n\":{\"a\":1,\"b\":2}}", png);
        var admin = gateway.as("admin");
        assertThat(admin.patch("/q.files/meta", "{\"metadata\":{\"n\":{\"b\":3},\"filename\":\"g.png\"}}")
                        .statusCode())
                .isEqualTo(200);
        assertThat(BsonDocument.parse(admin.get("/q.files/meta").body()).toString())
                .contains("\"filename\": \"g.png\", \"length\": 8", "\"a\": 1, \"b\": 3", "image/png");
        assertThat(admin.patch("/q.files/meta", "{\"$set\":{\"n\":1}}").statusCode())
                .isEqualTo(400);
        assertThat(admin.patch("/q.files/meta", "{}").statusCode()).isEqualTo(400);
        assertThat(admin.patch("/q.files/none", "{\"a\":1}").statusCode()).isEqualTo(404);
        var put = admin.put("/q.files/meta", "{\"tag\":\"t\",\"_id\":5}");
        assertThat(put.statusCode()).isEqualTo(200);
        assertThat(admin.get("/q.files/meta").body())
                .contains("\"tag\"", header(put, "ETag"))
                .doesNotContain("contentType", "\"n\"");
        assertThat(admin.get("/q.files/meta/binary").body()).hasSize(8);
        assertThat(admin.with("If-Match", "no")
                        .send("DELETE", "/q.files/meta", "")
                        .statusCode())
                .isEqualTo(412);
        assertThat(admin.with("If-Match", header(put, "ETag"))
                        .send("DELETE", "/q.files/meta", "")
                        .statusCode())
                .isEqualTo(204);
        assertThat(chunks("q", "meta")).isZero();
    }

    @Test
    void many_files_are_deleted_by_a_filter_or_all() throws Exception {
        for (int i = 0; i < 4; i++) {
            upload("admin", "all", "{\"_id\":\"" + i + "\",\"tag\":" + i % 2 + "}", random(300_000));
        }
        var admin = gateway.as("admin");
        assertThat(admin.send("DELETE", "/all.files/*?filter=%7B%22metadata.tag%22:1%7D", "")
                        .body())
                .contains("\"deleted\": 2");
        assertThat(chunks("all", "0") + chunks("all", "1")).isEqualTo(2);
        assertThat(admin.send("DELETE", "/all.files/*?filter=%7B%7D", "").statusCode())
                .isEqualTo(400);
        assertThat(admin.send("DELETE", "/all.files/*", "").body()).contains("\"deleted\": 2");
        assertThat(gateway.collection("all.chunks").countDocuments()).isZero();
    }

    @Test
    void rules_hold_for_files_and_their_content() throws Exception {
        upload("admin", "p", "{\"_id\":\"his\",\"owner\":\"bob\"}", random(9));
        assertThat(send("ada", "GET", "/p.files/his/binary", new byte[0]).statusCode())
                .isEqualTo(404);
        assertThat(send("ada", "PUT", "/p.files/his", random(5), "Content-Type", "a/b")
                        .statusCode())
                .isEqualTo(409);
        assertThat(send("ada", "DELETE", "/p.files/his", new byte[0]).statusCode())
                .isEqualTo(404);
        assertThat(gateway.as("ada")
                        .patch("/p.files/his", "{\"owner\":\"ada\"}")
                        .statusCode())
                .isEqualTo(404);
        assertThat(upload("ada", "p", "{\"_id\":\"planted\",\"owner\":\"bob\"}", random(9))
                        .statusCode())
                .isEqualTo(403);
        assertThat(chunks("p", "planted")).isZero();
        assertThat(upload(
                                "ada",
                                "p",
                                "{\"_id\":\"hers\",\"owner\":\"ada\",\"filename\":\"n\"}",
                                "<svg/>".getBytes(UTF_8))
                        .statusCode())
                .isEqualTo(201);
        var hers = send("ada", "GET", "/p.files/hers/binary", new byte[0]);
        assertThat(hers.statusCode()).isEqualTo(200);
        assertThat(header(hers, "Content-Disposition")).isEqualTo("inline; filename=\"hers\"");
        assertThat(header(hers, "Content-Type")).isEqualTo("application/octet-stream");
        var seen = send("admin", "GET", "/p.files/hers/binary", new byte[0]);
        assertThat(header(seen, "Content-Type")).isEqualTo("image/svg+xml");
        assertThat(header(seen, "Content-Security-Policy")).startsWith("sandbox; default-src 'none';");
        assertThat(gateway.as("ada")
                        .patch("/p.files/hers", "{\"owner\":\"bob\"}")
                        .statusCode())
                .isEqualTo(403);
        assertThat(send("bob", "GET", "/p.files/hers/binary", new byte[0]).statusCode())
                .isEqualTo(403);
    }

    @Test
    void hostile_names_are_neutralised() throws Exception {
        upload("admin", "q", "{\"_id\":\"h\",\"filename\":\"../a\\\"\\r\\nX: y\\u202e;\u00e9.png\"}", random(3));
        var headers = send("admin", "GET", "/q.files/h/binary", new byte[0]);
        assertThat(header(headers, "X")).isEmpty();
        assertThat(header(headers, "Content-Disposition"))
                .isEqualTo("inline; filename=\".._a___X: y_;_.png\"; filename*=UTF-8''.._a%22__X%3A%20y_%3B%C3%A9.png");
        assertThat(header(headers, "X-Content-Type-Options")).isEqualTo("nosniff");
    }

    @Test
    void a_file_of_64_mib_goes_in_and_out() throws Exception {
        var random = random(1 << 20);
        var digest = java.security.MessageDigest.getInstance("SHA-256");
        for (int i = 0; i < 64; i++) {
            digest.update(random);
        }
        var pieces = java.util.Collections.nCopies(64, random);
        var request = HttpRequest.newBuilder(
                        URI.create("http://" + gateway.address().getHostString() + ":"
                                + gateway.address().getPort() + "/q.files/large"))
                .header("Authorization", credentials("admin"))
                .header("Content-Type", "a/b")
                .PUT(BodyPublishers.ofByteArrays(pieces));
        assertThat(HTTP.send(request.build(), BodyHandlers.ofString()).statusCode())
                .isEqualTo(201);
        var got = java.security.MessageDigest.getInstance("SHA-256");
        var answer = HTTP.send(
                request.copy()
                        .uri(URI.create("http://" + gateway.address().getHostString() + ":"
                                + gateway.address().getPort() + "/q.files/large/binary"))
                        .GET()
                        .build(),
                BodyHandlers.ofByteArrayConsumer(bytes -> bytes.ifPresent(got::update)));
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(got.digest()).isEqualTo(digest.digest());
    }
}
