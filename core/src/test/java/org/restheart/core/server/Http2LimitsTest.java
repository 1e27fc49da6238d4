package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.routing.Binding;
import org.restheart.core.security.LogLines;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Response;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Subscription;
import org.restheart.http.push.Transport;

/// What one client of HTTP/2 may keep the server from doing, and make it keep.
class Http2LimitsTest {
    private static final int IN_FLIGHT = 40;
    private static final int INITIAL_WINDOW_SIZE = 4;
    private static final int HEADER_TABLE_SIZE = 1;

    private static TestServer echo() {
        return TestServer.with("", IN_FLIGHT, echoing());
    }

    private static Binding echoing() {
        return TestServer.eager(
                "/",
                request -> Response.json(200, "{}")
                        .with("X-Echo", request.headers().first("x-value").orElse("")));
    }

    /// One that waits for two seconds for progress.
    private static TestServer impatient(Binding service) {
        return TestServer.with("", IN_FLIGHT, Duration.ofSeconds(1), Duration.ofSeconds(2), service);
    }

    private static String status(TestServer server) throws IOException {
        try (var socket = new Socket()) {
            socket.setSoTimeout(60_000);
            socket.connect(server.listener().address());
            socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: test\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
        }
    }

    /// Both a response of a service and a refusal before there is one.
    @ParameterizedTest
    @ValueSource(strings = {"/", "/%zz"})
    void responses_that_are_not_taken_do_not_keep_others_waiting(String path) throws Exception {
        try (var server = impatient(echoing());
                var client = new RawHttp2(server.listener().address(), INITIAL_WINDOW_SIZE, 0)) {
            for (int i = 0; i < IN_FLIGHT / 4; i++) {
                client.get(2 * i + 1, path);
            }
            assertThat(status(server)).isEqualTo("HTTP/1.1 200");
            await().until(() -> server.observations().size() == IN_FLIGHT / 4 + 1);
        }
    }

    /// A response that fits into a frame, one that does not, one that is produced as it is sent, a refusal before there
    /// is a service, and one whose request never ends.
    @ParameterizedTest
    @CsvSource({"/, 0", "/large, 100", "/large, 0", "/streamed, 100", "/streamed, 0", "/%zz, 0", "/none, 0"})
    void a_response_that_is_not_taken_ends_without_the_others_of_its_connection(String path, int window)
            throws Exception {
        var content = TestServer.blocking("/", request -> switch (request.path().decoded()) {
            case "/large" ->
                Response.status(200).with("text/plain", Content.Bytes.of(new byte[1 << 20], request.lease()));
            case "/streamed" ->
                Response.status(200).with("text/plain", new Content.Streamed(new Zeros(), 0, request.lease()));
            case "/none" -> Response.status(401);
            default -> Response.json(200, "{}");
        });
        try (var server = impatient(content);
                var client = new RawHttp2(server.listener().address(), INITIAL_WINDOW_SIZE, window)) {
            if (path.equals("/none")) {
                client.begin(1, path);
            } else {
                client.get(1, path);
            }
            client.awaitEnd(1);
            await().until(() ->
                    server.listener().inFlight() == 0 && server.observations().size() == 1);
            client.get(3, "/none");
            assertThat(client.awaitEnd(3).type()).isEqualTo(RawHttp2.HEADERS);
            assertThat(server.listener().connections()).isOne();
        }
    }

    /// What other threads answer is written by the I/O thread, which may have much to do before.
    @Test
    void responses_that_are_still_to_be_written_are_not_counted_as_untaken() throws Exception {
        var answered = new CompletableFuture<Void>();
        var held = new CompletableFuture<Void>();
        var released = new CompletableFuture<Void>();
        var workers = new ConcurrentLinkedQueue<Thread>();
        try (var server = TestServer.with(
                        "core: {io-threads: 1}",
                        IN_FLIGHT,
                        TestServer.eager("/held", _ -> Response.status(200)),
                        TestServer.blocking("/", _ -> {
                            workers.add(Thread.currentThread());
                            answered.join();
                            return Response.json(200, "{}");
                        }));
                var client = new RawHttp2(server.listener().address());
                var other = server.connect()) {
            int last = IN_FLIGHT - 1;
            for (int stream = 1; stream <= last; stream += 2) {
                client.get(stream, "/");
            }
            await().until(() -> workers.size() == IN_FLIGHT / 2);
            server.atEnd(() -> {
                held.complete(null);
                released.join();
            });
            other.request("GET /held");
            held.join();
            answered.complete(null);
            await().until(() -> workers.stream().noneMatch(Thread::isAlive));
            released.complete(null);
            assertThat(client.awaitEnd(last).type()).isNotEqualTo(RawHttp2.GO_AWAY);
            await().untilAsserted(() -> assertThat(server.observations())
                    .hasSize(IN_FLIGHT / 2 + 1)
                    .allMatch(request -> request.status() == 200));
            assertThat(server.listener().connections()).isEqualTo(2);
        }
    }

