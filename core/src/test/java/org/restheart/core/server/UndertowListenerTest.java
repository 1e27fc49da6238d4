package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.restheart.core.server.TestServer.blocking;
import static org.restheart.core.server.TestServer.eager;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.bson.BsonDocument;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Response;
import org.restheart.http.access.Account;

class UndertowListenerTest {
    @Test
    void a_connection_serves_one_request_after_the_other() throws Exception {
        try (var server = TestServer.of(blocking(
                        "/", request -> Response.json(200, request.path().raw())));
                var client = server.connect()) {
            assertThat(client.request("GET /a").answer().text()).isEqualTo("/a");
            assertThat(client.request("GET /b").answer().text()).isEqualTo("/b");
        }
    }

    @Test
    void pipelined_requests_are_answered_in_order() throws Exception {
        try (var server = TestServer.of(
                        blocking(
                                "/",
                                request -> Response.json(200, request.path().raw())),
                        eager(
                                "/io",
                                request -> Response.json(200, request.path().raw())));
                var client = server.connect()) {
            var requests = new StringBuilder();
            for (int i = 0; i < 50; i++) {
                requests.append("GET ")
                        .append(i % 3 == 0 ? "/io/" : "/")
                        .append(i)
                        .append(" HTTP/1.1\r\nHost: t\r\n\r\n");
            }
            client.send(requests.toString());
            for (int i = 0; i < 50; i++) {
                assertThat(client.answer().text()).isEqualTo((i % 3 == 0 ? "/io/" : "/") + i);
            }
        }
    }

    @Test
    void a_chunked_request_content_arrives_whole() throws Exception {
        try (var server = TestServer.of(blocking(
                        "/",
                        request -> Response.status(200)
                                .with(
                                        "text/plain",
                                        Content.Bytes.of(request.body().bytes(), Lease.CONSTANT))));
                var client = server.connect()) {
            client.request("POST /", "Transfer-Encoding: chunked")
                    .send("3\r\nabc\r\n")
                    .send("4\r\ndefg\r\n0\r\n\r\n");
            assertThat(client.answer().text()).isEqualTo("abcdefg");
        }
    }

    @Test
    void an_unknown_method_is_refused_with_an_empty_405() throws Exception {
        try (var server = TestServer.of(blocking("/", _ -> Response.status(200)));
                var client = server.connect()) {
            var answer = client.request("TRACE /").answer();
            assertThat(answer.status()).isEqualTo(405);
            assertThat(answer.body()).isEmpty();
            assertThat(answer.header("Content-Length")).contains("0");
            assertThat(answer.header("Access-Control-Allow-Origin")).isEmpty();
            assertThat(answer.header("Date")).isEmpty();
            assertThat(answer.header("X-Powered-By")).isEmpty();
            assertThat(client.request("GET /").answer().status()).isEqualTo(200);
        }
    }

    @Test
    void a_path_bound_to_nothing_is_an_empty_502() throws Exception {
        try (var server = TestServer.of(blocking("/a", _ -> Response.status(200)));
                var client = server.connect()) {
            var answer = client.request("GET /ab").answer();
            assertThat(answer.status()).isEqualTo(502);
            assertThat(answer.body()).isEmpty();
        }
    }

