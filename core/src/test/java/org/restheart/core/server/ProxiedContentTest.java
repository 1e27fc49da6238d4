package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.routing.Binding;
import org.restheart.core.service.ProxyService;
import org.restheart.http.Response;

/// Content that has another length than its head says, or does not come to its end, on its way to the target of a
/// proxy.
class ProxiedContentTest {
    private static final String CONTENT = "z".repeat(5_000);

    @AutoClose
    private final RawTarget target = new RawTarget();

    private TestServer server() {
        return server(target.url());
    }

    private static TestServer server(String url) {
        return server(url, "");
    }

    /// @param more of the entry of `proxies`
    private static TestServer server(String url, String more) {
        var proxies = "core: {io-threads: 1}\nproxies: [{location: /back, proxy-pass: '" + url + "'" + more + "}]";
        var config = GatewayConfig.parse(proxies);
        var service = new ProxyService(
                config.proxies().getFirst(),
                config.core(),
                new ProxyService.Credentials(Set.of(), Set.of()),
                _ -> false);
        return TestServer.with(
                proxies, Binding.prefix(service, "/back", false), TestServer.blocking("/own", request -> {
                    request.body().bytes();
                    return Response.status(200);
                }));
    }

    private static RawHttp2 client(TestServer server) throws IOException {
        return new RawHttp2(server.listener().address());
    }

    private void assertAllEnded(TestServer server) {
        await().until(() -> server.listener().inFlight() == 0 && target.connections() == 0);
        assertThat(target.hasRequests()).isFalse();
    }

    /// More often than there are connections to the target, in HTTP/2, where it is the head that says that nothing
    /// follows.
    @ParameterizedTest
    @ValueSource(strings = {"/back/x", "/own"})
    void a_head_without_the_content_that_it_states_is_refused(String path) throws Exception {
        try (var server = server()) {
            for (int i = 0; i < 50; i++) {
                try (var client = client(server)) {
                    client.request(1, "POST", "http", path, "test", "content-length", "5");
                    assertThat(client.frame().payload()[0] & 0xff).isEqualTo(RawHttp2.BAD_REQUEST);
                }
            }
            assertAllEnded(server);
        }
    }

    /// Undertow resets such a stream, and the target received what came into the buffer of its frame later.
    @ParameterizedTest
    @ValueSource(ints = {4_999, 5_001})
    void content_of_another_length_does_not_reach_the_target_as_the_whole(int stated) throws Exception {
        try (var server = server()) {
            for (int i = 0; i < 50; i++) {
                try (var client = client(server)) {
                    client.begin(1, "POST", "/back/x", stated);
                    client.content(1, CONTENT, true);
                    assertThat(client.frame().payload()[0] & 0xff).isEqualTo(RawHttp2.BAD_REQUEST);
                    assertThat(new String(client.frame().payload(), StandardCharsets.UTF_8))
                            .contains("than Content-Length says");
                }
            }
            assertAllEnded(server);
            assertThat(target.parts()).allMatch(part -> part.matches("z*"));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 9, 11})
    void content_of_another_length_is_refused_by_services(int length) throws Exception {
        try (var server = server();
                var client = client(server)) {
            client.begin(1, "POST", "/own");
            client.content(1, "x".repeat(length), true);
            assertThat(client.frame().payload()[0] & 0xff).isEqualTo(RawHttp2.BAD_REQUEST);
        }
    }

    @Test
    void content_of_its_length_arrives() throws Exception {
        try (var server = server();
                var client = client(server)) {
            client.begin(1, "POST", "/back/x", CONTENT.length());
            client.content(1, CONTENT, true);
            assertThat(client.frame().payload()[0] & 0xff).isEqualTo(RawHttp2.OK);
            assertThat(target.next()).endsWith("\r\n\r\n" + CONTENT);
        }
    }

    /// @param stated the length; negative for chunked content
    @ParameterizedTest
    @ValueSource(ints = {-1, 6_000})
    void a_connection_that_ends_within_content_frees_that_to_the_target(int stated) throws Exception {
        try (var server = server()) {
            for (int i = 1; i <= 3; i++) {
                try (var client = client(server)) {
                    client.begin(1, "POST", "/back/x", stated);
                    client.content(1, CONTENT, false);
                    await().until(() -> target.parts().contains(CONTENT));
                }
                assertAllEnded(server);
                target.parts().clear();
            }
        }
    }

    /// How a client gives a request up: it closes its connection, or resets its stream.
    enum Leaving {
        HTTP_1,
        HTTP_1_AFTER_CONTENT,
        HTTP_2,
        HTTP_2_STREAM
    }

