package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.restheart.http.Response;

/// A stop as clients of HTTP/2 see it (RFC 9113, 6.8).
class GoAwayTest {
    private final TestServer server = TestServer.of(TestServer.eager("/", _ -> Response.json(200, "{}")));

    private static void assertSentAway(RawHttp2.Frame frame) {
        assertSentAway(frame, Integer.MAX_VALUE);
    }

    private static void assertSentAway(RawHttp2.Frame frame, int lastServed) {
        assertThat(frame.type()).isEqualTo(RawHttp2.GO_AWAY);
        assertThat(frame.stream()).isZero();
        assertThat(ByteBuffer.wrap(frame.payload()).getInt()).isEqualTo(lastServed);
        assertThat(ByteBuffer.wrap(frame.payload()).getInt(4)).as("error").isZero();
    }

    private static void assertServed(RawHttp2 client, int stream) throws Exception {
        client.get(stream, "/");
        var head = client.frame();
        assertThat(head.type()).isEqualTo(RawHttp2.HEADERS);
        assertThat(head.stream()).isEqualTo(stream);
        assertThat(head.payload()[0] & 0xff).isEqualTo(RawHttp2.OK);
        for (var frame = head; !frame.endsStream(); ) {
            frame = client.frame();
            assertThat(frame.type()).isEqualTo(RawHttp2.DATA);
        }
    }

    @Test
    void clients_are_sent_away_and_what_they_still_send_is_served() throws Exception {
        try (server;
                var early = new RawHttp2(server.listener().address())) {
            assertServed(early, 1);
            server.listener().announceStop(Duration.ZERO);
            assertSentAway(early.frame());
            assertServed(early, 3);
            assertServed(early, 5);
            try (var late = new RawHttp2(server.listener().address())) {
                late.get(1, "/");
                boolean sentAway = false;
                boolean served = false;
                while (!sentAway || !served) { // in any order
                    var frame = late.frame();
                    if (frame.type() == RawHttp2.GO_AWAY) {
                        assertSentAway(frame);
                        sentAway = true;
                    } else if (frame.type() == RawHttp2.HEADERS) {
                        assertThat(frame.payload()[0] & 0xff).isEqualTo(RawHttp2.OK);
                    }
                    served = served || (frame.stream() == 1 && frame.endsStream());
                }
            }
        }
    }

    /// What a client sends at that moment it may send again to another server.
    @Test
    void the_last_request_that_was_served_is_named_before_the_end() throws Exception {
        try (server;
                var idle = new RawHttp2(server.listener().address());
                var busy = new RawHttp2(server.listener().address())) {
            assertServed(idle, 1);
            assertServed(busy, 1);
            assertServed(busy, 3);
            server.listener().stop(Duration.ofSeconds(10));
            assertSentAway(idle.frame(), 1);
            assertThat(idle.isClosedByServer()).isTrue();
            assertSentAway(busy.frame(), 3);
            assertThat(busy.isClosedByServer()).isTrue();
        }
    }
}
