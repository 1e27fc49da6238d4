package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.restheart.core.server.TestServer.blocking;
import static org.restheart.core.server.TestServer.eager;

import java.io.IOException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Request;
import org.restheart.http.Response;

/// Content of which a proxy and the server might disagree where it ends.
class ContentFramingTest {
    private static final String NEXT = "GET /smuggled HTTP/1.1\r\nHost: test\r\n\r\n";

    @AutoClose
    private static final TestServer SERVER =
            TestServer.of(eager("/", ContentFramingTest::echo), blocking("/blocking", ContentFramingTest::echo));

    private static Response echo(Request request) {
        return Response.status(200)
                .with("text/plain", Content.Bytes.of(request.body().bytes(), Lease.CONSTANT));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "3\nabc\r\n0\r\n\r\n",
                "3\rabc\r\n0\r\n\r\n",
                "3;a=b\nabc\r\n0\r\n\r\n",
                "3;a=\rb\r\nabc\r\n0\r\n\r\n",
                "3;a=\0b\r\nabc\r\n0\r\n\r\n",
                "3\r\nabc\n0\r\n\r\n",
                "3\r\nabc\r0\r\n\r\n",
                "3\r\nabcd\r\n0\r\n\r\n",
                "3\r\nabcXX0\r\n\r\n",
                "3\r\nabc\r\n0\n\r\n",
                "3\r\nabc\r\n0\r\n\n",
                "3\r\nabc\r\n0\r\nA: b\n\r\n",
                "3\r\nabc\r\n0\r\nA: b\r\n\n",
                "3\r\nabc\r\n0\r\nA: \rb\r\n\r\n",
                "3\r\nabc\r\n0\r\nno field\r\n\r\n",
                "3\r\nabc\r\n0\r\nA: b\r\n folded: c\r\n\r\n",
                "zz\r\nabc\r\n0\r\n\r\n",
                "\r\nabc\r\n0\r\n\r\n",
                "-3\r\nabc\r\n0\r\n\r\n",
                "0x3\r\nabc\r\n0\r\n\r\n",
                "1000000000000003\r\nabc\r\n0\r\n\r\n"
            })
    void chunks_that_break_the_rules_are_refused_and_end_the_connection(String content) throws Exception {
        for (var path : new String[] {"/", "/blocking"}) {
            for (var beginning : new String[] {"", "4000\r\n" + "x".repeat(0x4000) + "\r\n"}) { // early, and streamed
                try (var client = SERVER.connect()) {
                    client.request("POST " + path, "Transfer-Encoding: chunked").send(beginning + content + NEXT);
                    var answer = client.answer();
                    assertThat(answer.status()).isEqualTo(400);
                    assertThat(answer.header("Connection")).contains("close");
                    assertThatThrownBy(client::answer).isInstanceOf(IOException.class);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "3\r\nabc\r\n0\r\n\r\n",
                "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
                "0003\r\nabc\r\n000\r\n\r\n",
                "3;name=value\r\nabc\r\n0;last\r\n\r\n",
                "3 ; name=\"a value\"\r\nabc\r\n0\r\n\r\n",
                "3\r\nabc\r\n0\r\nA: b\r\nC:\r\n\r\n"
            })
    void chunks_that_keep_to_the_rules_are_read_however_they_are_cut(String content) throws Exception {
        for (int cut = 0; cut < content.length(); cut += 3) {
            try (var client = SERVER.connect()) {
                client.request("POST /", "Transfer-Encoding: chunked").send(content.substring(0, cut));
                client.send(content.substring(cut) + "GET / HTTP/1.1\r\nHost: test\r\n\r\n");
                assertThat(client.answer().text()).isEqualTo("abc");
                assertThat(client.answer().status()).as("the next request").isEqualTo(200);
            }
        }
    }

    @Test
    void many_chunks_of_all_sizes_are_read_whole() throws Exception {
        var content = new StringBuilder();
        var chunks = new StringBuilder();
        for (int i = 1; i < 3_000; i += 7) {
            var chunk = Integer.toString(i % 10).repeat(i);
            content.append(chunk);
            chunks.append(Integer.toHexString(i))
                    .append(";n=")
                    .append(i)
                    .append("\r\n")
                    .append(chunk)
                    .append("\r\n");
        }
        for (var path : new String[] {"/", "/blocking"}) {
            try (var client = SERVER.connect()) {
                client.request("POST " + path, "Transfer-Encoding: chunked").send(chunks + "0\r\n\r\n");
                assertThat(client.answer().text()).isEqualTo(content.toString());
                assertThat(client.request("GET /").answer().status()).isEqualTo(200);
            }
        }
    }

    @Test
    void extensions_and_trailers_are_bounded() throws Exception {
        try (var client = SERVER.connect()) {
            client.request("POST /", "Transfer-Encoding: chunked");
            client.send(("1;" + "x".repeat(1000) + "\r\na\r\n").repeat(20));
            assertThat(client.answer().status()).isEqualTo(400);
        }
        try (var client = SERVER.connect()) {
            client.request("POST /", "Transfer-Encoding: chunked");
            client.send("1\r\na\r\n0\r\n" + ("A: " + "x".repeat(1000) + "\r\n").repeat(20));
            assertThat(client.answer().status()).isEqualTo(400);
        }
    }

    /// RFC 9112, 2.2 and 5.2: other servers read other fields in these heads.
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Transfer-Encoding:\r\n chunked\r\n",
                "Transfer-Encoding:\r\n\tchunked\r\n",
                "Transfer-Encoding:\n chunked\r\n",
                "Transfer-Encoding:\r chunked\r\n",
                "Transfer-Encoding: chunked\r\n \r\n",
                "A: b\r\n Transfer-Encoding: chunked\r\n",
                "A: b\rTransfer-Encoding: chunked\r\n",
                "A: b\r\n\rTransfer-Encoding: chunked\r\n",
                "A: b\n\rTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding : chunked\r\n",
                "Content-Length:\r\n 5\r\n"
            })
    void heads_with_folded_or_broken_lines_are_refused_and_end_the_connection(String lines) throws Exception {
        var head = "POST / HTTP/1.1\r\nHost: test\r\n" + lines + "\r\n0\r\n\r\n" + NEXT;
        for (int cut = 0; cut < head.indexOf(NEXT); cut += 7) {
            try (var client = SERVER.connect()) {
                client.send("GET / HTTP/1.1\r\nHost: test\r\n\r\n" + head.substring(0, cut));
                assertThat(client.answer().status()).as("the request before").isEqualTo(200);
                client.send(head.substring(cut));
                assertThat(client.answer().status()).as("cut at %d", cut).isEqualTo(400);
                assertThatThrownBy(client::answer).isInstanceOf(IOException.class);
            }
        }
        try (var client = SERVER.connect()) {
            client.request("POST /", "Content-Length: 3").send("abc" + head); // with the content before
            assertThat(client.answer().text()).isEqualTo("abc");
            assertThat(client.answer().status()).isEqualTo(400);
            assertThatThrownBy(client::answer).isInstanceOf(IOException.class);
        }
    }

    @Test
    void content_may_contain_what_a_head_must_not() throws Exception {
        var content = "a\r\n b\r c\rd\n\te";
        var request = "POST / HTTP/1.1\r\nHost: test\r\nContent-Length: " + content.length() + "\r\n\r\n" + content;
        for (int cut = 0; cut < request.length(); cut += 5) {
            try (var client = SERVER.connect()) {
                client.send(request + request.substring(0, cut));
                client.send(request.substring(cut) + NEXT);
                assertThat(client.answer().text()).isEqualTo(content);
                assertThat(client.answer().text()).isEqualTo(content);
                assertThat(client.answer().status()).as("the next request").isEqualTo(200);
            }
        }
    }
}
