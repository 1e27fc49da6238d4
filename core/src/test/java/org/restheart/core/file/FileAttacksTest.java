package org.restheart.core.file;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import com.mongodb.client.model.Filters;
import java.io.ByteArrayOutputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.bson.BsonDocument;
import org.bson.BsonObjectId;
import org.bson.types.ObjectId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.security.TestGateway;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Attacks by means of files.
@WithMongo
class FileAttacksTest {
    private static final String SCRIPT = "<html xmlns='http://www.w3.org/1999/xhtml'><script>alert(1)</script></html>";

    @AutoClose
    private static TestGateway gateway;

    @BeforeAll
    static void start(TestMongo mongo) {
        gateway = TestGateway.start(mongo, "");
        assertStatus(201, gateway.as("admin").put("/pics.files", "{}"));
    }

    private static TestClient admin() {
        return gateway.as("admin");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/xsl",
                "TEXT/XSL; charset=utf-8",
                "text/html",
                "image/svg+xml",
                "video/x+xml",
                "image/png+xml",
                "application/rdf+xml",
                "text/plain",
                "text/javascript",
                "application/x-unheard-of"
            })
    void content_that_clients_store_runs_no_scripts_in_browsers(String type) {
        assertThat(admin().with("Content-Type", type)
                        .send("PUT", "/pics.files/z", SCRIPT)
                        .statusCode())
                .isIn(200, 201);
        for (var range : new String[] {"bytes=0-", "bytes=0-1,4-5", "none"}) {
            var headers =
                    admin().with("Range", range).get("/pics.files/z/binary").headers();
            assertThat(headers.allValues("Content-Security-Policy"))
                    .singleElement()
                    .asString()
                    .startsWith("sandbox; default-src 'none';")
                    .doesNotContain("allow-");
            assertThat(headers.allValues("X-Content-Type-Options")).containsExactly("nosniff");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"image/png", "audio/mpeg", "video/mp4", "application/pdf"})
    void pictures_sound_and_films_are_shown(String type) {
        admin().with("Content-Type", type).send("PUT", "/pics.files/shown", SCRIPT);
        var headers = admin().get("/pics.files/shown/binary").headers();
        assertThat(headers.firstValue("Content-Type")).contains(type);
        assertThat(headers.firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(headers.firstValue("Content-Disposition").orElse("")).startsWith("inline;");
        assertThat(headers.firstValue("Content-Security-Policy").orElse("")).doesNotContain("sandbox");
    }

    @ParameterizedTest
    @ValueSource(strings = {"multipart/x-mixed-replace; boundary=x", "text/html;\\r\\nset-cookie=x"})
    void types_that_lead_to_headers_of_others_are_not_served(String type) {
        assertThat(admin().with("Content-Type", "image/png")
                        .send("PUT", "/pics.files/parts", "x")
                        .statusCode())
                .isIn(200, 201);
        assertStatus(200, admin().patch("/pics.files/parts", "{\"contentType\": \"" + type + "\"}"));
        assertThat(admin().get("/pics.files/parts/binary").headers().firstValue("Content-Type"))
                .contains("application/octet-stream");
    }

    @ParameterizedTest
    @CsvSource({
        "image/png, 89504e470d0a1a0a0000000d",
        "image/jpeg, ffd8ffe000104a464946",
        "image/gif, 474946383761",
        "image/webp, 524946461a00000057454250",
        "application/pdf, 255044462d312e34",
        "application/zip, 504b030414000000",
        "application/gzip, 1f8b080000000000",
        "video/mp4, 000000186674797069736f6d",
        "audio/mpeg, 4944330300000000",
        "application/octet-stream, 00010203fffefdfc"
    })
    void the_type_is_guessed_from_the_first_bytes(String type, String bytes) throws Exception {
        var content = new ByteArrayOutputStream();
        content.writeBytes(
                "--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.txt\"\r\n\r\n".getBytes(UTF_8));
        content.writeBytes(HexFormat.of().parseHex(bytes));
        content.writeBytes("\r\n--XX--\r\n".getBytes(UTF_8));
        var uri = URI.create("http://127.0.0.1:" + gateway.address().getPort() + "/pics.files/t" + bytes);
        try (var http = HttpClient.newHttpClient()) {
            var put = HttpRequest.newBuilder(uri)
                    .header("Authorization", TestClient.basic("admin", "admin-pw"))
                    .header("Content-Type", "multipart/form-data; boundary=XX")
                    .PUT(BodyPublishers.ofByteArray(content.toByteArray()));
            assertStatus(201, http.send(put.build(), BodyHandlers.discarding()));
        }
        assertThat(admin().get(uri.getPath() + "/binary").headers().firstValue("Content-Type"))
                .contains(type);
    }

    private static final String[] SPELLINGS = {"owner", "metadata.owner", "properties.owner"};

    /// A bucket for each rule, in which `ada` writes under it.
    private static String bucket(String name, String predicate, String mongo) {
        var path = "/" + name + ".files";
        assertThat(admin().put(path, "{}").statusCode()).isIn(200, 201);
        var permission = BsonDocument.parse("{roles: ['editor'], mongo: {" + mongo + "}, predicate: \"path-prefix('"
                + path + "') and " + predicate + "\"}");
        // through the gateway, which then does not wait for MongoDB's change stream to tell it
        assertStatus(201, admin().put("/acl/" + name + "?wm=upsert", permission.toJson()));
        return path;
    }

    private static int upload(String method, String path, String part, String metadata) {
        return gateway.as("ada")
                .with("Content-Type", "multipart/form-data; boundary=XX")
                .send(
                        method,
                        path,
                        "--XX\r\nContent-Disposition: form-data; name=\"" + part + "\"\r\n\r\n" + metadata
                                + "\r\n--XX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\r\n\r\nabc"
                                + "\r\n--XX--\r\n")
                .statusCode();
    }

    /// The statuses of all ways to write metadata.
    private static List<Integer> ways(String path, String metadata) {
        var ada = gateway.as("ada");
        var statuses = new ArrayList<Integer>();
        for (var part : new String[] {"metadata", "properties"}) {
            statuses.add(upload("POST", path, part, metadata));
            statuses.add(upload("PUT", path + "/" + part, part, metadata));
            statuses.add(ada.patch(path + "/there", "{\"" + part + "\": " + metadata + "}")
                    .statusCode());
            statuses.add(ada.put(path + "/there", "{\"" + part + "\": " + metadata + "}")
                    .statusCode());
        }
        statuses.add(ada.patch(path + "/there", metadata).statusCode());
        statuses.add(ada.put(path + "/there", metadata).statusCode());
        return statuses;
    }

    private static void there(String path) {
        assertThat(admin().with("Content-Type", "image/png")
                        .send("PUT", path + "/there", "x")
                        .statusCode())
                .isIn(200, 201);
    }

    @Test
    void rules_for_content_see_metadata_in_every_wrapper() {
        int number = 0;
        for (var key : SPELLINGS) {
            var black = bucket("black" + ++number, "bson-request-blacklist(" + key + ")", "");
            there(black);
            assertThat(ways(black, "{\"owner\": \"bob\"}")).as(key).containsOnly(403);
            assertThat(ways(black, "{\"owner.first\": \"bob\"}")).as(key).containsOnly(403);
            assertThat(ways(black, "{\"tag\": 1}")).as(key).containsOnly(200, 201);

            var white = bucket("white" + number, "bson-request-whitelist(" + key + ")", "");
            there(white);
            assertThat(ways(white, "{\"tag\": 1}")).as(key).containsOnly(403);
            assertThat(ways(white, "{\"owner\": 1, \"tag\": 1}")).as(key).containsOnly(403);
            assertThat(ways(white, "{\"owner\": 1}")).as(key).containsOnly(200, 201);

            var contains = bucket("contains" + number, "bson-request-contains(" + key + ")", "");
            there(contains);
            assertThat(ways(contains, "{\"tag\": 1}")).as(key).containsOnly(403);
            assertThat(ways(contains, "{\"owner\": 1}")).as(key).containsOnly(200, 201);

            var equals = bucket("equals" + number, "bson-request-prop-equals(key=" + key + ", value='ada')", "");
            there(equals);
            assertThat(ways(equals, "{\"owner\": \"bob\"}")).as(key).containsOnly(403);
            assertThat(ways(equals, "{\"owner\": \"ada\"}")).as(key).containsOnly(200, 201);
        }
    }

    @Test
    void what_is_judged_is_what_is_stored() {
        var path = bucket("first", "bson-request-blacklist(metadata.owner)", "");
        there(path);
        var ada = gateway.as("ada");
        // the first part of either name is stored, the inner field is not unwrapped again
        assertThat(upload(
                        "POST",
                        path,
                        "properties",
                        "{\"_id\":\"two\",\"owner\":\"bob\"}\r\n--XX\r\n"
                                + "Content-Disposition: form-data; name=\"metadata\"\r\n\r\n{}"))
                .isEqualTo(403);
        assertStatus(403, ada.patch(path + "/there", "{\"metadata\": {\"metadata\": {\"owner\": \"bob\"}}}"));
        assertStatus(200, ada.patch(path + "/there", "{\"metadata\": {\"properties\": {\"x\": 1}}}"));
        assertThat(gateway.stored("first.files", "there")
                        .getDocument("metadata")
                        .getDocument("properties"))
                .isEqualTo(BsonDocument.parse("{x: 1}"));
        assertThat(gateway.stored("first.files", "two")).isNull();
        assertStatus(201, ada.with("Content-Type", "image/png").send("PUT", path + "/raw", "x"));
    }

    @Test
    void merged_and_filtered_fields_hold_for_every_wrapper() {
        var rules = List.of(
                "owner: '@user._id'",
                "'metadata.owner': '@user._id'",
                "'properties.owner': '@user._id'",
                "metadata: {owner: '@user._id'}");
        for (int i = 0; i < rules.size(); i++) {
            var merged = bucket("merged" + i, "path-prefix('/')", "mergeRequest: {" + rules.get(i) + "}");
            there(merged);
            assertThat(ways(merged, "{\"owner\": \"bob\"}")).containsOnly(200, 201);
            assertThat(gateway.collection("merged" + i + ".files").distinct("metadata.owner", String.class))
                    .as(rules.get(i))
                    .containsOnly("ada");
        }
        var kept = bucket("kept", "path-prefix('/')", "writeFilter: {'metadata.owner': 'ada'}, checkWritten: true");
        there(kept);
        assertThat(ways(kept, "{\"owner\": \"bob\"}")).doesNotContain(200, 201);
        assertThat(gateway.collection("kept.files").distinct("metadata.owner", String.class))
                .isEmpty();
    }

    /// The id was free when the upload began; an hour later it may be a file.
    @Test
    void an_upload_that_is_late_leaves_the_content_of_the_file_that_was_made_meanwhile() throws Exception {
        var begun = "--XX\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\nevil\r\n"
                + "--XX\r\nContent-Disposition: form-data; name=\"junk\"\r\n\r\n";
        var end = "junk\r\n--XX--\r\n";
        try (var late =
                new Socket(gateway.address().getHostString(), gateway.address().getPort())) {
            var request = "PUT /pics.files/late HTTP/1.1\r\nHost: test\r\nConnection: close\r\nAuthorization: "
                    + TestClient.basic("admin", "admin-pw")
                    + "\r\nContent-Type: multipart/form-data; boundary=XX\r\nContent-Length: "
                    + (begun.length() + end.length()) + "\r\n\r\n" + begun;
            // until it is known that there is no such file
            TestMongo.awaitExecuted(
                    gateway.database(),
                    "{'command.find': 'pics.files'}",
                    1,
                    () -> late.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII)));
            assertStatus(
                    201, admin().with("Content-Type", "image/png").send("PUT", "/pics.files/late", "what was there"));
            var chunks = gateway.collection("pics.chunks");
            var chunk = Objects.requireNonNull(chunks.findOneAndDelete(Filters.eq("files_id", "late")));
            var longAgo = Instant.now().minus(Duration.ofHours(2));
            chunks.insertOne(chunk.append("_id", new BsonObjectId(new ObjectId((int) longAgo.getEpochSecond(), 0))));
            late.getOutputStream().write(end.getBytes(StandardCharsets.US_ASCII));
            assertThat(new String(late.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 409");
        }
        assertThat(admin().get("/pics.files/late/binary").body()).isEqualTo("what was there");
    }
}
