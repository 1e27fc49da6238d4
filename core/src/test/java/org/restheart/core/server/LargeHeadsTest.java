package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.server.TestServer.blocking;
import static org.restheart.core.server.TestServer.eager;
import static org.restheart.core.server.TestServer.pushing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Response;
import org.restheart.http.push.Transport;
import org.restheart.testkit.Opened;

/// Requests with large heads: their memory is shared out, and their connections are not kept.
class LargeHeadsTest {
    /// More clients than may have large heads at once: their memory is a part of the heap.
    private static int clientsBeyond() {
        return (int) (Runtime.getRuntime().maxMemory() >> 20) / 15;
    }

    @Test
    void large_heads_of_requests_that_wait_for_content_are_shared_out_by_address() throws Exception {
        var large = Stream.concat(
                        Stream.of("Content-Length: 50000"),
                        IntStream.range(0, 100).mapToObj(i -> "X-" + i + ": " + "x".repeat(1_200)))
                .toArray(String[]::new);
        try (var server = TestServer.of(blocking("/a", _ -> Response.status(401)));
                var clients = new Opened<RawClient>()) {
            int refused = 0;
            for (int i = 0; i < clientsBeyond(); i++) {
                var client = clients.add(new RawClient(server.listener().address(), "127.0.0.1"));
                refused += client.request("POST /a", large).answer().status() == 503 ? 1 : 0;
            }
            assertThat(refused).isBetween(20, clientsBeyond() - 20);
            try (var other = new RawClient(server.listener().address(), "127.0.0.2")) {
                assertThat(other.request("POST /a", large).answer().status()).isEqualTo(401);
            }
            clients.close();
            await().untilAsserted(() -> {
                try (var again = server.connect()) {
                    assertThat(again.request("POST /a", large).answer().status())
                            .isEqualTo(401);
                }
            });
        }
    }

    /// Also while its client takes nothing of a large response.
    @Test
    void a_large_head_counts_once() throws Exception {
        var large = IntStream.range(0, 100)
                .mapToObj(i -> "X-" + i + ": " + "x".repeat(1_200))
                .toArray(String[]::new);
        var content = Content.Bytes.of(new byte[32 << 20], Lease.CONSTANT);
        try (var server = TestServer.of(
                blocking("/a", _ -> Response.status(401)),
                eager("/b", _ -> Response.status(200).with("text/plain", content)))) {
            var sending = Stream.concat(Stream.of("Content-Length: 50000"), Stream.of(large));
            int withContent = served(server, "POST /a", sending.toArray(String[]::new));
            await().until(() -> server.listener().inFlight() == 0);
            assertThat(served(server, "GET /b", large)).isGreaterThan(withContent * 3 / 4);
        }
    }

    /// How many requests are not refused while those before are in progress.
    private static int served(TestServer server, String request, String... fields) throws IOException {
        int served = 0;
        try (var clients = new Opened<RawClient>()) {
            for (int i = 0; i < clientsBeyond(); i++) {
                var client = clients.add(new RawClient(server.listener().address(), "127.0.0.1"));
                served += client.request(request, fields).answerToHead().status() == 503 ? 0 : 1;
            }
        }
        return served;
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
        try (var server = TestServer.of(pushing("/push", transport, _ -> {}));
                var clients = new Opened<RawClient>()) {
            IntFunction<Integer> listen = own -> {
                try {
                    var client = clients.add(new RawClient(server.listener().address(), "127.0.0." + own));
                    return client.request("GET /push", handshake).answerToHead().status();
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            };
            int refused = 0;
            for (int i = 0; i < clientsBeyond(); i++) {
                refused += listen.apply(1) == 503 ? 1 : 0;
            }
            assertThat(refused).isBetween(20, clientsBeyond() - 20);
            assertThat(listen.apply(2)).isIn(200, 101);
            clients.close();
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
            await().until(client::isAnswered);
            for (int i = 0; i < 20; i++) {
                client.send(new byte[1_000_000]); // a connection that was reset takes no more
            }
            assertThat(client.answer().status()).isEqualTo(401);
        }
    }
}
