package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.server.TestServer.blocking;
import static org.restheart.core.server.TestServer.eager;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.config.Configuration;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.Sources;
import org.restheart.http.Content;
import org.restheart.http.Response;
import org.restheart.http.WebSocketHandshake;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Message;
import org.restheart.http.push.Subscription;
import org.restheart.http.push.Transport;

/// Clients that send little or nothing keep no connection for long; those that wait for answers do.
class SlowClientsTest {
    private static final String LIMITS = "connection-options: {REQUEST_PARSE_TIMEOUT: 500, NO_REQUEST_TIMEOUT: 500}";

    @TempDir
    private static Path directory;

    private static TestKeystore keystore = new TestKeystore(new File("none"));

    @BeforeAll
    static void makeCertificate() throws Exception {
        keystore = TestKeystore.in(directory);
    }

    /// None at all, the built-in file, and one of an earlier version.
    @ParameterizedTest
    @ValueSource(strings = {"", "built-in", "connection-options: {REQUEST_PARSE_TIMEOUT: -1, NO_REQUEST_TIMEOUT: -1}"})
    void there_are_limits_by_every_configuration_that_does_not_switch_them_off(String text) {
        var config = text.equals("built-in")
                ? Configuration.load(Sources.of(Map.of())).read().orThrow()
                : GatewayConfig.parse(text);
        assertThat(config.connection().requestParseTimeout()).contains(Duration.ofSeconds(30));
        assertThat(config.connection().noRequestTimeout()).contains(Duration.ofSeconds(75));
    }

