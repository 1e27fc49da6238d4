package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.server.TestServer.blocking;
import static org.restheart.core.server.TestServer.eager;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Content;
import org.restheart.http.Response;
import org.restheart.testkit.Opened;

/// Clients that ask for much and read little: the memory of responses is shared out.
class UnreadResponsesTest {
    /// A client that takes nothing but the beginning of the response.
    private static Socket silent(TestServer server, String address, String target) throws IOException {
        var socket = new Socket();
        socket.setReceiveBufferSize(4_096);
        socket.setSoTimeout(60_000);
        socket.bind(new InetSocketAddress(address, 0));
        socket.connect(server.listener().address());
        socket.getOutputStream()
                .write(("GET " + target + " HTTP/1.1\r\nHost: test\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private static String statusLine(Socket client) throws IOException {
        return new String(client.getInputStream().readNBytes(12), StandardCharsets.US_ASCII);
    }

    /// 64 MiB of responses may be in memory.
    @Test
    void clients_that_do_not_read_leave_memory_to_others() throws Exception {
        var served = new AtomicInteger();
        var service = eager("/", request -> {
            served.incrementAndGet();
            return Response.status(200).with("text/plain", Content.Bytes.of(new byte[4 << 20], request.lease()));
        });
        try (var server = TestServer.with("", service);
                var clients = new Opened<Socket>()) {
            for (int i = 0; i < 40; i++) {
                clients.add(silent(server, "127.0.0.1", "/"));
            }
            await().until(() -> served.get() == 40);
            int refused = 0;
            for (var client : clients.all()) {
                refused += statusLine(client).equals("HTTP/1.1 503") ? 1 : 0;
            }
            assertThat(refused).isBetween(34, 36); // 64 MiB are 16 of them, of which one address has a third
            clients.close();
            await().until(() -> server.listener().inFlight() == 0);
            try (var client = server.connect()) {
                assertThat(client.request("GET /").answer().status()).isEqualTo(200);
            }
        }
    }

    /// Of two places, an address has one: that of the content, and then that of the response.
    @Test
    void a_request_that_is_answered_before_its_content_came_has_one_place() throws Exception {
        var service = blocking("/", request -> {
            request.body().bytes();
            return Response.status(200);
        });
        try (var server = TestServer.with("", 4, Duration.ofSeconds(1), Duration.ofSeconds(8), service);
                var client = new RawHttp2(server.listener().address())) {
            client.begin(1, "POST", "/", 100_000);
            client.content(1, RawHttp2.CONTENT, false);
            var first = client.awaitEnd(1);
            assertThat(first.type()).isNotEqualTo(RawHttp2.GO_AWAY);
            client.get(3, "/");
            var second = client.awaitEnd(3);
            assertThat(second.type()).isNotEqualTo(RawHttp2.GO_AWAY);
            assertThat(second.stream()).isEqualTo(3);
        }
    }

    /// In the test after 3 s. Both responses fit into the memory that addresses without an account may have.
    @Test
    void a_client_that_takes_nothing_of_a_response_loses_its_connection() throws Exception {
        var service = eager(
                "/",
                request ->
                        Response.status(200).with("text/plain", Content.Bytes.of(new byte[16 << 20], request.lease())));
        try (var server = TestServer.with("", 1_000, Duration.ofSeconds(1), Duration.ofSeconds(3), service);
                var silent = silent(server, "127.0.0.9", "/");
                var slow = silent(server, "127.0.0.1", "/")) {
            assertThat(statusLine(slow)).isEqualTo("HTTP/1.1 200");
            for (int i = 0; i < 6; i++) {
                slow.getInputStream().skipNBytes(2 << 20);
                Thread.sleep(1_000);
            }
            assertThat(slow.getInputStream().read()).isNotNegative();
            slow.close();
            await().until(() -> server.listener().inFlight() == 0);
            assertThat(statusLine(silent)).isEqualTo("HTTP/1.1 200");
        }
    }

    /// It would hold the response for hours otherwise. Whole in memory, and as a stream.
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void a_client_that_takes_byte_after_byte_loses_its_response(boolean streamed) throws Exception {
        var service = eager("/", request -> {
            var content = Content.Bytes.of(new byte[1 << 20], request.lease());
            return Response.status(200).with("text/plain", streamed ? content.streamed(0, source -> source) : content);
        });
        try (var server = TestServer.with("", 1_000, Duration.ofSeconds(1), Duration.ofSeconds(1), service);
                var client = new RawHttp2(server.listener().address(), 4, 1)) { // SETTINGS_INITIAL_WINDOW_SIZE
            client.get(1, "/");
            int taken = 0;
            for (var frame = client.frame(); frame.type() != RawHttp2.RESET; frame = client.frame()) {
                if (frame.type() == RawHttp2.DATA) {
                    taken += frame.payload().length;
                    assertThat(taken).isLessThan(300);
                    Thread.sleep(50);
                    client.widen(1, 1);
                }
            }
            assertThat(taken).isPositive();
            await().until(() -> server.listener().inFlight() == 0);
        }
    }
}
