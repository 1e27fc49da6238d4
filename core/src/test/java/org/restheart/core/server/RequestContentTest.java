package org.restheart.core.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.server.TestServer.blocking;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.testkit.wire.WireResponse;

class RequestContentTest {
    private static final String SMALL_LIMIT = "connection-options: {MAX_ENTITY_SIZE: 1000}";

    static Response echo(Request request) {
        return Response.status(200)
                .with("text/plain", Content.Bytes.of(request.body().bytes(), Lease.CONSTANT));
    }

    @Test
    void content_of_the_limit_is_accepted() throws Exception {
        try (var server = TestServer.with(SMALL_LIMIT, blocking("/", RequestContentTest::echo));
                var client = server.connect()) {
            client.request("POST /", "Content-Length: 1000").send("x".repeat(1000));
            assertThat(client.answer().body()).hasSize(1000);
        }
    }

    @Test
    void content_announced_beyond_the_limit_is_refused_before_it_arrives() throws Exception {
        try (var server = TestServer.with(SMALL_LIMIT, blocking("/", RequestContentTest::echo));
                var client = server.connect()) {
            var answer = client.request("POST /", "Content-Length: 1001").answer();
            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.text()).contains("1000 bytes");
            assertThat(answer.header("Access-Control-Allow-Origin")).isPresent();
            client.send("x".repeat(1001)); // the client may be stubborn: its connection stays in step
            assertThat(client.request("GET /").answer().status()).isEqualTo(200);
        }
    }

    @Test
    void chunked_content_beyond_the_limit_is_refused() throws Exception {
        try (var server = TestServer.with(SMALL_LIMIT, blocking("/", RequestContentTest::echo));
                var client = server.connect()) {
            client.request("POST /", "Transfer-Encoding: chunked")
                    .send("300\r\n" + "x".repeat(0x300) + "\r\n300\r\n" + "x".repeat(0x300) + "\r\n");
            assertThat(client.answer().status()).isEqualTo(413);
            client.send("3\r\nabc\r\n0\r\n\r\n");
            assertThat(client.request("GET /").answer().status()).isEqualTo(200);
        }
    }

    private static byte[] gzip(byte[] content) throws IOException {
        var out = new ByteArrayOutputStream();
        try (var gzip = new GZIPOutputStream(out)) {
            gzip.write(content);
        }
        return out.toByteArray();
    }

    private static WireResponse post(RawClient client, String coding, byte[] content) throws IOException {
        return client.request("POST /", "Content-Encoding: " + coding, "Content-Length: " + content.length)
                .send(content)
                .answer();
    }

    @Test
    void compressed_content_is_read_as_it_was_before() throws Exception {
        try (var server = TestServer.of(blocking("/", RequestContentTest::echo));
                var client = server.connect()) {
            assertThat(post(client, "gzip", gzip("hello".getBytes(UTF_8))).text())
                    .isEqualTo("hello");
            var large = new byte[1 << 20]; // compresses to less than comes with a head
            new Random(5).nextBytes(large);
            assertThat(post(client, "GZIP", gzip(large)).body()).isEqualTo(large);
            assertThat(post(client, "identity", "plain".getBytes(UTF_8)).text()).isEqualTo("plain");
        }
    }

    @Test
    void compressed_content_is_bounded_as_it_was_before() throws Exception {
        try (var server = TestServer.with(SMALL_LIMIT, blocking("/", RequestContentTest::echo));
                var client = server.connect()) {
            assertThat(post(client, "gzip", gzip(new byte[1000])).status()).isEqualTo(200);
            var answer = post(client, "gzip", gzip(new byte[1001]));
            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.text()).contains("1000 bytes");
        }
    }

    @Test
    void content_that_cannot_be_decoded_is_refused() throws Exception {
        try (var server = TestServer.of(blocking("/", RequestContentTest::echo));
                var client = server.connect()) {
            var other = post(client, "br", "x".getBytes(UTF_8));
            assertThat(other.status()).isEqualTo(415);
            assertThat(other.header("Accept-Encoding")).contains("gzip");
            assertThat(post(client, "gzip, gzip", gzip(new byte[1])).status()).isEqualTo(415);
            assertThat(post(client, "gzip", "hello".getBytes(UTF_8)).status()).isEqualTo(400);
            var whole = gzip(new byte[1000]);
            assertThat(post(client, "gzip", java.util.Arrays.copyOf(whole, whole.length - 3))
                            .status())
                    .isEqualTo(400);
            assertThat(client.request("GET /").answer().status()).isEqualTo(200);
        }
    }

    @Test
    void gzip_may_have_members_but_not_endlessly_many_empty_ones() throws Exception {
        try (var server = TestServer.of(blocking("/", RequestContentTest::echo));
                var client = server.connect()) {
            var members = new ByteArrayOutputStream();
            for (var part : new String[] {"he", "", "llo"}) {
                members.write(gzip(part.getBytes(UTF_8)));
            }
            assertThat(post(client, "gzip", members.toByteArray()).text()).isEqualTo("hello");
            var empty = gzip(new byte[0]);
            for (int i = 0; i < 200_000; i++) {
                members.write(empty);
            }
            var answer = post(client, "gzip", members.toByteArray());
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).contains("not gzip");
        }
    }

    @Test
    void content_that_a_service_does_not_read_may_be_too_large() throws Exception {
        try (var server = TestServer.with(SMALL_LIMIT, blocking("/", _ -> Response.json(200, "{}")));
                var client = server.connect()) {
            client.request("GET /", "Content-Length: 2000").send("x".repeat(2000));
            assertThat(client.answer().status()).isEqualTo(200);
            assertThat(client.request("GET /").answer().status()).isEqualTo(200);
        }
    }

    @Test
    void sixteen_mebibytes_are_accepted_by_default() throws Exception {
        try (var server = TestServer.of(blocking(
                        "/",
                        request ->
                                Response.json(200, Long.toString(request.body().bytes().length))));
                var client = server.connect()) {
            client.request("POST /", "Content-Length: " + (16 << 20)).send(new byte[16 << 20]);
            assertThat(client.answer().text()).isEqualTo("16777216");
        }
    }

    @Test
    void a_client_that_expects_100_gets_it() throws Exception {
        try (var server = TestServer.of(blocking("/", RequestContentTest::echo));
                var client = server.connect()) {
            client.request("POST /", "Content-Length: 3", "Expect: 100-continue");
            assertThat(client.line()).isEqualTo("HTTP/1.1 100 Continue");
            assertThat(client.line()).isEmpty();
            assertThat(client.send("abc").answer().text()).isEqualTo("abc");
            assertThat(client.request("GET /").answer().status()).isEqualTo(200);
        }
    }

    @Test
    void a_client_that_expects_100_is_refused_without_it_when_its_content_is_too_large() throws Exception {
        try (var server = TestServer.with(SMALL_LIMIT, blocking("/", RequestContentTest::echo));
                var client = server.connect()) {
            var answer = client.request("POST /", "Content-Length: 5000", "Expect: 100-continue")
                    .answer();
            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.header("Connection")).contains("close"); // what follows would be ambiguous
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void a_client_that_goes_away_while_sending_leaves_nothing_behind() throws Exception {
        var handled = new AtomicInteger();
        try (var server = TestServer.of(blocking("/", request -> {
            var echo = echo(request);
            handled.incrementAndGet();
            return echo;
        }))) {
            for (int i = 0; i < 20; i++) {
                try (var client = server.connect()) {
                    client.request("POST /", "Content-Length: 100000").send("part of it");
                    await().until(() -> server.listener().inFlight() == 1);
                    if (i % 2 == 0) {
                        client.reset();
                    }
                }
                await().until(() -> server.listener().inFlight() == 0);
            }
            assertThat(handled).hasValue(0);
        }
    }

    @Test
    void malformed_chunks_end_the_connection() throws Exception {
        try (var server = TestServer.of(blocking("/", RequestContentTest::echo));
                var client = server.connect()) {
            client.request("POST /", "Transfer-Encoding: chunked").send("zz\r\nabc\r\n");
            assertThat(client.isClosedByServer()).isTrue();
            await().until(() -> server.listener().inFlight() == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"xchunked", "gzip", "gzip, chunked", "chunked, identity"})
    void unknown_transfer_codings_are_refused_at_once(String coding) throws Exception {
        var handled = new AtomicInteger();
        try (var server = TestServer.of(blocking("/", _ -> {
                    handled.incrementAndGet();
                    return Response.status(200);
                }));
                var client = server.connect()) {
            client.request("POST /", "Transfer-Encoding: " + coding).send("3\r\nabc\r\n0\r\n\r\n");
            assertThat(client.answer().status()).isEqualTo(501);
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(handled).hasValue(0);
        }
    }

    /// A connection that is closed with bytes unread is reset, and the client may lose the response.
    @Test
    void what_arrives_after_a_refusal_does_not_reset_the_connection() throws Exception {
        try (var server = TestServer.of(blocking("/", _ -> Response.status(200)));
                var client = server.connect()) {
            client.request("POST /", "Transfer-Encoding: xchunked");
            await().until(() -> server.observations().size() == 1);
            for (int i = 0; i < 5; i++) {
                client.send("3\r\nabc\r\n").pause(Duration.ofMillis(20)); // separate segments: the first is read alone
            }
            assertThat(client.answer().status()).isEqualTo(501);
            client.end();
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void requests_with_two_kinds_of_framing_are_refused() throws Exception {
        try (var server = TestServer.of(blocking("/", RequestContentTest::echo))) {
            try (var client = server.connect()) {
                client.request("POST /", "Transfer-Encoding: chunked", "Content-Length: 3")
                        .send("3\r\nabc\r\n0\r\n\r\n");
                assertThat(client.answer().status()).isEqualTo(400);
                assertThat(client.isClosedByServer()).isTrue();
            }
            try (var client = server.connect()) {
                client.send("POST / HTTP/1.0\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
                assertThat(client.answer().status()).isEqualTo(400);
                assertThat(client.isClosedByServer()).isTrue();
            }
        }
    }

    @Test
    void content_for_which_there_is_no_memory_is_refused_for_the_moment() throws Exception {
        try (var server =
                TestServer.with("connection-options: {MAX_ENTITY_SIZE: -1}", blocking("/", RequestContentTest::echo))) {
            try (var client = server.connect()) {
                client.request("POST /", "Content-Length: " + (65 << 20));
                for (int i = 0; i < 65; i++) {
                    client.send(new byte[1 << 20]);
                }
                var answer = client.answer();
                assertThat(answer.status()).isEqualTo(503);
                assertThat(answer.header("Retry-After")).isPresent();
            }
            await().until(() -> server.listener().inFlight() == 0);
            try (var client = server.connect()) { // what was held has been given back
                client.request("POST /", "Content-Length: 40000000").send(new byte[40_000_000]);
                assertThat(client.answer().body()).hasSize(40_000_000);
            }
        }
    }

    /// Whose length is not known: not more is received than is needed to refuse it.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void content_beyond_the_bound_of_a_service_is_not_received(boolean isCoded) throws Exception {
        var bound = blocking("/", request -> Response.status(request.body().isLongerThan(20_000) ? 413 : 200));
        var random = new byte[30_000];
        new Random(1).nextBytes(random);
        var content = isCoded ? gzip(random) : random;
        try (var server = TestServer.of(bound);
                var client = server.connect()) {
            client.request("POST /", "Transfer-Encoding: chunked", isCoded ? "Content-Encoding: gzip" : "X: y")
                    .send(Integer.toHexString(content.length + 1) + "\r\n")
                    .send(content);
            assertThat(client.answer().status()).isEqualTo(413);
        }
        try (var server = TestServer.of(bound);
                var client = server.connect()) {
            var few = Arrays.copyOf(random, 19_999);
            var sent = isCoded ? gzip(few) : few;
            client.request("POST /", "Transfer-Encoding: chunked", isCoded ? "Content-Encoding: gzip" : "X: y")
                    .send(Integer.toHexString(sent.length) + "\r\n")
                    .send(sent)
                    .send("\r\n0\r\n\r\n");
            assertThat(client.answer().status()).isEqualTo(200);
        }
    }
}