    @Test
    void refusing_a_request_with_content_leaves_the_connection_in_step() throws Exception {
        try (var server = TestServer.of(blocking("/a", _ -> Response.status(200)));
                var client = server.connect()) {
            client.request("POST /b", "Content-Length: 5").send("GET /");
            assertThat(client.answer().status()).isEqualTo(502);
            assertThat(client.request("GET /a").answer().status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "18446744073709551630",
                "99999999999999999999999",
                "9223372036854775808",
                "+15",
                "-1",
                "0x15",
                "15,15"
            })
    void a_length_that_is_no_number_of_bytes_is_refused_and_ends_the_connection(String length) throws Exception {
        try (var server = TestServer.of(blocking("/", _ -> Response.status(200)));
                var client = server.connect()) {
            client.request("POST /", "Content-Length: " + length).send("GET / HTTP/1.1");
            var answer = client.answer();
            assertThat(answer.status()).isEqualTo(400);
            assertThat(answer.header("Connection")).contains("close");
            assertThatThrownBy(client::answer).isInstanceOf(IOException.class);
        }
    }

    @Test
    void cookies_are_counted() throws Exception {
        try (var server = TestServer.with(
                        "connection-options: {MAX_COOKIES: 3}", blocking("/", _ -> Response.status(200)));
                var client = server.connect()) {
            assertThat(client.request("GET /", "Cookie: a=1; b=2; c=3").answer().status())
                    .isEqualTo(200);
            assertThat(client.request("GET /", "Cookie: a=1; b=2; c=3; d=4")
                            .answer()
                            .status())
                    .isEqualTo(400);
            assertThat(client.request("GET /", "Cookie: a=1; b=2", "Cookie: c=3; d=4")
                            .answer()
                            .status())
                    .isEqualTo(400);
        }
    }

    @Test
    void a_request_that_needs_a_thread_starts_anew_on_one() throws Exception {
        var attempts = new AtomicInteger();
        try (var server = TestServer.of(eager("/", request -> {
                    attempts.incrementAndGet();
                    request.requireThread();
                    return Response.json(
                            200, Boolean.toString(Thread.currentThread().isVirtual()));
                }));
                var client = server.connect()) {
            assertThat(client.request("GET /").answer().text()).isEqualTo("true");
            assertThat(attempts).hasValue(2);
        }
    }

    @Test
    void a_request_that_waits_for_nothing_is_answered_by_its_io_thread() throws Exception {
        try (var server = TestServer.of(eager(
                        "/", _ -> Response.json(200, Thread.currentThread().getName())));
                var client = server.connect()) {
            assertThat(client.request("GET /").answer().text()).startsWith("http I/O");
        }
    }

    @Test
    void a_deferred_response_is_sent_when_it_arrives() throws Exception {
        var eventual = new CompletableFuture<Response.Ready>();
        try (var server = TestServer.of(eager("/", _ -> Response.later(eventual, Function.identity())));
                var client = server.connect()) {
            client.request("GET /");
            Thread.ofVirtual().start(() -> eventual.complete(Response.json(200, "late")));
            assertThat(client.answer().text()).isEqualTo("late");
        }
    }

    @Test
    void head_gets_the_head_alone() throws Exception {
        try (var server = TestServer.of(blocking("/", _ -> Response.json(200, "12345")));
                var client = server.connect()) {
            var answer = client.request("HEAD /").answerToHead();
            assertThat(answer.header("Content-Length")).contains("5");
            assertThat(client.request("GET /").answer().text()).isEqualTo("12345");
        }
    }

    @Test
    void no_content_has_no_length() throws Exception {
        try (var server = TestServer.of(
                        blocking("/", _ -> Response.status(204)), blocking("/same", _ -> Response.status(304)));
                var client = server.connect()) {
            assertThat(client.request("GET /").answer().header("Content-Length"))
                    .isEmpty();
            assertThat(client.request("GET /same").answer().header("Content-Length"))
                    .isEmpty();
        }
    }

    @Test
    void the_path_and_the_query_come_as_they_were_sent() throws Exception {
        try (var server = TestServer.of(blocking(
                        "/",
                        request -> Response.json(
                                200,
                                request.path().segments()
                                        + request.query().first("q").orElse("none"))));
                var client = server.connect()) {
            assertThat(client.request("GET /a%2Fb;x=1/c+d/%C3%A9/?q={%22a%22:1+2}")
                            .answer()
                            .text())
                    .isEqualTo("[a/b, c+d, é]{\"a\":1 2}");
            assertThat(client.request("GET /é?q=[é|]").answer().text()).isEqualTo("[é][é|]");
            assertThat(client.request("GET http://test/x").answer().text()).isEqualTo("[x]none");
        }
    }

    @Test
    void observers_get_the_account_whatever_the_outcome_of_the_request() throws Exception {
        var ada = new Account("ada", List.of(), new BsonDocument());
        try (var server = TestServer.of(blocking("/", request -> {
                    request.attribute(Account.OBSERVER).orElseThrow().accept(ada);
                    throw Problem.of(ProblemCode.FORBIDDEN).raise();
                }));
                var client = server.connect()) {
            assertThat(client.request("GET /").answer().status()).isEqualTo(403);
            await().untilAsserted(() -> assertThat(server.observations())
                    .singleElement()
                    .satisfies(observation -> {
                        assertThat(observation.account()).contains(ada);
                        assertThat(observation.status()).isEqualTo(403);
                    }));
        }
    }
}
