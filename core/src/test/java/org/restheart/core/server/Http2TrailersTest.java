package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Response;

/// Header fields that clients of HTTP/2 send after the content of a request.
class Http2TrailersTest {
    private static final String[] ACCOUNT = RawTarget.basic("ada").split(": ", 2);

    private static void begin(RawHttp2 client, int stream) throws IOException {
        client.begin(stream, "PUT", "/back/x", "authorization", ACCOUNT[1], "x-forwarded-account-id", "root");
    }

    private static void assertForwardedAlone(String request) {
        assertThat(request).endsWith("\r\n\r\n" + RawHttp2.CONTENT);
        assertThat(request.toLowerCase(Locale.ROOT))
                .contains("content-length: 10\r\n", "x-forwarded-account-id: ada\r\n")
                .doesNotContain("root", "authorization", "transfer-encoding");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x-checksum",
                "x-forwarded-account-id",
                "x-forwarded-for",
                "authorization",
                "host",
                "content-length",
                "connection",
                "te",
                "expect",
            })
    void trailers_do_not_reach_the_target_of_a_proxy(String name) throws Exception {
        try (var target = new RawTarget();
                var gateway = target.gateway("");
                var client = new RawHttp2(gateway.address())) {
            int stream = -1;
            for (var value : List.of("root", "9\r\nX-Injected: root", "9")) {
                stream += 2;
                begin(client, stream);
                client.endWithTrailers(stream, name, value, "x-other", "root");
                assertThat(client.awaitEnd(stream).type()).isEqualTo(RawHttp2.DATA);
                assertForwardedAlone(target.next());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {":path", "transfer-encoding", "x-lines\r\nx-injected"})
    void trailers_that_are_never_valid_end_their_stream_or_connection(String name) throws Exception {
        try (var target = new RawTarget();
                var gateway = target.gateway("");
                var client = new RawHttp2(gateway.address())) {
            begin(client, 1);
            client.endWithTrailers(1, name, "chunked");
            assertThat(client.awaitEnd(1).type()).isIn(RawHttp2.RESET, RawHttp2.GO_AWAY, RawHttp2.DATA);
            if (target.hasRequests()) {
                assertForwardedAlone(target.next());
            }
        }
    }

    private static TestServer server() {
        return TestServer.of(TestServer.blocking("/", request -> {
            request.body().bytes();
            return Response.status(200);
        }));
    }

    private static void assertServed(InetSocketAddress address) throws IOException {
        try (var client = new RawClient(address)) {
            assertThat(client.request("GET /").answer().status()).isEqualTo(200);
        }
    }

    /// The limits of a head apply.
    @ParameterizedTest
    @CsvSource({"10000, 10", "100, 10000", "1, 1000000"})
    void many_or_long_trailers_end_their_stream_or_connection(int count, int length) throws Exception {
        var fields = IntStream.range(0, count)
                .boxed()
                .flatMap(i -> Stream.of("x-" + i, "v".repeat(length)))
                .toArray(String[]::new);
        try (var server = server();
                var client = new RawHttp2(server.listener().address())) {
            client.begin(1, "/");
            try {
                client.endWithTrailers(1, fields);
                assertThat(client.awaitEnd(1).type()).isIn(RawHttp2.RESET, RawHttp2.GO_AWAY);
            } catch (IOException _) { // closed while they were sent
                assertThat(client.isClosedByServer()).isTrue();
            }
            assertServed(server.listener().address());
            await().until(() -> server.listener().inFlight() == 0);
        }
    }

    /// They would cost time without end, and hardly any bytes.
    @Test
    void a_head_in_very_many_pieces_ends_its_connection() throws Exception {
        try (var server = server();
                var client = new RawHttp2(server.listener().address())) {
            client.begin(1, "/");
            client.floodWithTrailers(1, 64, new byte[0]);
            var last = client.frame();
            assertThat(last.type()).isEqualTo(RawHttp2.GO_AWAY);
            assertThat(last.payload()).endsWith(0, 0, 0, 11); // ENHANCE_YOUR_CALM
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 16_000})
    void trailers_without_end_end_their_connection(int length) throws Exception {
        try (var server = server();
                var client = new RawHttp2(server.listener().address())) {
            client.begin(1, "/");
            try {
                client.floodWithTrailers(1, 1_000_000, new byte[length]);
            } catch (IOException _) { // closed while they were sent
                assertServed(server.listener().address());
            }
            assertThat(client.isClosedByServer()).isTrue();
            assertServed(server.listener().address());
            await().until(() -> server.listener().inFlight() == 0);
        }
    }
}
