package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.server.TestServer.blocking;
import static org.restheart.core.server.TestServer.eager;

import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Response;

class ResponseContentTest {
    /// Gives so many chunks of 64 KiB, then ends or fails.
    private static final class Chunks implements Content.Source {
        private final AtomicInteger closed = new AtomicInteger();
        private final int count;
        private final boolean fails;
        private volatile int left;
        private final AtomicInteger latest = new AtomicInteger();

        Chunks(int count, boolean fails) {
            this.count = count;
            this.left = count;
            this.fails = fails;
        }

        @Override
        public ByteBuffer next() {
            if (left == 0) {
                if (fails) {
                    throw new IllegalStateException("expected by the test");
                }
                return ByteBuffer.allocate(0);
            }
            left--;
            return ByteBuffer.wrap("0123456789abcdef".repeat(4096).getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }

        /// Until it has been asked for some chunks, and for no more for a moment.
        void awaitPause() {
            await().during(Duration.ofMillis(50)).until(() -> left, now -> now < count && now == latest.getAndSet(now));
        }

        Response response() {
            return Response.status(200).with("text/plain", new Content.Streamed(this, 0, Lease.CONSTANT));
        }
    }

    /// The last piece is what Undertow sends for a head that it cannot read.
    @Test
    void content_that_looks_like_a_refusal_arrives_as_it_is() throws Exception {
        var refusal = "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        var pieces = List.of("x".repeat(65_536), refusal, "").iterator();
        var source = new Content.Source() {
            @Override
            public ByteBuffer next() {
                return ByteBuffer.wrap(pieces.next().getBytes(StandardCharsets.US_ASCII));
            }

            @Override
            public void close() {
                // nothing is open
            }
        };
        try (var server = TestServer.of(eager(
                        "/",
                        _ -> Response.status(200)
                                .with("text/plain", new Content.Streamed(source, 0, Lease.CONSTANT))));
                var client = server.connect()) {
            assertThat(client.request("GET /").answer().text()).isEqualTo("x".repeat(65_536) + refusal);
        }
    }

    @Test
    void the_head_of_streamed_content_says_no_length() throws Exception {
        try (var server = TestServer.of(eager("/", _ -> new Chunks(2, false).response()));
                var client = server.connect()) {
            var head = client.request("HEAD /").answerToHead();
            assertThat(head.status()).isEqualTo(200);
            assertThat(head.header("Content-Length")).isEmpty();
            assertThat(client.request("GET /").answer().body()).hasSize(2 * 65_536); // on the same connection
        }
    }

    @Test
    void streamed_content_arrives_whole_and_its_source_is_closed_once() throws Exception {
        var source = new Chunks(100, false);
        try (var server = TestServer.of(eager("/", _ -> source.response()));
                var client = server.connect()) {
            assertThat(client.request("GET /").answer().body()).hasSize(100 * 65_536);
            await().untilAtomic(source.closed, org.hamcrest.Matchers.is(1));
            assertThat(source.left).isZero();
        }
    }

    @Test
    void streamed_content_waits_for_the_client() throws Exception {
        var source = new Chunks(4_000, false);
        try (var server = TestServer.of(blocking("/", _ -> source.response()));
                var client = server.connect()) {
            client.request("GET /");
            source.awaitPause();
            assertThat(source.left).as("chunks that nobody has asked for yet").isGreaterThan(3_000);
            assertThat(client.answer().body()).hasSize(4_000 * 65_536);
        }
    }

    @Test
    void a_client_that_goes_away_ends_streamed_content() throws Exception {
        var source = new Chunks(1_000_000, false);
        try (var server = TestServer.of(blocking("/", _ -> source.response()))) {
            try (var client = server.connect()) {
                client.request("GET /").read(new byte[1000]);
            }
            await().untilAtomic(source.closed, org.hamcrest.Matchers.is(1));
            await().until(() -> server.listener().inFlight() == 0);
        }
    }

    @Test
    void a_client_that_resets_the_connection_ends_streamed_content_that_waits_for_it() throws Exception {
        var source = new Chunks(1_000_000, false);
        try (var server = TestServer.of(blocking("/", _ -> source.response()))) {
            try (var client = server.connect()) {
                client.request("GET /");
                source.awaitPause();
                client.reset();
            }
            await().untilAtomic(source.closed, org.hamcrest.Matchers.is(1));
            await().until(() -> server.listener().inFlight() == 0);
        }
    }

    /// Also one that closes the connection.
    @ParameterizedTest
    @ValueSource(strings = {"Connection: keep-alive", "Connection: close"})
    void streamed_content_that_fails_is_cut_so_that_the_client_notices(String field) throws Exception {
        var source = new Chunks(3, true);
        try (var server = TestServer.of(blocking("/", _ -> source.response()));
                var client = server.connect()) {
            client.request("GET /", field);
            assertThatThrownBy(client::answer).isInstanceOf(EOFException.class);
            assertThat(source.closed).hasValue(1);
        }
    }

    @Test
    void head_closes_a_source_that_it_does_not_need() throws Exception {
        var source = new Chunks(3, false);
        try (var server = TestServer.of(
                        blocking("/", _ -> source.response()), blocking("/ok", _ -> Response.status(200)));
                var client = server.connect()) {
            assertThat(client.request("HEAD /").answerToHead().status()).isEqualTo(200);
            assertThat(source.closed).hasValue(1);
            assertThat(source.left).isEqualTo(3);
            assertThat(client.request("GET /ok").answer().status()).isEqualTo(200);
        }
    }

