package org.restheart.core.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.testkit.Statuses.assertStatus;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Enumeration;
import java.util.Iterator;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.bson.Document;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.testkit.TestClient;
import org.restheart.testkit.TestMongo;
import org.restheart.testkit.WithMongo;

/// Streams of lines over HTTP, to a gateway that holds two MiB of content at most.
@WithMongo
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LinesTest {
    private static final String CREDENTIALS = TestClient.basic("admin", "secret");
    private static final int LINES = 60_000;
    private static final String PADDING = "x".repeat(300);

    private final TestMongo mongo;

    @AutoClose
    private final ConformanceGateway gateway;

    LinesTest(TestMongo mongo) {
        this.mongo = mongo;
        mongo.database().createCollection("c");
        gateway = ConformanceGateway.start(mongo, """
            mongo: {mongo-mounts: [{what: '*', where: /}]}
            core: {max-buffered-content: 2097152, max-streamed-content: 25000000}
            connection-options: {MAX_ENTITY_SIZE: 1048576}
            """);
    }

    @ParameterizedTest
    @CsvSource({"HELPFUL, true", "MINIMAL, false"})
    void an_array_that_is_too_large_is_refused_with_the_formats_that_are_not(String bodies, boolean helps) {
        try (var small = ConformanceGateway.start(mongo, """
            mongo: {mongo-mounts: [{what: '*', where: /}]}
            core: {error-bodies: %s}
            connection-options: {MAX_ENTITY_SIZE: 1000}
            """.formatted(bodies))) {
            var collection = "/" + mongo.databaseName() + "/c";
            var array = "[{\"p\": \"" + "x".repeat(1000) + "\"}]";
            var refused = small.as("admin").post(collection, array);
            assertStatus(413, refused);
            assertThat(refused.body()).contains("must not exceed 1000 bytes");
            assertThat(refused.body().contains("application/x-ndjson")).isEqualTo(helps);
            assertThat(refused.body().contains("/_imports?into=" + collection)).isEqualTo(helps);
            var one = small.as("admin").put(collection + "/a?wm=upsert", array);
            assertStatus(413, one);
            assertThat(one.body()).doesNotContain("x-ndjson");
        }
    }

    private HttpResponse<String> post(TestClient client, Supplier<InputStream> content) {
        return client.with("Content-Type", "application/x-ndjson")
                .send(
                        "POST",
                        "/" + mongo.databaseName() + "/c",
                        BodyPublishers.ofInputStream(content),
                        BodyHandlers.ofString());
    }

    private static String line(int i) {
        return i == 40_000 ? "{oops\n" : "{\"_id\": " + i + ", \"p\": \"" + PADDING + "\"}\n";
    }

    private static InputStream lines(int from, int to) {
        Iterator<InputStream> pieces = IntStream.range(from, to)
                .mapToObj(i -> (InputStream) new ByteArrayInputStream(line(i).getBytes(StandardCharsets.UTF_8)))
                .iterator();
        return new SequenceInputStream(new Enumeration<>() {
            @Override
            public boolean hasMoreElements() {
                return pieces.hasNext();
            }

            @Override
            public InputStream nextElement() {
                return pieces.next();
            }
        });
    }

    @Test
    void a_stream_larger_than_all_memory_for_content_is_stored_but_for_the_line_that_is_none() throws Exception {
        var answer = post(gateway.as("admin"), () -> lines(0, LINES));
        assertStatus(207, answer);
        var report = Document.parse(answer.body());
        assertThat(report).containsEntry("inserted", LINES - 1).containsEntry("linksOmitted", LINES - 1 - 1_000);
        assertThat(report.getList("errors", Document.class))
                .singleElement()
                .satisfies(
                        error -> assertThat(error).containsEntry("line", 40_001).containsEntry("httpStatus", 400));
        assertThat(mongo.database().getCollection("c").countDocuments(new Document("_id", new Document("$gte", 0))))
                .isEqualTo(LINES - 1);
    }

    @Test
    void lines_without_credentials_are_not_stored() throws Exception {
        assertStatus(
                401,
                post(
                        TestClient.of(gateway.port()).as("admin", "wrong"),
                        () -> new ByteArrayInputStream("{\"_id\": -1}\n".getBytes(StandardCharsets.UTF_8))));
        assertThat(mongo.database().getCollection("c").countDocuments(new Document("_id", -1)))
                .isZero();
    }

    @Test
    void beyond_the_limit_of_streams_what_was_written_is_reported() throws Exception {
        var answer = post(
                gateway.as("admin"),
                () -> new SequenceInputStream(
                        new ByteArrayInputStream("{\"_id\": -2}\n".getBytes(StandardCharsets.UTF_8)),
                        lines(1_000_000, 1_090_000)));
        assertStatus(207, answer);
        var report = Document.parse(answer.body());
        assertThat(report).containsEntry("complete", false);
        assertThat(report.getInteger("inserted")).isPositive();
        assertThat(report.getList("errors", Document.class).getLast()).containsEntry("httpStatus", 413);
    }

    @Test
    void lines_are_stored_while_others_are_still_to_come() throws Exception {
        try (var socket = new Socket("127.0.0.1", gateway.port())) {
            var out = socket.getOutputStream();
            out.write(("POST /" + mongo.databaseName() + "/c HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
                            + CREDENTIALS
                            + "\r\nContent-Type: application/x-ndjson\r\nContent-Length: 1000000\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            for (int i = 0; i < 1_500; i++) {
                out.write(("{\"_id\": \"slow" + i + "\"}\n").getBytes(StandardCharsets.US_ASCII));
            }
            out.flush();
            Awaitility.await()
                    .until(() ->
                            mongo.database().getCollection("c").countDocuments(new Document("_id", "slow999")) == 1);
            out.write("{\"_id\": \"slow and cut".getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        assertThat(mongo.database()
                        .getCollection("c")
                        .countDocuments(new Document("_id", new Document("$regex", "cut"))))
                .isZero();
    }

    @Test
    void other_content_beyond_its_limit_is_refused() throws Exception {
        var content = "{\"a\": \"" + "x".repeat(1 << 20) + "\"}";
        assertStatus(413, gateway.as("admin").post("/" + mongo.databaseName() + "/c", content));
    }
}
