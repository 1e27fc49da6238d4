package org.restheart.perftest.listen;

import java.nio.ByteBuffer;

/// The lines of an event stream: `data:` lines are events. Each event is one such line, as the gateway writes them.
final class SseText {
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