    @Test
    void streams_beyond_the_limit_of_a_connection_are_refused_and_may_be_repeated() throws Exception {
        var answers = new Semaphore(0);
        var service = TestServer.blocking("/", _ -> {
            answers.acquireUninterruptibly();
            return Response.status(200);
        });
        try (var server = TestServer.with(
                        "connection-options: {HTTP2_SETTINGS_MAX_CONCURRENT_STREAMS: 3}", IN_FLIGHT, service);
                var client = new RawHttp2(server.listener().address())) {
            for (int stream = 1; stream <= 9; stream += 2) {
                client.get(stream, "/");
            }
            for (int stream = 7; stream <= 9; stream += 2) {
                var refused = client.awaitEnd(stream);
                assertThat(refused.type()).isEqualTo(RawHttp2.RESET);
                assertThat(refused.payload()).containsExactly(0, 0, 0, 7);
            }
            answers.release(4);
            for (int i = 0; i < 3; i++) {
                assertThat(client.frame().endsStream()).isTrue();
            }
            await().until(() -> server.observations().size() == 3);
            client.get(11, "/");
            assertThat(client.awaitEnd(11).type()).isEqualTo(RawHttp2.HEADERS);
        }
    }

    /// A request for events whose content does not end: the stream does, some time after the events.
    @Test
    void an_event_stream_ends_although_its_request_does_not() throws Exception {
        var backlog = new Backlog(10, 1 << 20);
        var service = TestServer.blocking(
                "/",
                _ -> Response.status(200)
                        .with(
                                "text/event-stream",
                                new Content.Push(
                                        new Subscription(Transport.SSE, backlog, Duration.ZERO, _ -> {}, () -> {}))));
        try (var server = impatient(service);
                var client = new RawHttp2(server.listener().address())) {
            client.begin(1, "/");
            assertThat(client.frame().type()).isEqualTo(RawHttp2.HEADERS);
            backlog.end(Ending.REDEFINED);
            assertThat(client.awaitEnd(1).type()).isEqualTo(RawHttp2.DATA);
            assertThat(client.awaitEnd(1).type()).isEqualTo(RawHttp2.RESET);
            await().until(() -> server.observations().size() == 1);
            assertThat(server.listener().connections()).isOne();
        }
    }

