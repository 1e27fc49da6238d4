package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.server.TestServer.blocking;
import static org.restheart.core.server.TestServer.eager;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.restheart.http.Response;

/// What is refused before any service is found reaches the request log and the metrics all the same.
class RefusalsTest {
    @TempDir
    private static Path directory;

    @Test
    void an_unknown_method_is_told_the_known_ones() throws Exception {
        try (var server = TestServer.with("", blocking("/a", _ -> Response.status(200)));
                var client = server.connect()) {
            var answer = client.request("TRACE /a").answer();
            assertThat(answer.status()).isEqualTo(405);
            assertThat(answer.header("Allow")).contains("GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
        }
    }

    @Test
    void a_head_that_is_too_large_is_observed() throws Exception {
        try (var server = TestServer.with(
                        "connection-options: {MAX_HEADER_SIZE: 1000}", blocking("/a", _ -> Response.status(200)));
                var client = server.connect()) {
            client.request("GET /a", "X-Large: " + "x".repeat(1_500));
            assertThat(client.answer().status()).isEqualTo(400);
            await().until(() -> server.observations().size() == 1);
        }
    }

    @Test
    void a_request_that_finds_no_room_is_observed() throws Exception {
        var eventual = new CompletableFuture<Response.Ready>();
        try (var server = TestServer.with("", 1, eager("/a", _ -> Response.later(eventual, Function.identity())));
                var first = server.connect();
                var second = server.connect()) {
            first.request("GET /a");
            await().until(() -> server.listener().load().inFlight() == 1);
            assertThat(second.request("GET /a?x=1").answer().status()).isEqualTo(503);
            await().untilAsserted(() -> assertThat(server.observations())
                    .singleElement()
                    .satisfies(observation ->
                            assertThat(observation.request().query().raw()).isEqualTo("x=1")));
            eventual.complete(Response.status(200));
            first.answer();
        }
    }

    @Test
    void what_undertow_refuses_over_tls_is_observed() throws Exception {
        for (boolean http2 : new boolean[] {true, false}) {
            var keystore = TestKeystore.in(Files.createDirectory(directory.resolve("" + http2)));
            try (var server = TestServer.tls(
                            keystore.listener("changeit") + "\nconnection-options: {ENABLE_HTTP2: " + http2 + "}",
                            blocking("/a", _ -> Response.status(200)));
                    var socket = keystore.context().getSocketFactory().createSocket()) {
                socket.connect(server.listener().address());
                socket.getOutputStream().write("no request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                await().untilAsserted(() -> assertThat(server.observations())
                        .singleElement()
                        .satisfies(
                                observation -> assertThat(observation.status()).isEqualTo(400)));
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "TRACE /a HTTP/1.1\\r\\nHost: t\\r\\n\\r\\n | 405 | TRACE | /a",
                "GET /%ff HTTP/1.1\\r\\nHost: t\\r\\n\\r\\n | 400 | GET | /%ff",
                "GET /b HTTP/1.1\\r\\nHost: t\\r\\n\\r\\n | 502 | GET | /b",
                "POST /a HTTP/1.1\\r\\nHost: t\\r\\nContent-Length: 18446744073709551630\\r\\n\\r\\n | 400 | POST | /a",
                "POST /a HTTP/1.0\\r\\nHost: t\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n | 400 | POST | /a",
                "POST /a HTTP/1.1\\r\\nHost: t\\r\\nTransfer-Encoding: gzip\\r\\n\\r\\n | 501 | POST | /a",
                "no request\\r\\n\\r\\n | 400 | | /",
                "GET /a HTTP/1.1\\r\\nHost: t\\r\\nbad field: x\\r\\n\\r\\n | 400 | | /",
            })
    void a_refusal_is_observed(String request, int status, @Nullable String method, String path) throws Exception {
        try (var server = TestServer.of(blocking("/a", _ -> Response.status(200)));
                var client = server.connect()) {
            client.send(request.replace("\\r\\n", "\r\n"));
            assertThat(client.answer().status()).isEqualTo(status);
            await().untilAsserted(() -> assertThat(server.observations())
                    .singleElement()
                    .satisfies(observation -> {
                        assertThat(observation.status()).isEqualTo(status);
                        assertThat(observation.method()).isEqualTo(method == null ? "" : method);
                        assertThat(observation.request().path().raw()).isEqualTo(path);
                    }));
        }
    }
}
