package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Content;
import org.restheart.http.Response;

/// What one client of HTTP/2 may keep the server from doing, and make it keep.
class Http2LimitsTest {
    private static final int IN_FLIGHT = 40;
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final int HEADER_TABLE_SIZE = 1;

    private static TestServer echo() {
        return TestServer.with(
                "",
                IN_FLIGHT,
                TestServer.eager(
                        "/",
                        request -> Response.json(200, "{}")
                                .with(
                                        "X-Echo",
                                        request.headers().first("x-value").orElse(""))));
    }

    private static String status(TestServer server) throws IOException {
        try (var socket = new Socket()) {
            socket.setSoTimeout(10_000);
            socket.connect(server.listener().address());
            socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: test\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
        }
    }

    /// Both a response of a service and a refusal before there is one.
    @ParameterizedTest
    @ValueSource(strings = {"/", "/%zz"})
    void responses_that_are_not_taken_do_not_keep_others_waiting(String path) throws Exception {
        try (var server = echo();
                var client = new RawHttp2(server.listener().address(), INITIAL_WINDOW_SIZE, 0)) {
            for (int i = 0; i < IN_FLIGHT / 4; i++) {
                client.get(2 * i + 1, path);
            }
            assertThat(status(server)).isEqualTo("HTTP/1.1 200");
            await().atMost(Duration.ofSeconds(30)) // in this test 8 s without progress
                    .until(() -> server.listener().load().connections() == 0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/%zz"})
    void a_client_that_takes_none_of_many_responses_loses_its_connection(String path) throws Exception {
        try (var server = echo();
                var client = new RawHttp2(server.listener().address(), INITIAL_WINDOW_SIZE, 0)) {
            for (int i = 0; i < IN_FLIGHT; i++) {
                client.get(2 * i + 1, path);
            }
            assertThat(client.isClosedByServer()).isTrue();
            await().until(() -> server.listener().load().inFlight() == 0);
            assertThat(status(server)).isEqualTo("HTTP/1.1 200");
        }
    }

    /// Answered at once; a connection may have any number of streams.
    @ParameterizedTest
    @ValueSource(strings = {"/", "/%zz"})
    void a_client_that_never_ends_its_answered_requests_loses_its_connection(String path) throws Exception {
        try (var server = TestServer.with("", IN_FLIGHT, TestServer.blocking("/", _ -> Response.status(401)));
                var client = new RawHttp2(server.listener().address())) {
            for (int i = 0; i < 2 * IN_FLIGHT; i++) {
                client.begin(2 * i + 1, path);
            }
            assertThat(client.isClosedByServer()).isTrue();
            await().until(() -> server.listener().load().inFlight() == 0);
            assertThat(status(server)).isEqualTo("HTTP/1.1 401");
        }
    }

    @Test
    void a_request_that_never_ends_is_given_up() throws Exception {
        try (var server = TestServer.with("", IN_FLIGHT, TestServer.blocking("/", _ -> Response.status(401)));
                var client = new RawHttp2(server.listener().address())) {
            client.begin(1, "/");
            await().atMost(Duration.ofSeconds(30)) // in this test 8 s without progress
                    .until(() -> server.listener().load().connections() == 0);
        }
    }

    /// A field that the server keeps is sent as its index, in one or two bytes.
    @ParameterizedTest
    @CsvSource({"1048576, 300, false", "2147483647, 300, false", "4351, 300, false", "4096, 5, true", "512, 5, false"})
    void header_fields_are_kept_within_4_KiB(int tableSize, int others, boolean kept) throws Exception {
        try (var server = echo();
                var client = new RawHttp2(server.listener().address(), HEADER_TABLE_SIZE, tableSize)) {
            assertThat(isKept(client, 1, others)).isEqualTo(kept);
        }
    }

    private static boolean isKept(RawHttp2 client, int stream, int others) throws IOException {
        headerBytes(client, stream, value(others + 1)); // with the other fields of every response
        int first = headerBytes(client, stream + 2, value(0));
        for (int i = 1; i <= others; i++) {
            headerBytes(client, stream + 2 + 2 * i, value(i));
        }
        return headerBytes(client, stream + 4 + 2 * others, value(0)) < first - 50;
    }

    private static String value(int number) {
        return "%0100d".formatted(number);
    }

    private static int headerBytes(RawHttp2 client, int stream, String value) throws IOException {
        client.get(stream, "/", "x-value", value);
        int bytes = 0;
        while (true) {
            var frame = client.frame();
            if (frame.type() == RawHttp2.HEADERS) {
                bytes = frame.payload().length;
            }
            if (frame.endsStream()) {
                return bytes;
            }
        }
    }

    /// A proxy in front that forwards upgrades would not see the requests behind it.
    @Test
    void connections_of_http1_are_not_upgraded() throws Exception {
        try (var server = echo();
                var client = server.connect()) {
            var answer = client.request(
                            "GET /", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk")
                    .answer();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.header("upgrade")).isEmpty();
        }
    }

    /// Undertow does not mind; but then nothing looks at the frames.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\r\nHost: test\r\n\r\n" + RawHttp2.PREFACE,
                "PRI /other HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "PRI * HTTP/2.0\r\nX-Value: a\r\n\r\nSM\r\n\r\n"
            })
    void connections_that_do_not_begin_as_http2_do_not_become_it(String beginning) throws Exception {
        try (var server = echo();
                var client = new RawHttp2(server.listener().address(), beginning)) {
            client.get(1, "/");
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(status(server)).isEqualTo("HTTP/1.1 200");
        }
    }

    /// 64 MiB of responses may be in memory, of which one address has half.
    @Test
    void a_response_whose_stream_the_client_has_given_up_keeps_no_memory() throws Exception {
        var asked = new Semaphore(0);
        var goesOn = new Semaphore(0);
        var service = TestServer.blocking("/", _ -> {
            asked.release();
            goesOn.acquireUninterruptibly();
            return Response.status(200).with("text/plain", Content.Bytes.of(new byte[24 << 20]));
        });
        try (var server = TestServer.of(service);
                var client = new RawHttp2(server.listener().address())) {
            client.get(1, "/");
            asked.acquire();
            client.reset(1);
            client.get(3, "/"); // is read after the reset
            asked.acquire();
            goesOn.release();
            await().until(() -> server.listener().load().inFlight() == 1);
            goesOn.release();
            var frame = client.frame();
            while (frame.stream() != 3) {
                frame = client.frame();
            }
            assertThat(frame.payload()[0] & 0xff).isEqualTo(RawHttp2.OK);
        }
    }

    @Test
    void closed_connections_are_forgotten() throws Exception {
        try (var server = echo()) {
            for (int i = 0; i < 5; i++) {
                try (var client = new RawHttp2(server.listener().address())) {
                    client.get(1, "/");
                    client.frame();
                }
            }
            await().atMost(Duration.ofSeconds(10)).until(() -> server.listener().knownConnections() == 0);
        }
    }
}
