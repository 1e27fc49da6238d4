package org.restheart.testkit.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

final class WireClientTest {
    @Test
    void a_request_goes_out_as_it_was_written() throws Exception {
        var request = WireRequest.of("FETCH /a b/../%zz?q={\"é\":1}#x")
                .with("X-Odd", "\tvalue ")
                .withBody("body");

        var sent = exchange(request, "HTTP/1.1 204 No Content\r\n\r\n").request();

        assertThat(sent)
                .startsWith("FETCH /a b/../%zz?q={\"é\":1}#x HTTP/1.1\r\n")
                .contains("\r\nX-Odd: \tvalue \r\n", "\r\nConnection: close\r\n", "\r\nContent-Length: 4\r\n")
                .endsWith("\r\n\r\nbody");
    }

    @Test
    void headers_that_are_given_are_not_added_again() throws Exception {
        var sent = exchange(WireRequest.of("GET /").with("host", "other"), "HTTP/1.1 204 No Content\r\n\r\n")
                .request();

        assertThat(sent).contains("\r\nhost: other\r\n").doesNotContain("127.0.0.1");
    }

    @Test
    void a_body_of_known_length_is_read() throws Exception {
        var response = exchange(get(), "HTTP/1.1 200 OK\r\nETag: \"1\"\r\nContent-Length: 3\r\n\r\nabcd")
                .response();

        assertThat(response.status()).isEqualTo(200);
        assertThat(response.header("etag")).contains("\"1\"");
        assertThat(response.text()).isEqualTo("abc");
    }

    @Test
    void a_chunked_body_is_joined() throws Exception {
        var response = exchange(
                        get(),
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\n\r\n")
                .response();

        assertThat(response.text()).isEqualTo("abcde");
    }

    @Test
    void a_body_of_unknown_length_ends_with_the_connection() throws Exception {
        assertThat(exchange(get(), "HTTP/1.1 200 OK\r\n\r\nabc").response().text())
                .isEqualTo("abc");
    }

    @Test
    void an_answer_to_head_has_no_body_whatever_its_length_says() throws Exception {
        var response = exchange(WireRequest.of("HEAD /"), "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n")
                .response();

        assertThat(response.body()).isEmpty();
    }

    @Test
    void interim_responses_are_skipped() throws Exception {
        var response = exchange(get(), "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n")
                .response();

        assertThat(response.status()).isEqualTo(201);
    }

    @Test
    void a_truncated_body_is_an_error() {
        assertThatThrownBy(() -> exchange(get(), "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("3 of 4");
    }

    @Test
    void values_of_one_header_are_joined() throws Exception {
        var response = exchange(get(), "HTTP/1.1 204 No Content\r\nA: 1\r\nB: 2\r\na: 3\r\n\r\n")
                .response();

        assertThat(response.header("A")).contains("1, 3");
    }

    private record Exchange(String request, WireResponse response) {}

    private static WireRequest get() {
        return WireRequest.of("GET /");
    }

    /// A server for one connection, which answers without looking at the request.
    private static Exchange exchange(WireRequest request, String answer) throws IOException, InterruptedException {
        try (var server = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Callable<String> serve = () -> {
                try (var connection = server.accept()) {
                    connection.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
                    connection.shutdownOutput();
                    return new String(connection.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
                }
            };
            var served = threads.submit(serve);
            var response = new WireClient(server.getLocalPort()).send(request);
            return new Exchange(served.get(), response);
        } catch (ExecutionException e) {
            throw new IOException(e);
        }
    }
}