    /// The target gets the head of each request, and none of them has a response.
    @ParameterizedTest
    @EnumSource
    void a_client_that_goes_before_the_response_frees_the_connection_to_the_target(Leaving leaving) throws Exception {
        try (var silent = new SilentTarget();
                var server = server(silent.url());
                var connection = leave(server, leaving, silent)) {
            silent.assertClosed();
            await().until(() -> server.listener().inFlight() == 0);
            silent.assertNoMore();
            if (leaving == Leaving.HTTP_2_STREAM && connection instanceof RawHttp2 client) {
                client.request(3, "POST", "http", "/own", "test");
                assertThat(client.awaitEnd(3).payload()[0] & 0xff)
                        .as("the connection goes on")
                        .isEqualTo(RawHttp2.OK);
            }
        }
    }

    private static AutoCloseable leave(TestServer server, Leaving leaving, SilentTarget silent) throws Exception {
        if (leaving == Leaving.HTTP_2 || leaving == Leaving.HTTP_2_STREAM) {
            var client = client(server);
            client.get(1, "/back/x");
            silent.accept();
            if (leaving == Leaving.HTTP_2) {
                client.close();
            } else {
                client.reset(1);
            }
            return client;
        }
        var client = server.connect();
        if (leaving == Leaving.HTTP_1) {
            client.request("GET /back/x");
        } else {
            client.request("POST /back/x", "Content-Length: 3").send("abc");
        }
        silent.accept();
        client.close();
        return client;
    }

    @Test
    void a_client_of_http_1_that_goes_within_the_response_frees_the_connection_to_the_target() throws Exception {
        try (var silent = new SilentTarget();
                var server = server(silent.url())) {
            try (var client = server.connect()) {
                client.request("GET /back/x");
                silent.accept().begin();
                assertThat(client.answerToHead().status()).isEqualTo(200);
            }
            silent.assertClosed();
            await().until(() -> server.listener().inFlight() == 0);
        }
    }

    /// The target sends nothing more.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_client_of_http_2_that_goes_within_the_response_frees_the_connection_to_the_target(boolean reset)
            throws Exception {
        try (var silent = new SilentTarget();
                var server = server(silent.url());
                var client = client(server)) {
            client.get(1, "/back/x");
            silent.accept().begin();
            assertThat(client.frame().payload()[0] & 0xff).isEqualTo(RawHttp2.OK);
            assertThat(client.frame().payload())
                    .asString(StandardCharsets.US_ASCII)
                    .isEqualTo("abc");
            client.request(3, "POST", "http", "/own", "test");
            assertThat(client.awaitEnd(3).payload()[0] & 0xff)
                    .as("others are answered meanwhile")
                    .isEqualTo(RawHttp2.OK);
            if (reset) {
                client.reset(1);
            } else {
                client.close();
            }
            silent.assertClosed();
            await().until(() -> server.listener().inFlight() == 0);
            if (reset) {
                client.request(5, "POST", "http", "/own", "test");
                assertThat(client.awaitEnd(5).payload()[0] & 0xff)
                        .as("the connection goes on")
                        .isEqualTo(RawHttp2.OK);
            }
        }
    }

    /// Longer than it takes until the client is missed.
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_client_that_stays_gets_a_late_response(boolean http2) throws Exception {
        try (var silent = new SilentTarget();
                var server = server(silent.url());
                var first = server.connect();
                var second = client(server)) {
            if (http2) {
                second.get(1, "/back/x");
            } else {
                first.request("GET /back/x");
            }
            silent.accept();
            first.pause(Duration.ofMillis(2_500));
            silent.answer();
            int status =
                    http2 ? second.frame().payload()[0] & 0xff : first.answer().status();
            assertThat(status).isEqualTo(http2 ? RawHttp2.OK : 200);
        }
    }

    @Test
    void a_client_that_goes_while_it_waits_for_a_connection_to_the_target_frees_that() throws Exception {
        try (var silent = new SilentTarget();
                var server = server(silent.url(), ", connections-per-thread: 1, max-queue-size: 1");
                var first = server.connect()) {
            first.request("GET /back/first");
            silent.accept();
            try (var client = client(server)) {
                client.get(1, "/back/x");
                await().until(() -> server.listener().inFlight() == 2);
            }
            await().until(() -> server.listener().inFlight() == 1);
            silent.answer();
            assertThat(first.answer().status()).isEqualTo(200);
        }
    }

    /// The target would take the part for the whole.
    @Test
    void a_part_of_chunked_content_gets_no_last_chunk() throws Exception {
        try (var server = server()) {
            try (var client = server.connect()) {
                client.request("POST /back/x", "Transfer-Encoding: chunked").send("1388\r\n" + CONTENT + "\r\n");
                await().until(() -> target.parts().contains(CONTENT));
            }
            assertAllEnded(server);
            target.parts().clear();
            try (var client = client(server)) {
                client.begin(1, "POST", "/back/x", -1);
                client.content(1, CONTENT, false);
                await().until(() -> target.parts().contains(CONTENT));
                client.reset(1);
                assertAllEnded(server);
            }
        }
    }
}