    /// The head has been checked, and access been decided by it, before they come.
    @ParameterizedTest
    @ValueSource(strings = {"x-checksum", ":path", "content-length", "x-value"})
    void trailers_do_not_change_the_head_of_a_request(String name) throws Exception {
        var service = TestServer.blocking("/", request -> {
            request.body().bytes();
            return Response.status(request.headers().first(name).orElse("").equals("9") ? 500 : 401);
        });
        try (var server = TestServer.with("", IN_FLIGHT, service);
                var client = new RawHttp2(server.listener().address())) {
            client.begin(1, "/");
            client.endWithTrailers(1, name, "9");
            client.awaitEnd(1);
            await().until(() -> server.observations().size() == 1);
            assertThat(server.observations().getFirst().status()).isEqualTo(401);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/%zz"})
    void a_client_that_takes_none_of_many_responses_loses_its_connection(String path) throws Exception {
        try (var server = echo();
                var client = new RawHttp2(server.listener().address(), INITIAL_WINDOW_SIZE, 0)) {
            try {
                for (int i = 0; i < IN_FLIGHT; i++) {
                    client.get(2 * i + 1, path);
                }
                assertThat(client.isClosedByServer()).isTrue();
            } catch (SocketException _) {
                // closed before all were sent
            }
            await().until(() -> server.listener().inFlight() == 0);
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
            await().until(() -> server.listener().inFlight() == 0);
            assertThat(status(server)).isEqualTo("HTTP/1.1 401");
        }
    }

    @Test
    void a_request_that_never_ends_is_given_up() throws Exception {
        try (var server = impatient(TestServer.blocking("/", _ -> Response.status(401)));
                var client = new RawHttp2(server.listener().address())) {
            client.begin(1, "/");
            await().until(() -> server.observations().size() == 1);
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

    @ParameterizedTest
    @ValueSource(ints = {1, 15, 16, 18, 23})
    void a_preface_may_arrive_in_pieces(int first) throws Exception {
        var beginning = RawHttp2.PREFACE + RawHttp2.NO_SETTINGS;
        var pieces = List.of(beginning.substring(0, first), beginning.substring(first));
        try (var server = echo();
                var client = new RawHttp2(server.listener().address(), pieces)) {
            client.get(1, "/");
            assertThat(client.awaitEnd(1).type()).isEqualTo(RawHttp2.DATA);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"X-Value: a\r\n\r\nSM\r\n\r\n", "\r\nXX\r\n\r\n"})
    void what_only_begins_as_a_preface_begins_no_http2(String rest) throws Exception {
        var pieces = List.of("PRI * HTTP/2.0\r\n", rest);
        try (var server = echo();
                var client = new RawHttp2(server.listener().address(), pieces)) {
            assertThat(client.isClosedByServer()).isTrue();
            assertThat(status(server)).isEqualTo("HTTP/1.1 200");
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
                var log = LogLines.errorsOfUndertow()) {
            try (var client = new RawHttp2(server.listener().address(), beginning)) {
                client.get(1, "/");
                assertThat(client.isClosedByServer()).isTrue();
                assertThat(status(server)).isEqualTo("HTTP/1.1 200");
            }
            assertThat(log.all()).isEmpty();
        }
    }

    /// 64 MiB of responses may be in memory, of which one address has half.
    @Test
    void a_response_whose_stream_the_client_has_given_up_keeps_no_memory() throws Exception {
        var asked = new Semaphore(0);
        var goesOn = new Semaphore(0);
        var service = TestServer.blocking("/", request -> {
            asked.release();
            goesOn.acquireUninterruptibly();
            return Response.status(200).with("text/plain", Content.Bytes.of(new byte[24 << 20], request.lease()));
        });
        try (var server = TestServer.of(service);
                var client = new RawHttp2(server.listener().address())) {
            client.widen(0, 1 << 20); // by more than is sent before a reset arrives
            client.get(1, "/");
            asked.acquire();
            client.reset(1);
            client.get(3, "/"); // is read after the reset
            asked.acquire();
            client.reset(3);
            goesOn.release(1_000);
            var stream = new AtomicInteger(3);
            await().until(() -> {
                int next = stream.addAndGet(2);
                client.get(next, "/");
                var frame = client.frame();
                while (frame.stream() != next) {
                    frame = client.frame();
                }
                return (frame.payload()[0] & 0xff) == RawHttp2.OK;
            });
        }
    }

    /// Streamed or in memory, while the next frame waits for the client's window. Long before the time limit of a
    /// client that takes nothing.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_stream_that_is_reset_within_its_response_ends_at_once(boolean streamed) throws Exception {
        var zeros = new Zeros();
        var service = TestServer.blocking("/", request -> {
            var all = Content.Bytes.of(new byte[1 << 20], request.lease());
            return Response.status(200)
                    .with("text/plain", streamed ? new Content.Streamed(zeros, 0, Lease.CONSTANT) : all);
        });
        var never = Duration.ofDays(1);
        try (var server = TestServer.with("", IN_FLIGHT, never, never, service);
                var client = new RawHttp2(server.listener().address())) {
            client.get(1, "/");
            for (int window = 0xffff; window > 0; ) {
                var frame = client.frame();
                window -= frame.type() == RawHttp2.DATA ? frame.payload().length : 0;
            }
            client.reset(1);
            await().until(() -> server.listener().inFlight() == 0);
            await().until(() -> !streamed || zeros.isClosed);
        }
    }

    private static final class Zeros implements Content.Source {
        private volatile boolean isClosed;

        @Override
        public ByteBuffer next() {
            return ByteBuffer.allocate(1 << 16);
        }

        @Override
        public void close() {
            isClosed = true;
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
            await().until(() -> server.listener().knownConnections() == 0);
        }
    }
}
