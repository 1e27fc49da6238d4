package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Response;

/// What a target sends before its final response, each time with the path of the request as content; and how it says
/// where that ends.
class TargetResponsesTest {
    private static final Set<String> FRAMING = Set.of("content-length", "transfer-encoding");

    private static String path(String head) {
        return head.split(" ", 3)[1];
    }

    private static String last(String head) {
        var content = path(head);
        return "HTTP/1.1 200 OK\r\nContent-Length: " + content.length() + "\r\n\r\n" + content;
    }

    /// A target that says something before each response.
    private static RawTarget before(Function<String, String> interim) {
        return new RawTarget(head -> interim.apply(head) + last(head));
    }

    private static String interim(int status, String fields) {
        return "HTTP/1.1 " + status + " Wait\r\n" + fields + "\r\n";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Link: </style.css>; rel=preload\r\nX: HTTP/1.1 200 OK\r\n",
                "Content-Length: 5\r\n",
                "Transfer-Encoding: chunked\r\n",
                "Connection: close\r\n",
                "Connection: Upgrade\r\nUpgrade: h2c\r\n",
                "Connection: Upgrade\r\nUpgrade: websocket\r\n",
            })
    void no_interim_response_is_taken_for_the_final_one(String fields) throws Exception {
        try (var target = before(head -> interim(Integer.parseInt(path(head).substring(1)), fields)
                        .repeat(2));
                var gateway = target.gateway("");
                var client = new RawClient(gateway.address())) {
            for (int status = 100; status < 200; status += status == 100 ? 2 : 1) { // but that of an upgrade
                var answer = client.request("GET /back/" + status, RawTarget.basic("ada"))
                        .answer();
                assertThat(answer.status()).as("after %s", status).isEqualTo(200);
                assertThat(answer.text()).isEqualTo("/" + status);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 103\r\n\r\n",
                "HTTP/1.1 103 \r\n\r\n",
                "HTTP/1.0 103 Wait\r\n\r\n",
                "HTTP/1.1 103 Wait\nX: y\n\n",
                "HTTP/1.1 100 Continue\r\n\r\n"
                        + "HTTP/1.1 103 Wait\r\n\r\n"
                        + "HTTP/1.1 100 Continue\r\n\r\n"
                        + "HTTP/1.1 100 Continue\r\n\r\n",
            })
    void nor_one_in_another_spelling(String interim) throws Exception {
        try (var target = before(_ -> interim);
                var gateway = target.gateway("");
                var client = new RawClient(gateway.address())) {
            for (int i = 0; i < 20; i++) {
                var answer =
                        client.request("GET /back/" + i, RawTarget.basic("ada")).answer();
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.text()).isEqualTo("/" + i);
            }
            // a request may come before the connection of the last one is free again
            assertThat(target.allConnections()).isLessThan(10);
        }
    }

    @Test
    void pipelined_requests_get_their_own_responses() throws Exception {
        try (var target = before(_ -> interim(103, "Link: </a>\r\n"));
                var gateway = target.gateway("");
                var client = new RawClient(gateway.address())) {
            for (int i = 0; i < 50; i++) {
                client.request("GET /back/" + i, RawTarget.basic("ada"));
            }
            for (int i = 0; i < 50; i++) {
                var answer = client.answer();
                assertThat(answer.status()).isEqualTo(200);
                assertThat(answer.text()).isEqualTo("/" + i);
            }
        }
    }

    @Test
    void a_head_that_comes_byte_by_byte_is_followed() throws Exception {
        try (var target = new SilentTarget();
                var gateway = target.gateway();
                var client = new RawClient(gateway.address())) {
            client.request("GET /back/x", RawTarget.basic("ada"));
            target.accept();
            for (var letter : (interim(103, "A: b\r\n") + interim(100, "") + last("GET /x HTTP/1.1")).split("")) {
                target.send(letter);
            }
            assertThat(client.answer().text()).isEqualTo("/x");
        }
    }

    @Test
    void streams_of_http_2_get_their_own_responses() throws Exception {
        int streams = 30;
        try (var target = before(_ -> interim(103, "Link: </a>\r\n") + interim(102, ""));
                var gateway = target.gateway("");
                var client = new RawHttp2(gateway.address())) {
            for (int i = 0; i < streams; i++) {
                var credentials = RawTarget.basic("ada").split(": ", 2);
                client.get(2 * i + 1, "/back/" + i, "authorization", credentials[1]);
            }
            var contents = new TreeMap<Integer, String>();
            for (int ended = 0; ended < streams; ) {
                var frame = client.frame();
                if (frame.type() == 0) {
                    contents.merge(
                            (frame.stream() - 1) / 2,
                            new String(frame.payload(), StandardCharsets.US_ASCII),
                            String::concat);
                }
                ended += frame.type() <= 1 && (frame.flags() & 1) != 0 ? 1 : 0;
            }
            assertThat(contents)
                    .hasSize(streams)
                    .allSatisfy((i, content) -> assertThat(content).isEqualTo("/" + i));
        }
    }

    @Test
    void a_client_that_waits_for_100_gets_it_once() throws Exception {
        try (var target = new SilentTarget();
                var gateway = target.gateway();
                var client = new RawClient(gateway.address())) {
            client.request("POST /back/x", RawTarget.basic("ada"), "Content-Length: 2", "Expect: 100-continue");
            target.accept();
            target.send(interim(103, "") + interim(100, "X: y\r\n") + interim(100, "") + interim(103, ""));
            assertThat(client.line()).isEqualTo("HTTP/1.1 100 Continue");
            assertThat(client.line()).isEqualTo("");
            client.send("ok");
            target.send(interim(102, "") + last("POST /x HTTP/1.1"));
            var answer = client.answer();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.text()).isEqualTo("/x");
        }
    }

    @Test
    void endless_interim_responses_end_the_request_and_free_the_connection() throws Exception {
        for (var endless :
                List.of(interim(103, ""), interim(100, ""), "HTTP/1.1 103 Wait\r\n" + "X: y\r\n".repeat(9))) {
            try (var target = new RawTarget(_ -> endless.repeat(200_000 / endless.length()));
                    var gateway = target.gateway("");
                    var client = new RawClient(gateway.address())) {
                var answer =
                        client.request("GET /back/x", RawTarget.basic("ada")).answer();
                assertThat(answer.status()).isEqualTo(503);
                await().until(() -> target.connections() == 0);
            }
        }
    }

    /// Contents that a `304` describes do not follow.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "304 Not Modified\r\nETag: a\r\nContent-Length: 1234\r\n\r\n",
                "304 Not Modified\r\nTransfer-Encoding: chunked\r\n\r\n",
                "204 No Content\r\nContent-Length: 0\r\n\r\n",
                "204 No Content\r\n\r\n",
            })
    void responses_without_content_end_with_their_heads(String response) throws Exception {
        try (var target = new RawTarget(head -> path(head).equals("/x") ? "HTTP/1.1 " + response : last(head));
                var gateway = target.gateway("");
                var client = new RawClient(gateway.address());
                var http2 = new RawHttp2(gateway.address())) {
            for (int i = 0; i < 3; i++) {
                client.request("GET /back/x", RawTarget.basic("ada"));
                client.request("GET /back/next", RawTarget.basic("ada"));
                var empty = client.answer();
                assertThat(empty.status() + "").isEqualTo(response.substring(0, 3));
                assertThat(empty.text()).isEmpty();
                assertThat(client.answer().text()).isEqualTo("/next");
            }
            http2.get(1, "/back/x", "authorization", RawTarget.basic("ada").split(": ", 2)[1]);
            for (var frame = http2.frame(); frame.stream() != 1 || (frame.flags() & 1) == 0; frame = http2.frame()) {
                assertThat(frame.type() == 0 ? frame.payload().length : 0).isZero();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 2\r\nContent-Length: 2\r\n\r\nok",
                "Transfer-Encoding: Chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
            })
    void where_a_response_ends_is_said_to_clients_once(String response) throws Exception {
        try (var target = new RawTarget(_ -> "HTTP/1.1 200 OK\r\n" + response);
                var gateway = target.gateway("");
                var client = new RawClient(gateway.address())) {
            for (int i = 0; i < 3; i++) {
                var answer =
                        client.request("GET /back/x", RawTarget.basic("ada")).answer();
                assertThat(answer.text()).isEqualTo("ok");
                assertThat(answer.headers())
                        .filteredOn(field -> FRAMING.contains(field.name().toLowerCase(Locale.ROOT)))
                        .hasSize(1);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok!",
                "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n 3\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
                "HTTP/1.1 099 OK\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
                "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n",
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
                "HTTP/1.1 200 OK\r\nX: y\r\rContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nX: y\r\n\r\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nX: y\rZ: a\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nX: y\r Z: a\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nX\rZ: a\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nX: y\r\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\rSet-Cookie: a=b\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 103 Wait\r\nX: y\rZ: a\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nX: \0y\r\nContent-Length: 2\r\n\r\nok",
                "HTTP/1.1 200 OK\r\nX : y\r\nContent-Length: 2\r\n\r\nok",
                "SSH-2.0-OpenSSH\r\n\r\n",
            })
    void what_cannot_be_understood_in_one_way_is_no_response(String response) throws Exception {
        try (var target = new RawTarget(_ -> response);
                var gateway = target.gateway("");
                var client = new RawClient(gateway.address())) {
            assertThat(client.request("GET /back/x", RawTarget.basic("ada"))
                            .answer()
                            .status())
                    .isEqualTo(503);
        }
    }

    /// What a target sends behind the end of a response answers nothing.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET 304 Not Modified\r\nContent-Length: 40\r\n\r\n",
                "GET 204 No Content\r\n\r\n",
                "GET 200 OK\r\nContent-Length: 0\r\n\r\n",
                "GET 200 OK\r\nContent-Length: 2\r\n\r\nok",
                "GET 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
                "HEAD 200 OK\r\nContent-Length: 40\r\n\r\n",
            })
    void what_follows_a_response_answers_no_other_request(String response) throws Exception {
        var parts = response.split(" ", 2);
        try (var target = new RawTarget(head -> path(head).equals("/x")
                        ? "HTTP/1.1 " + parts[1] + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
                        : last(head));
                var gateway = target.gateway(", connections-per-thread: 1")) {
            for (int i = 0; i < 30; i++) {
                try (var first = new RawClient(gateway.address());
                        var second = new RawClient(gateway.address())) {
                    first.request(parts[0] + " /back/x", RawTarget.basic("ada"));
                    var answer = second.request("GET /back/next", RawTarget.basic("bob"))
                            .answer();
                    // the connection may be closed while the request waits for it
                    assertThat(answer.status() + answer.text())
                            .matches(text -> text.equals("200/next") || text.startsWith("503"));
                }
            }
        }
    }

    /// Without `Connection: close`: the next request may be on the way when the connection ends.
    @Test
    void connections_that_a_target_closes_cost_no_request() throws Exception {
        try (var target = new RawTarget().closingEach();
                var gateway = target.gateway("");
                var client = new RawClient(gateway.address())) {
            for (int i = 0; i < 300; i++) {
                var answer =
                        client.request("GET /back/" + i, RawTarget.basic("ada")).answer();
                assertThat(answer.status()).isEqualTo(200);
            }
        }
    }

    private static RawTarget closingAtSecond() {
        return new RawTarget(head -> "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").closingAtSecond();
    }

    /// Requests of a kept connection meet its end; another connection may be used while one becomes free.
    @ParameterizedTest
    @CsvSource({"GET, 0", "HEAD, 0", "OPTIONS, 0", "DELETE, 0", "DELETE, 3", "PUT, 0", "PUT, 3", "PUT, 16384"})
    void a_request_that_may_be_repeated_is_sent_over_another_connection(String method, int length) throws Exception {
        var content = "x".repeat(length);
        try (var target = closingAtSecond();
                var gateway = target.gateway("");
                var client = new RawClient(gateway.address());
                var http2 = new RawHttp2(gateway.address())) {
            int repeated = 0;
            for (int i = 0; i < 20; i++) {
                if (i % 2 == 0) {
                    client.request(method + " /back/x", RawTarget.basic("ada"), "Content-Length: " + length)
                            .send(content);
                    assertThat(client.answerToHead().status()).isEqualTo(200);
                } else {
                    http2.begin(
                            i,
                            method,
                            "/back/x",
                            length,
                            "authorization",
                            RawTarget.basic("ada").split(": ", 2)[1]);
                    http2.content(i, content, true);
                    var head = http2.awaitEnd(i);
                    assertThat(head.payload()[0] & 0xff).isEqualTo(RawHttp2.OK);
                }
                var received = target.next();
                for (; target.hasRequests(); received = target.next()) { // several connections may be kept
                    repeated++;
                    assertThat(received).startsWith(method).endsWith("\r\n\r\n");
                }
                assertThat(received).startsWith(method).endsWith("\r\n\r\n" + content);
            }
            assertThat(repeated).isPositive();
        }
    }

    @ParameterizedTest
    @CsvSource({"POST, 0", "POST, 3", "PATCH, 3", "PUT, 100000"})
    void no_other_request_is(String method, int length) throws Exception {
        try (var target = closingAtSecond();
                var gateway = target.gateway("")) {
            int failed = 0;
            for (int i = 0; i < 10; i++) {
                try (var client = new RawClient(gateway.address())) {
                    client.request(method + " /back/x", RawTarget.basic("ada"), "Content-Length: " + length)
                            .send("x".repeat(length));
                    int status = client.answer().status();
                    assertThat(status).isIn(200, 503);
                    failed += status == 503 ? 1 : 0;
                }
                assertThat(target.next()).startsWith(method);
                assertThat(target.hasRequests()).isFalse();
            }
            assertThat(failed).isPositive();
        }
    }

    @Test
    void a_connection_that_its_target_has_closed_is_not_used() throws Exception {
        try (var target = new RawTarget().closingEach();
                var gateway = target.gateway("");
                var client = new RawClient(gateway.address())) {
            for (int i = 0; i < 200; i++) {
                client.request("POST /back/" + i, RawTarget.basic("ada"), "Content-Length: 2")
                        .send("ab");
                assertThat(client.answer().status()).isEqualTo(200);
                await().until(() -> target.connections() == 0);
            }
        }
    }

    @Test
    void a_target_with_a_certificate_that_nobody_vouches_for_is_none() throws Exception {
        try (var target = TestServer.tls(
                        TestKeystore.shared().listener("changeit"),
                        TestServer.blocking("/", _ -> Response.status(200)));
                var gateway = RawTarget.gateway(
                        "https://localhost:" + target.listener().address().getPort(), "");
                var client = new RawClient(gateway.address())) {
            assertThat(client.request("GET /back/x", RawTarget.basic("ada"))
                            .answer()
                            .status())
                    .isEqualTo(503);
        }
    }

    @Test
    void a_query_is_forwarded_with_characters_that_it_should_encode() throws Exception {
        try (var target = new RawTarget(TargetResponsesTest::last);
                var gateway = target.gateway("")) {
            for (var query : List.of("a={\"b\":[1]}", "a=|^`\\", "a=<b>", "a=%zz", "a=%", "a=b#c")) {
                try (var client = new RawClient(gateway.address())) { // it is closed after a target that is none
                    var answer = client.request("GET /back/x?" + query, RawTarget.basic("ada"))
                            .answer();
                    int expected = query.contains("%") ? 400 : 200;
                    assertThat(answer.status()).as(query).isEqualTo(expected);
                }
            }
        }
    }
}
