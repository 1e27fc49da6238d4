package org.restheart.perftest.listen;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;

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

    /// The head of an HTTP/1.1 response: status line and header fields, as received. Immutable.
    record HttpHead(int status, String lowerCaseText) {
        private static final int MAX_LENGTH = 16 * 1024;

        /// Consumes the head from the buffer if it is complete.
        static Optional<HttpHead> read(ByteBuffer in) throws IOException {
            for (var i = in.position() + 3; i < in.limit(); i++) {
                if (in.get(i) == '\n' && in.get(i - 1) == '\r' && in.get(i - 2) == '\n' && in.get(i - 3) == '\r') {
                    var bytes = new byte[i + 1 - in.position()];
                    in.get(bytes);
                    return Optional.of(parse(new String(bytes, StandardCharsets.ISO_8859_1)));
                }
            }
            if (in.remaining() > MAX_LENGTH) {
                throw new IOException("endless response head");
            }
            return Optional.empty();
        }

        private static HttpHead parse(String text) throws IOException {
            if (!text.startsWith("HTTP/1.1 ") || text.length() < 12) {
                throw new IOException("not an HTTP response");
            }
            return new HttpHead(Integer.parseInt(text.substring(9, 12)), text.toLowerCase(Locale.ROOT));
        }

        boolean isChunked() {
            return lowerCaseText.contains("\r\ntransfer-encoding: chunked\r\n");
        }
    }
}
