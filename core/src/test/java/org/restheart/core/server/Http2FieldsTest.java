package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.server.TestServer.eager;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Response;

/// Header fields of HTTP/2 that would end a line where they are copied to HTTP/1.1 (RFC 9113, 8.2.1).
class Http2FieldsTest {
    private final AtomicInteger handled = new AtomicInteger();

    private TestServer server() {
        return TestServer.of(eager("/", _ -> {
            handled.incrementAndGet();
            return Response.status(200);
        }));
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\r\nx: y", "a\rb", "a\nb", "a\0b"})
    void values_with_line_ends_are_refused(String value) throws Exception {
        try (var server = server();
                var client = new RawHttp2(server.listener().address())) {
            client.get(1, "/", "x-test", value);
            assertRefused(client);
            assertThat(handled).hasValue(0);
        }
    }

    /// As bytes that a target of a proxy would take for the end of the request line, or of the field.
    @ParameterizedTest
    @ValueSource(strings = {" ", "\r", "\n", "\0", "\r\nx-injected: y", " HTTP/1.1\r\nx-injected: y\r\n\r\n", "\u007f"})
    void pseudo_headers_with_blanks_or_line_ends_are_refused(String bytes) throws Exception {
        try (var server = server()) {
            var requests = List.of(
                    List.of("GET", "http", "/a" + bytes, "test"),
                    List.of("GET", "http", "/a?b=" + bytes + "c", "test"),
                    List.of("GET" + bytes, "http", "/", "test"),
                    List.of("GET", "http" + bytes, "/", "test"),
                    List.of("GET", "http", "/", "test" + bytes));
            for (var request : requests) {
                try (var client = new RawHttp2(server.listener().address())) {
                    client.request(1, request.get(0), request.get(1), request.get(2), request.get(3));
                    assertRefused(client);
                }
            }
            assertThat(handled).hasValue(0);
        }
    }

    /// A target may read the host in another way than this server does.
    @ParameterizedTest
    @ValueSource(strings = {"a/b", "a?b", "a#b", "user@a", "a\\b", "a\"b", "a\u00e9"})
    void hosts_with_characters_of_other_parts_are_refused(String host) throws Exception {
        try (var server = server();
                var client = new RawHttp2(server.listener().address())) {
            client.request(1, "GET", "http", "/", host);
            assertRefused(client);
            assertThat(handled).hasValue(0);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.example:8080", "[::1]:8080", "127.0.0.1", "a_b-c.example"})
    void other_hosts_are_taken(String host) throws Exception {
        try (var server = server();
                var client = new RawHttp2(server.listener().address())) {
            client.request(1, "GET", "http", "/", host);
            assertThat(client.frame().payload()[0] & 0xff).isEqualTo(RawHttp2.OK);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"x test", "x\r\ny", "x\ny", "x\0", "x:y", "x-test ", "X-Upper"})
    void names_that_are_no_tokens_are_refused(String name) throws Exception {
        try (var server = server();
                var client = new RawHttp2(server.listener().address())) {
            client.get(1, "/", name, "a");
            assertRefused(client);
            assertThat(handled).hasValue(0);
        }
    }

    private static void assertRefused(RawHttp2 client) throws IOException {
        var answer = client.frame();
        if (answer.type() == RawHttp2.HEADERS) {
            assertThat(answer.payload()[0] & 0xff).isEqualTo(RawHttp2.BAD_REQUEST);
        } else {
            assertThat(answer.type()).isIn(RawHttp2.RESET, RawHttp2.GO_AWAY);
        }
    }

    @Test
    void other_values_are_taken() throws Exception {
        try (var server = server();
                var client = new RawHttp2(server.listener().address())) {
            client.get(1, "/", "x-test", "a\tb \u00e9");
            assertThat(client.frame().payload()[0] & 0xff).isEqualTo(RawHttp2.OK);
            assertThat(handled).hasValue(1);
        }
    }
}
