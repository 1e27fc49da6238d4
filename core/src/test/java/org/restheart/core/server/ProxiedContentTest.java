package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
        var proxies = "proxies: [{location: /back, proxy-pass: '" + url + "'}]";
        var service = new ProxyService(
                GatewayConfig.parse(proxies).proxies().getFirst(),
                new ProxyService.Credentials(Set.of(), Set.of()),
                false);
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
        await().until(() -> server.listener().load().inFlight() == 0 && target.connections() == 0);
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

    @Test
    void a_connection_that_ends_before_the_response_frees_that_to_the_target() throws Exception {
        try (var silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var server = server("http://127.0.0.1:" + silent.getLocalPort())) {
            silent.setSoTimeout(10_000);
            Socket forwarded;
            try (var client = client(server)) {
                client.get(1, "/back/x");
                forwarded = silent.accept();
            }
            try (forwarded) {
                forwarded.setSoTimeout(10_000);
                assertThat(new String(forwarded.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                        .startsWith("GET /x HTTP/1.1\r\n");
            }
            await().until(() -> server.listener().load().inFlight() == 0);
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
