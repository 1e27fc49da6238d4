package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.server.TestServer.blocking;
import static org.restheart.core.server.TestServer.eager;
import static org.restheart.testkit.Statuses.assertStatus;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.bson.BsonDocument;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Response;

/// What is refused before any service is found reaches the request log and the metrics all the same.
class RefusalsTest {
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
            var answer = client.answer();
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).contains("connection-options.MAX_HEADER_SIZE, 1000 bytes");
            await().until(() -> server.observations().size() == 1);
            assertThat(server.observations().getFirst().bytes()).isEqualTo(answer.body().length);
        }
    }

    @Test
    void a_client_that_sends_far_too_large_a_head_reads_why_it_is_refused() throws Exception {
        try (var server = TestServer.with(
                        "connection-options: {MAX_HEADER_SIZE: 1000}", blocking("/a", _ -> Response.status(200)));
                var client = server.connect()) {
            client.request("GET /a", "X-Large: " + "x".repeat(200_000));
            assertThat(client.answer().text()).contains("MAX_HEADER_SIZE");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/a?a&b&c&d | 0 | a=1 | more parameters than connection-options.MAX_PARAMETERS, 3",
                "/a?a&&b&&&c& | 0 | a=1 |",
                "/a | 7 | a=1 | more header fields than connection-options.MAX_HEADERS, 8",
                "/a | 6 | a=1 |",
                "/a | 0 | a=1; b=2; c=3 | more cookies than connection-options.MAX_COOKIES, 2",
                "/a?a&b&c&d&e&f&g&h&i&j&k&l&m&n | 0 | a=1 | MAX_HEADERS, 8, or MAX_PARAMETERS, 3, by far",
                "/a | 100 | a=1 | MAX_HEADERS, 8, or MAX_PARAMETERS, 3, by far",
            })
    void the_limit_that_a_head_exceeds_is_named(String target, int fields, String cookies, @Nullable String named)
            throws Exception {
        try (var server = TestServer.with(
                        "connection-options: {MAX_HEADERS: 8, MAX_PARAMETERS: 3, MAX_COOKIES: 2}",
                        blocking("/a", _ -> Response.status(200)));
                var client = server.connect()) {
            var headers = IntStream.range(0, fields).mapToObj(i -> "X-" + i + ": x");
            client.request(
                    "GET " + target,
                    Stream.concat(Stream.of("Cookie: " + cookies), headers).toArray(String[]::new));
            var answer = client.answer();
            if (named == null) {
                assertThat(answer.status()).isEqualTo(200);
            } else {
                assertThat(answer.status()).isEqualTo(400);
                assertThat(answer.header("Content-Type"))
                        .hasValueSatisfying(type -> assertThat(type).startsWith("application/json"));
                assertThat(BsonDocument.parse(answer.text()).getString("msg").getValue())
                        .contains(named);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/a/caf\u00e9", "/a?caf\u00e8", "/a?x=\u00c3", "/a/\u00ed\u00a0\u0080", "/a/\u00c0\u00af"})
    void bytes_of_a_target_that_are_no_utf8_are_refused(String target) throws Exception {
        try (var server = TestServer.of(blocking("/a", _ -> Response.status(200)));
                var client = server.connect()) {
            client.send(("GET " + target + " HTTP/1.1\r\nHost: test\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            var answer = client.answer();
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).contains("not UTF-8");
        }
    }

    @Test
    void a_path_of_very_many_segments_is_refused() throws Exception {
        try (var server = TestServer.of(blocking("/a", _ -> Response.status(200)));
                var client = server.connect()) {
            client.request("GET /a" + "/b".repeat(99));
            assertThat(client.answer().status()).isEqualTo(200);
            client.request("GET /a" + "/b".repeat(100));
            var answer = client.answer();
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.text()).contains("more than 100 segments");
        }
    }

    @Test
    void the_limit_is_named_over_http2() throws Exception {
        var keystore = TestKeystore.shared();
        try (var server = TestServer.tls(
                        keystore.listener("changeit") + "\nconnection-options: {MAX_HEADERS: 8, MAX_PARAMETERS: 3}",
                        blocking("/a", _ -> Response.status(200)));
                var client =
                        HttpClient.newBuilder().sslContext(keystore.context()).build()) {
            var base = "https://localhost:" + server.listener().address().getPort() + "/a";
            var many = HttpRequest.newBuilder(URI.create(base));
            IntStream.range(0, 12).forEach(i -> many.header("X-" + i, "x"));
            var answer = client.send(many.build(), BodyHandlers.ofString());
            assertThat(answer.version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertStatus(400, answer);
            assertThat(answer.body()).contains("connection-options.MAX_HEADERS, 8");
            var query = HttpRequest.newBuilder(URI.create(base + "?a&b&c&d")).build();
            assertThat(client.send(query, BodyHandlers.ofString()).body()).contains("MAX_PARAMETERS, 3");
        }
    }

    /// As some clients send one after the content of a request (RFC 9112, 2.2).
    @Test
    void one_empty_line_before_a_request_is_ignored() throws Exception {
        try (var server = TestServer.with("", eager("/ping", _ -> Response.status(200)))) {
            try (var client = server.connect()) {
                for (var before : List.of("\r\n", "", "\r\n")) {
                    client.send(before);
                    assertThat(client.request("GET /ping").answer().status()).isEqualTo(200);
                }
            }
            try (var client = server.connect()) {
                client.send("\r\n\r\n");
                assertThat(client.request("GET /ping").answer().status()).isEqualTo(400);
            }
        }
    }

    @Test
    void an_empty_line_before_a_request_may_arrive_in_parts() throws Exception {
        try (var server = TestServer.with("core: {io-threads: 1}", eager("/ping", _ -> Response.status(200)));
                var other = server.connect()) {
            for (var rest : List.of("\nGET /ping HTTP/1.1\r\nHost: t\r\n\r\n", "\n", "")) {
                try (var client = server.connect()) {
                    client.request("GET /ping").answer();
                    client.send("\r");
                    other.request("GET /ping").answer();
                    other.request("GET /ping").answer(); // what came before the first one has been read
                    client.send(rest);
                    if (rest.length() < 2) {
                        other.request("GET /ping").answer();
                        other.request("GET /ping").answer();
                        client.request("GET /ping");
                    }
                    assertThat(client.answer().status()).isEqualTo(rest.isEmpty() ? 400 : 200);
                }
            }
        }
    }

    @Test
    void an_empty_line_may_arrive_with_the_content_before_it() throws Exception {
        try (var server = TestServer.with("", eager("/ping", _ -> Response.status(200)));
                var client = server.connect()) {
            client.send("POST /ping HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\nhi\r\n");
            assertThat(client.answer().status()).isEqualTo(200);
            assertThat(client.request("GET /ping").answer().status()).isEqualTo(200);
        }
    }

    @Test
    void what_is_no_http_is_told_so() throws Exception {
        try (var server = TestServer.of(blocking("/a", _ -> Response.status(200)));
                var client = server.connect()) {
            var answer = client.send("no request\r\n\r\n").answer();
            assertThat(answer.text()).isEqualTo("{\"msg\": \"the head of the request is not valid HTTP\"}");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void a_request_that_finds_no_room_is_observed() throws Exception {
        var eventual = new CompletableFuture<Response.Ready>();
        try (var server = TestServer.with("", 1, eager("/a", _ -> Response.later(eventual, Function.identity())));
                var first = server.connect();
                var second = server.connect()) {
            first.request("GET /a");
            await().until(() -> server.listener().inFlight() == 1);
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
            var keystore = TestKeystore.shared();
            try (var server = TestServer.tls(
                            keystore.listener("changeit") + "\nconnection-options: {ENABLE_HTTP2: " + http2 + "}",
                            blocking("/a", _ -> Response.status(200)));
                    var socket = keystore.context().getSocketFactory().createSocket()) {
                socket.connect(server.listener().address());
                socket.getOutputStream().write("no request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(socket.getInputStream().readAllBytes()).asString().endsWith("is not valid HTTP\"}");
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
                "GET /a HTTP/3.0\\r\\nHost: t\\r\\n\\r\\n | 505 | GET | /a",
                "GET /a HTTP/1.2\\r\\nHost: t\\r\\n\\r\\n | 505 | GET | /a",
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

    @Test
    void queries_with_too_many_parameters_are_refused() throws Exception {
        try (var server = TestServer.with(
                        "connection-options: {MAX_PARAMETERS: 3}", blocking("/", _ -> Response.status(200)));
                var client = server.connect()) {
            assertThat(client.request("GET /?a=1&b=2&c=3").answer().status()).isEqualTo(200);
            assertThat(client.request("GET /?a=1&b=2&c=3&d=4").answer().status())
                    .isEqualTo(400);
        }
    }

    @Test
    void malformed_percent_encoding_is_refused() throws Exception {
        try (var server = TestServer.of(blocking("/", _ -> Response.status(200)));
                var client = server.connect()) {
            assertThat(client.request("GET /?a=%zz").answer().status()).isEqualTo(400);
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void percent_encoded_bytes_that_are_not_utf8_are_refused() throws Exception {
        try (var server = TestServer.of(blocking("/", _ -> Response.status(200)));
                var client = server.connect()) {
            var inQuery = client.request("GET /?a=%ff").answer();
            assertThat(inQuery.status()).isEqualTo(400);
            assertThat(inQuery.text()).contains("\"msg\"");
            assertThat(inQuery.header("Access-Control-Allow-Origin")).isPresent();
            assertThat(client.request("GET /%ff").answer().status()).isEqualTo(400);
            assertThat(client.request("GET /ok").answer().status()).isEqualTo(200);
        }
    }
}
