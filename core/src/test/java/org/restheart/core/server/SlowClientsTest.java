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
        var transport = request.contains("websocket") ? Transport.WEB_SOCKET : Transport.SSE;
        try (var server = TestServer.with(LIMITS, pushing("/push", transport, opened::add));
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

    @Test
    void clients_that_do_not_send_leave_places_to_others() throws Exception {
        var service = blocking("/", request -> {
            request.body().bytes();
            return Response.status(200);
        });
        try (var server = TestServer.with("", 20, service);
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
}
