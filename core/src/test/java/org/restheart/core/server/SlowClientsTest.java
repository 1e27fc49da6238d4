package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.server.TestServer.blocking;
import static org.restheart.core.server.TestServer.eager;
import static org.restheart.core.server.TestServer.pushing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.config.Configuration;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.Sources;
import org.restheart.http.Request;
import org.restheart.http.Response;
import org.restheart.http.push.Backlog;
import org.restheart.http.push.Message;
import org.restheart.http.push.Transport;
import org.restheart.testkit.Opened;

/// Clients that send little or nothing keep no connection for long; those that wait for answers do.
class SlowClientsTest {
    private static final String LIMITS = "connection-options: {REQUEST_PARSE_TIMEOUT: 500, NO_REQUEST_TIMEOUT: 500}";

    private static final TestKeystore KEYSTORE = TestKeystore.shared();

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
                            KEYSTORE.listener("changeit") + "\n" + options, eager("/", _ -> Response.status(200)));
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
            await().until(() -> server.listener().inFlight() == 2);
            awaitLimits(server);
            eventual.complete(Response.status(200));
            assertThat(client.answer().status()).isEqualTo(200);
            assertThat(http2.frame().payload()[0] & 0xff).isEqualTo(RawHttp2.OK);
        }
    }

    /// Until a client that begins only now has been closed by them.
    private static void awaitLimits(TestServer server) throws IOException {
        try (var late = server.connect()) {
            assertThat(late.send("GET / HTTP").isClosedByServer()).isTrue();
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
        var transport = request.contains("websocket") ? Transport.WEB_SOCKET : Transport.SSE;
        try (var server = TestServer.with(LIMITS, pushing("/push", transport, opened::add));
                var socket = new Socket()) {
            socket.setSoTimeout(60_000);
            socket.connect(server.listener().address());
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            var backlog = opened.poll(60, TimeUnit.SECONDS);
            assertThat(backlog).isNotNull();
            awaitLimits(server);
            backlog.offer(new Message("1", "still there".getBytes(StandardCharsets.UTF_8), 0).framed(transport));
            var received = new StringBuilder();
            while (received.indexOf("still there") < 0) {
                int next = socket.getInputStream().read();
                assertThat(next).isNotNegative();
                received.append((char) next);
            }
        }
    }

    private static Response length(Request request) {
        try (var content = request.body().stream()) {
            return Response.json(200, "" + content.readAllBytes().length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void content_that_a_service_reads_while_it_arrives_is_408_when_it_stops_coming() throws Exception {
        try (var server = TestServer.impatient(TestServer.streaming("/", SlowClientsTest::length));
                var client = server.connect()) {
            client.request("POST /", "Content-Length: 100000").send("x".repeat(50_000));
            assertThat(client.answer().status()).isEqualTo(408);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void clients_that_do_not_send_leave_places_to_others() throws Exception {
        var service = blocking("/", request -> {
            request.body().bytes();
            return Response.status(200);
        });
        try (var server = TestServer.with("", 20, Duration.ofSeconds(1), Duration.ofSeconds(8), service);
                var clients = new Opened<RawClient>()) {
            for (int i = 0; i < 30; i++) {
                clients.add(server.connect())
                        .request("POST /", "Content-Length: 9000")
                        .send("x");
            }
            int late = 0;
            for (var client : clients.all()) {
                late += client.answer().status() == 408 ? 1 : 0;
            }
            assertThat(late).isBetween(1, 10); // others were refused at once
            try (var client = server.connect()) {
                assertThat(client.request("GET /").answer().status()).isEqualTo(200);
            }
        }
    }

    @Test
    void content_that_trickles_is_given_up() throws Exception {
        try (var server = TestServer.impatient(blocking("/", RequestContentTest::echo));
                var client = server.connect()) {
            client.request("POST /", "Content-Length: 1000").send("only this");
            assertThat(client.answer().status()).isEqualTo(408);
            assertThat(client.isClosedByServer()).isTrue();
            await().until(() -> server.listener().inFlight() == 0);
        }
    }

    @Test
    void content_that_takes_its_time_but_keeps_coming_is_waited_for() throws Exception {
        try (var server = TestServer.impatient(blocking("/", RequestContentTest::echo));
                var client = server.connect()) {
            client.request("POST /", "Content-Length: 6000").send("x".repeat(2000)); // worth four seconds more
            for (int i = 0; i < 2; i++) {
                client.pause(Duration.ofMillis(600)).send("y".repeat(2000));
            }
            assertThat(client.answer().body()).hasSize(6000);
        }
    }

    /// Most of it at once, then a byte just before each timeout.
    @Test
    void what_has_been_sent_buys_no_trickle() throws Exception {
        for (var service :
                List.of(blocking("/", RequestContentTest::echo), TestServer.streaming("/", SlowClientsTest::length))) {
            try (var server = TestServer.impatient(service);
                    var client = server.connect()) {
                client.request("POST /", "Content-Length: 1000005").send(new byte[1_000_000]);
                client.trickle();
                assertThat(client.answer().status()).isEqualTo(408);
                await().until(() -> server.listener().inFlight() == 0);
            }
        }
    }

    @Test
    void content_that_stops_is_not_waited_for_however_much_has_come() throws Exception {
        try (var server = TestServer.impatient(blocking("/", RequestContentTest::echo));
                var client = server.connect()) {
            // half an hour at the least pace
            client.request("POST /", "Content-Length: 2000000").send(new byte[1_000_000]);
            assertThat(client.answer().status()).isEqualTo(408);
        }
    }
}
