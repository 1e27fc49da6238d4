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
}
