package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.restheart.core.server.TestServer.eager;

import java.io.IOException;
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
