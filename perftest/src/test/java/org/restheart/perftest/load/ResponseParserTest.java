package org.restheart.perftest.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ProtocolException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResponseParserTest {
    private static final String STREAM = """
            HTTP/1.1 200 OK
            content-LENGTH: 5
            Content-Type: application/json

            12345HTTP/1.1 204 No Content
            ETag: x

            HTTP/1.1 100 Continue

            HTTP/1.1 201 Created
            Location: /db/coll/1
            Content-Length:0

            HTTP/1.1 304 Not Modified
            Content-Length: 400

            HTTP/1.1 503 Service Unavailable
            Connection: close
            Transfer-Encoding: chunked

            5;name=value
            hello
            1A
            abcdefghijklmnopqrstuvwxyz
            0
            Trailer: x

            HTTP/1.1 200 OK
            Content-Length: 12
            Connection: keep-alive

            0

            HTTP/1.""".replace("\n", "\r\n");

    @Test
    void every_response_is_found_in_one_piece() throws Exception {
        assertThat(statuses(STREAM, List.of(STREAM.length()))).containsExactly(200, 204, 201, 304, 503, 200);
    }

    @Test
    void every_response_is_found_when_bytes_arrive_one_by_one() throws Exception {
        assertThat(statuses(STREAM, List.of(1))).containsExactly(200, 204, 201, 304, 503, 200);
    }

    @Test
    void every_response_is_found_whatever_the_pieces() throws Exception {
        var random = new SplittableRandom(7);
        for (var round = 0; round < 500; round++) {
            var pieces = random.ints(20, 1, 60).boxed().toList();
            assertThat(statuses(STREAM, pieces)).as("pieces %s", pieces).containsExactly(200, 204, 201, 304, 503, 200);
        }
    }

    @Test
    void an_announced_close_is_noticed() throws Exception {
        var parser = new ResponseParser();
        assertThat(parser.advance(bytes("HTTP/1.1 200 OK\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n")))
                .isTrue();
        assertThat(parser.closing()).isTrue();
        assertThat(parser.advance(bytes("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")))
                .isTrue();
        assertThat(parser.closing()).isFalse();
    }

    @Test
    void bytes_after_a_response_are_left_for_the_next() throws Exception {
        var in = bytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]HTTP/1.1 4");
        assertThat(new ResponseParser().advance(in)).isTrue();
        assertThat(in.remaining()).isEqualTo("HTTP/1.1 4".length());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SSH-2.0-OpenSSH\r\n",
                "HTTP/1.1 999 What\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\r\nuntil the end",
                "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 9999999999999\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"
            })
    void what_has_no_end_is_refused(String response) {
        assertThatThrownBy(() -> new ResponseParser().advance(bytes(response))).isInstanceOf(ProtocolException.class);
    }

    @Test
    void an_endless_header_is_refused() {
        var endless = "HTTP/1.1 200 OK\r\n" + "a: b\r\n".repeat(300);
        assertThatThrownBy(() -> new ResponseParser().advance(bytes(endless))).isInstanceOf(ProtocolException.class);
        assertThatThrownBy(() -> new ResponseParser().advance(bytes("HTTP/1.1 200 " + "x".repeat(40_000))))
                .isInstanceOf(ProtocolException.class);
    }

    /// @param pieces lengths of the pieces in which the stream arrives, used in turn
    private static List<Integer> statuses(String stream, List<Integer> pieces) throws ProtocolException {
        var all = stream.getBytes(ISO_8859_1);
        var parser = new ResponseParser();
        var statuses = new ArrayList<Integer>();
        for (int at = 0, i = 0; at < all.length; i++) {
            var length = Math.min(pieces.get(i % pieces.size()), all.length - at);
            var in = ByteBuffer.wrap(all, at, length);
            while (in.hasRemaining()) {
                if (parser.advance(in)) {
                    statuses.add(parser.status());
                }
            }
            at += length;
        }
        return statuses;
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(ISO_8859_1));
    }
}
