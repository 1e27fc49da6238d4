package org.restheart.perftest.listen;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// One listener on an HTTP/1.1 connection: sends the request, reads the head of the response, then the messages.
abstract sealed class Http1Wire implements Wire permits SseWire, WebSocketWire {
    private final Target target;
    private final String fields;
    private final int status;
    private boolean open;

    /// @param fields further request fields, each with its line end
    /// @param status of a response that accepts the listener
    Http1Wire(Target target, String fields, int status) {
        this.target = target;
        this.fields = fields;
        this.status = status;
    }

    @Override
    public final int accepted() {
        return open ? 1 : 0;
    }

    @Override
    public final boolean settled() {
        return open;
    }

    @Override
    public final ByteBuffer opening() {
        var head = target.requestHead() + fields + "\r\n";
        return ByteBuffer.wrap(head.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public final ByteBuffer receive(ByteBuffer in) throws IOException {
        if (!open) {
            var head = HttpHead.read(in);
            if (head.isEmpty()) {
                return NOTHING;
            }
            if (head.get().status() != status) {
                throw new IOException("HTTP " + head.get().status());
            }
            open = true;
            accept(head.get());
        }
        return messages(in);
    }

    /// Called once, with the head of the response.
    void accept(HttpHead head) {}

    /// Consumes all complete messages, as [#receive] does.
    abstract ByteBuffer messages(ByteBuffer in) throws IOException;
}
