package org.restheart.perftest.listen;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Server-Sent Events over HTTP/1.1, chunked or until the connection ends.
final class SseWire implements Wire {
    private static final int LARGEST_CHUNK = 16 * 1024 * 1024;

    private final Target target;
    private final SseText text;
    private boolean open;
    private boolean chunked;

    SseWire(Target target, Deliveries deliveries) {
        this.target = target;
        this.text = new SseText(deliveries);
    }

    @Override
    public int accepted() {
        return open ? 1 : 0;
    }

    @Override
    public boolean settled() {
        return open;
    }

    @Override
    public ByteBuffer opening() {
        var head = target.requestHead() + "Accept: text/event-stream\r\n\r\n";
        return ByteBuffer.wrap(head.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public ByteBuffer receive(ByteBuffer in) throws IOException {
        if (!open) {
            var head = HttpHead.read(in);
            if (head.isEmpty()) {
                return NOTHING;
            }
            if (head.get().status() != 200) {
                throw new IOException("HTTP " + head.get().status());
            }
            open = true;
            chunked = head.get().isChunked();
        }
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