    @Test
    void the_limits_can_be_switched_off() {
        var off = GatewayConfig.parse("connection-options: {REQUEST_PARSE_TIMEOUT: 0, NO_REQUEST_TIMEOUT: 0}")
                .connection();
        assertThat(off.requestParseTimeout()).isEmpty();
        assertThat(off.noRequestTimeout()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "G", "GET / HTTP/1.1\r\nHost: test\r\nX-Slow: "})
    void a_head_that_does_not_come_ends_the_connection(String beginning) throws Exception {
        try (var server = TestServer.with(LIMITS, eager("/", _ -> Response.status(200)));
                var client = server.connect()) {
            client.send(beginning);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\u0016"})
    void a_tls_handshake_that_does_not_come_ends_the_connection(String beginning) throws Exception {
        for (boolean http2 : new boolean[] {true, false}) {
            var options = LIMITS.replace("{", "{ENABLE_HTTP2: " + http2 + ", ");
            try (var server = TestServer.tls(
                            keystore.listener("changeit") + "\n" + options, eager("/", _ -> Response.status(200)));
                    var client = server.connect()) {
                client.send(beginning);
                assertThat(client.isClosedByServer()).isTrue();
            }
        }
    }

    @Test
    void a_connection_without_requests_ends() throws Exception {
        try (var server = TestServer.with(LIMITS, eager("/", _ -> Response.status(200)));
                var client = server.connect()) {
            assertThat(client.request("GET /").answer().status()).isEqualTo(200);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void a_connection_of_http_2_without_requests_ends() throws Exception {
        try (var server = TestServer.with(LIMITS, eager("/", _ -> Response.status(200)));
                var client = new RawHttp2(server.listener().address())) {
            client.get(1, "/");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void a_request_that_is_answered_late_keeps_its_connection() throws Exception {
        var eventual = new CompletableFuture<Response.Ready>();
        try (var server = TestServer.with(LIMITS, eager("/", _ -> Response.later(eventual, Function.identity())));
                var client = server.connect();
                var http2 = new RawHttp2(server.listener().address())) {
            client.request("GET /");
            http2.get(1, "/");
            await().until(() -> server.listener().load().inFlight() == 2);
            await().pollDelay(Duration.ofMillis(1_500)).until(() -> true);
            eventual.complete(Response.status(200));
            assertThat(client.answer().status()).isEqualTo(200);
            assertThat(http2.frame().payload()[0] & 0xff).isEqualTo(RawHttp2.OK);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /push HTTP/1.1\r\nHost: test\r\nAccept: text/event-stream\r\n\r\n",
                "GET /push HTTP/1.1\r\nHost: test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            })
    void a_listener_keeps_its_connection(String request) throws Exception {
        BlockingQueue<Backlog> opened = new LinkedBlockingQueue<>();
        boolean webSocket = request.contains("websocket");
        var transport = webSocket ? Transport.WEB_SOCKET : Transport.SSE;
        try (var server = TestServer.with(LIMITS, blocking("/push", _ -> {
                    var backlog = new Backlog(10, 1 << 20);
                    opened.add(backlog);
                    var content =
                            new Content.Push(new Subscription(transport, backlog, Duration.ZERO, _ -> {}, () -> {}));
                    return Response.status(webSocket ? 101 : 200).with(content);
                }));
                var socket = new Socket()) {
            socket.setSoTimeout(10_000);
            socket.connect(server.listener().address());
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            var backlog = opened.poll(10, TimeUnit.SECONDS);
            assertThat(backlog).isNotNull();
            await().pollDelay(Duration.ofMillis(1_500)).until(() -> true);
            backlog.offer(new Message("1", "still there".getBytes(StandardCharsets.UTF_8), 0).framed(transport));
            var received = new StringBuilder();
            while (received.indexOf("still there") < 0) {
                int next = socket.getInputStream().read();
                assertThat(next).isNotNegative();
                received.append((char) next);
            }
        }
    }

    @Test
    void content_that_a_service_reads_while_it_arrives_is_408_when_it_stops_coming() throws Exception {
        try (var server = TestServer.of(TestServer.streaming("/", request -> {
                    try (var content = request.body().stream()) {
                        return Response.json(200, "" + content.readAllBytes().length);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }));
                var client = server.connect()) {
            client.request("POST /", "Content-Length: 100000").send("x".repeat(50_000));
            assertThat(client.answer().status()).isEqualTo(408);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    /// 64 MiB of responses may be in memory.
    @Test
    void clients_that_do_not_read_leave_memory_to_others() throws Exception {
        var served = new AtomicInteger();
        var clients = new ArrayList<Socket>();
        var service = eager("/", _ -> {
            served.incrementAndGet();
            return Response.status(200).with("text/plain", Content.Bytes.of(new byte[4 << 20]));
        });
        try (var server = TestServer.with("", service)) {
            for (int i = 0; i < 40; i++) {
                var socket = new Socket();
                clients.add(socket);
                socket.setReceiveBufferSize(4_096);
                socket.connect(server.listener().address());
                socket.getOutputStream()
                        .write("GET / HTTP/1.1\r\nHost: test\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            }
            await().until(() -> served.get() == 40);
            int refused = 0;
            for (var client : clients) {
                client.setSoTimeout(10_000);
                var line = new String(client.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
                refused += line.equals("HTTP/1.1 503") ? 1 : 0;
            }
            assertThat(refused).isBetween(31, 33); // 64 MiB are 16 of them, of which one address has half
            for (var client : clients) {
                client.close();
            }
            await().until(() -> server.listener().load().inFlight() == 0);
            try (var client = server.connect()) {
                assertThat(client.request("GET /").answer().status()).isEqualTo(200);
            }
        } finally {
            for (var client : clients) {
                client.close();
            }
        }
    }

    @Test
    void responses_that_share_their_bytes_are_counted_once() throws Exception {
        var shared = Content.Bytes.of(new byte[4 << 20]);
        var clients = new ArrayList<Socket>();
        try (var server =
                TestServer.with("", eager("/", _ -> Response.status(200).with("text/plain", shared)))) {
            for (int i = 0; i < 40; i++) {
                var socket = new Socket();
                clients.add(socket);
                socket.setReceiveBufferSize(4_096);
                socket.connect(server.listener().address());
                socket.getOutputStream()
                        .write("GET / HTTP/1.1\r\nHost: test\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            }
            for (var client : clients) {
                client.setSoTimeout(10_000);
                assertThat(client.getInputStream().readNBytes(12)).asString().isEqualTo("HTTP/1.1 200");
            }
        } finally {
            for (var client : clients) {
                client.close();
            }
        }
    }

    /// A client that takes nothing but the beginning of the response.
    private static Socket silent(TestServer server, String address, String target) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(4_096);
        socket.setSoTimeout(10_000);
        socket.bind(new InetSocketAddress(address, 0));
        socket.connect(server.listener().address());
        socket.getOutputStream()
                .write(("GET " + target + " HTTP/1.1\r\nHost: test\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static String statusLine(Socket client) throws IOException {
        return new String(client.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
    }

    /// In the test after 8 s.
    @Test
    void a_client_that_takes_nothing_of_a_response_loses_its_connection() throws Exception {
        var service = eager("/", _ -> Response.status(200).with("text/plain", Content.Bytes.of(new byte[24 << 20])));
        try (var server = TestServer.with("", service);
                var silent = silent(server, "127.0.0.9", "/");
                var slow = silent(server, "127.0.0.1", "/")) {
            for (int i = 0; i < 12; i++) {
                slow.getInputStream().skipNBytes(2 << 20);
                Thread.sleep(1_000);
            }
            assertThat(slow.getInputStream().read()).isNotNegative();
            slow.close();
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> server.listener().load().inFlight() == 0);
            assertThat(statusLine(silent)).isEqualTo("HTTP/1.1 200");
        }
    }

    /// Of 64 MiB.
    @Test
    void bytes_that_callers_share_count_for_each_as_if_it_held_them_alone() throws Exception {
        var shared = Content.Bytes.of(new byte[24 << 20]);
        var service = eager(
                "/",
                request -> Response.status(200)
                        .with(
                                "text/plain",
                                request.path().toString().contains("shared")
                                        ? shared
                                        : Content.Bytes.of(new byte[24 << 20])));
        try (var server = TestServer.with("", service);
                var first = silent(server, "127.0.0.1", "/shared")) {
            assertThat(statusLine(first)).isEqualTo("HTTP/1.1 200");
            try (var second = silent(server, "127.0.0.9", "/shared")) {
                assertThat(statusLine(second)).isEqualTo("HTTP/1.1 200");
                first.close();
                await().until(() -> server.listener().load().inFlight() == 1);
                try (var again = silent(server, "127.0.0.1", "/own");
                        var more = silent(server, "127.0.0.9", "/own")) {
                    assertThat(statusLine(again)).isEqualTo("HTTP/1.1 200");
                    assertThat(statusLine(more)).isEqualTo("HTTP/1.1 503");
                }
            }
        }
    }

    @Test
    void clients_that_do_not_send_leave_places_to_others() throws Exception {
        var clients = new ArrayList<RawClient>();
        var service = blocking("/", request -> {
            request.body().bytes();
            return Response.status(200);
        });
        try (var server = TestServer.with("", 20, service)) {
            for (int i = 0; i < 30; i++) {
                var client = server.connect();
                clients.add(client);
                client.request("POST /", "Content-Length: 9000").send("x");
            }
            int late = 0;
            for (var client : clients) {
                late += client.answer().status() == 408 ? 1 : 0;
            }
            assertThat(late).isBetween(1, 10); // others were refused at once
            try (var client = server.connect()) {
                assertThat(client.request("GET /").answer().status()).isEqualTo(200);
            }
        } finally {
            for (var client : clients) {
                client.close();
            }
        }
    }

    @Test
    void large_heads_of_requests_that_wait_for_content_are_shared_out_by_address() throws Exception {
        var large = Stream.concat(
                        Stream.of("Content-Length: 50000"),
                        IntStream.range(0, 100).mapToObj(i -> "X-" + i + ": " + "x".repeat(1_200)))
                .toArray(String[]::new);
        List<RawClient> clients = new ArrayList<>();
        try (var server = TestServer.of(blocking("/a", _ -> Response.status(401)))) {
            try {
                int refused = 0;
                for (int i = 0; i < 100; i++) {
                    var client = new RawClient(server.listener().address(), "127.0.0.1");
                    clients.add(client);
                    refused += client.request("POST /a", large).answer().status() == 503 ? 1 : 0;
                }
                assertThat(refused).isBetween(20, 80);
                try (var other = new RawClient(server.listener().address(), "127.0.0.2")) {
                    assertThat(other.request("POST /a", large).answer().status())
                            .isEqualTo(401);
                }
            } finally {
                for (var client : clients) {
                    client.close();
                }
            }
            await().untilAsserted(() -> {
                try (var again = server.connect()) {
                    assertThat(again.request("POST /a", large).answer().status())
                            .isEqualTo(401);
                }
            });
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void large_heads_of_listeners_are_shared_out_by_caller(Transport transport) throws Exception {
        var large = "X-Large: " + "x".repeat(120_000);
        var handshake = new String[] {
            large,
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="
        };
        List<RawClient> clients = new ArrayList<>();
        try (var server = TestServer.of(blocking("/push", request -> {
            var content = new Content.Push(
                    new Subscription(transport, new Backlog(100, 1 << 20), Duration.ZERO, _ -> {}, () -> {}));
            return transport == Transport.SSE
                    ? Response.status(200).with("text/event-stream", content)
                    : Response.status(101)
                            .with(WebSocketHandshake.answer(request.headers()))
                            .with(content);
        }))) {
            IntFunction<Integer> listen = own -> {
                try {
                    var client = new RawClient(server.listener().address(), "127.0.0." + own);
                    clients.add(client);
                    return client.request("GET /push", handshake).answerToHead().status();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            };
            try {
                int refused = 0;
                for (int i = 0; i < 250; i++) {
                    refused += listen.apply(1) == 503 ? 1 : 0;
                }
                assertThat(refused).isBetween(20, 240);
                assertThat(listen.apply(2)).isIn(200, 101);
            } finally {
                for (var client : clients) {
                    client.close();
                }
            }
            await().untilAsserted(() -> assertThat(listen.apply(1)).isIn(200, 101));
        }
    }

    /// What the parser of heads has needed for them stays with the connection.
    @Test
    void a_connection_is_not_kept_after_a_very_long_head() throws Exception {
        try (var server = TestServer.of(eager("/", _ -> Response.status(200)));
                var client = server.connect()) {
            assertThat(client.request("GET /", "X-Large: " + "x".repeat(8_000))
                            .answer()
                            .header("Connection"))
                    .isNotEqualTo(Optional.of("close"));
            assertThat(client.request("GET /", "X-Large: " + "x".repeat(9_000))
                            .answer()
                            .header("Connection"))
                    .contains("close");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    /// Which clients that keep connections would otherwise use once more.
    @Test
    void the_end_of_a_connection_is_announced_where_there_is_no_content() throws Exception {
        try (var server = TestServer.of(eager("/", _ -> Response.status(304)));
                var client = server.connect()) {
            assertThat(client.request("GET /", "Cookie: " + "x".repeat(9_000))
                            .answer()
                            .header("Connection"))
                    .contains("close");
        }
    }

    @Test
    void a_long_name_ends_a_connection_too() throws Exception {
        try (var server = TestServer.of(eager("/", _ -> Response.status(200)));
                var client = server.connect()) {
            assertThat(client.request("GET /", "X-" + "x".repeat(9_000) + ": 1")
                            .answer()
                            .header("Connection"))
                    .contains("close");
        }
    }

    @Test
    void refused_content_is_read_also_after_a_long_head() throws Exception {
        try (var server = TestServer.of(blocking("/", _ -> Response.status(401)));
                var client = server.connect()) {
            client.request("POST /", "Content-Length: 20000000", "Cookie: " + "x".repeat(9_000));
            TimeUnit.MILLISECONDS.sleep(200);
            for (int i = 0; i < 20; i++) {
                client.send(new byte[1_000_000]); // a connection that was reset takes no more
            }
            assertThat(client.answer().status()).isEqualTo(401);
        }
    }
}