    @Test
    void content_is_compressed_for_clients_that_accept_it() throws Exception {
        try (var server = TestServer.of(blocking("/", _ -> Response.json(200, "{\"a\": 1}")));
                var client = server.connect()) {
            var gzip = client.request("GET /", "Accept-Encoding: deflate, gzip").answer();
            assertThat(gzip.header("Content-Encoding")).contains("gzip");
            assertThat(gzip.header("Vary")).contains("Accept-Encoding");
            assertThat(new GZIPInputStream(new ByteArrayInputStream(gzip.body())))
                    .hasContent("{\"a\": 1}");
            var deflate = client.request("GET /", "Accept-Encoding: deflate, gzip;q=0")
                    .answer();
            assertThat(deflate.header("Content-Encoding")).contains("deflate");
            assertThat(new InflaterInputStream(new ByteArrayInputStream(deflate.body())))
                    .hasContent("{\"a\": 1}");
            var identity = client.request("GET /", "Accept-Encoding: br").answer();
            assertThat(identity.header("Content-Encoding")).isEmpty();
            assertThat(identity.header("Vary")).contains("Accept-Encoding");
            assertThat(identity.text()).isEqualTo("{\"a\": 1}");
        }
    }

    @Test
    void content_of_any_length_is_compressed_whole_also_when_it_is_shared() throws Exception {
        for (int length : new int[] {1, 256, 257, 1_024, 1_025, 300_000}) {
            var bytes = new byte[length];
            new java.util.Random(length).nextBytes(bytes); // does not become smaller
            var shared = Content.Bytes.of(bytes, Lease.CONSTANT);
            try (var server = TestServer.of(
                            blocking("/", _ -> Response.status(200).with("application/octet-stream", shared)));
                    var client = server.connect()) {
                for (int i = 0; i < 3; i++) {
                    var gzip = client.request("GET /", "Accept-Encoding: gzip").answer();
                    assertThat(new GZIPInputStream(new ByteArrayInputStream(gzip.body())).readAllBytes())
                            .isEqualTo(bytes);
                    assertThat(client.request("GET /").answer().body()).isEqualTo(bytes);
                }
            }
        }
    }

    @Test
    void streamed_content_is_compressed_as_well() throws Exception {
        var source = new Chunks(20, false);
        try (var server = TestServer.of(blocking("/", _ -> source.response()));
                var client = server.connect()) {
            var answer = client.request("GET /", "Accept-Encoding: gzip").answer();
            assertThat(new GZIPInputStream(new ByteArrayInputStream(answer.body())).readAllBytes())
                    .hasSize(20 * 65_536);
            assertThat(answer.body().length).isLessThan(65_536);
            await().untilAtomic(source.closed, org.hamcrest.Matchers.is(1));
        }
    }

    @Test
    void clients_that_do_not_accept_compression_can_be_refused() throws Exception {
        try (var server = TestServer.with(
                        "core: {force-gzip-encoding: true}", blocking("/", _ -> Response.json(200, "{}")));
                var client = server.connect()) {
            var refused = client.request("GET /").answer();
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.text()).contains("Accept-Encoding header must include gzip or deflate");
            assertThat(client.request("GET /", "Accept-Encoding: gzip").answer().status())
                    .isEqualTo(200);
            assertThat(client.request("OPTIONS /").answer().status()).isEqualTo(200);
        }
    }

    @Test
    void header_values_cannot_end_their_line() throws Exception {
        try (var server = TestServer.of(blocking(
                        "/", _ -> Response.status(200).with("Location", "/é/\u010aSet-Cookie: a\r\nX-Evil: 1")));
                var client = server.connect()) {
            var answer = client.request("GET /").answer();
            assertThat(answer.header("Set-Cookie")).isEmpty();
            assertThat(answer.header("X-Evil")).isEmpty();
            assertThat(answer.header("Location")).contains("/é/\u010aSet-Cookie: a  X-Evil: 1");
        }
    }

    @Test
    void a_large_response_from_another_thread_arrives_whole() throws Exception {
        var content = new byte[20 << 20];
        new java.util.Random(1).nextBytes(content);
        try (var server = TestServer.of(blocking(
                        "/",
                        _ -> Response.status(200)
                                .with("application/octet-stream", Content.Bytes.of(content, Lease.CONSTANT))));
                var client = server.connect()) {
            assertThat(client.request("GET /").answer().body()).isEqualTo(content);
        }
    }

    @Test
    void failures_are_answered_whatever_they_are() throws Exception {
        try (var server = TestServer.of(
                        blocking("/bug", _ -> {
                            throw new IllegalStateException("expected by the test");
                        }),
                        blocking("/error", _ -> {
                            throw new StackOverflowError("expected by the test");
                        }),
                        eager("/eager", _ -> {
                            throw new AssertionError("expected by the test");
                        }),
                        blocking("/problem", _ -> {
                            throw Problem.of(ProblemCode.CONFLICT, "no").raise();
                        }));
                var client = server.connect()) {
            var bug = client.request("GET /bug").answer();
            assertThat(bug.status()).isEqualTo(500);
            assertThat(bug.text()).doesNotContain("expected");
            assertThat(client.request("GET /error").answer().status()).isEqualTo(500);
            assertThat(client.request("GET /eager").answer().status()).isEqualTo(500);
            assertThat(client.request("GET /problem").answer().status()).isEqualTo(409);
        }
    }
}
