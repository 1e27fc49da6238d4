package org.restheart.perftest.listen;

import java.io.IOException;
import java.nio.ByteBuffer;

/// Server-Sent Events over HTTP/1.1, chunked or until the connection ends.
final class SseWire extends Http1Wire {
    private static final int LARGEST_CHUNK = 16 * 1024 * 1024;

    private final SseText text;
    private boolean chunked;

    SseWire(Target target, Deliveries deliveries) {
        super(target, "Accept: text/event-stream\r\n", 200);
        this.text = new SseText(deliveries);
    }

    @Override
    void accept(HttpHead head) {
        chunked = head.isChunked();
    }

    @Override
    ByteBuffer messages(ByteBuffer in) throws IOException {
        if (chunked) {
            while (chunk(in)) {
                // as many as are complete
            }
        } else {
            text.receive(in);
        }
        return NOTHING;
    }

    /// @return whether a chunk was consumed
    private boolean chunk(ByteBuffer in) throws IOException {
        var size = 0;
        var at = in.position();
        for (; at < in.limit() && in.get(at) != '\r'; at++) {
            var digit = Character.digit(in.get(at), 16);
            if (digit < 0 || size > LARGEST_CHUNK) {
                throw new IOException("not a chunk size");
            }
            size = size * 16 + digit;
        }
        var from = at + 2;
        if (from + size + 2 > in.limit()) {
            return false;
        }
        if (size == 0) {
            throw new IOException("the server has ended the stream");
        }
        text.receive(in.slice(from, size));
        in.position(from + size + 2);
        return true;
    }

    /// The lines of an event stream: `data:` lines are events. Each event is one such line, as the gateway writes them.
    static final class SseText {
        private final Deliveries.Subscriber subscriber = new Deliveries.Subscriber();
        private final Deliveries deliveries;
        /// A line whose end has not arrived; kept only between two pieces of content.
        private byte[] incomplete = {};

        SseText(Deliveries deliveries) {
            this.deliveries = deliveries;
        }

        /// Consumes the piece from its position to its limit.
        void receive(ByteBuffer piece) {
            if (incomplete.length > 0) {
                var whole = ByteBuffer.allocate(incomplete.length + piece.remaining());
                whole.put(incomplete).put(piece).flip();
                incomplete = new byte[0];
                lines(whole);
            } else {
                lines(piece);
            }
        }

        private void lines(ByteBuffer text) {
            var from = text.position();
            for (var i = from; i < text.limit(); i++) {
                if (text.get(i) == '\n') {
                    line(text, from, i);
                    from = i + 1;
                }
            }
            text.position(from);
            if (text.hasRemaining()) {
                incomplete = new byte[text.remaining()];
                text.get(incomplete);
            }
        }

        private void line(ByteBuffer text, int from, int to) {
            if (to - from > 5 && text.get(from) == 'd' && text.get(from + 4) == ':') {
                deliveries.event(subscriber, text, from + 5, to);
            }
        }
    }
}
