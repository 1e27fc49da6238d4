package org.restheart.perftest.listen;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/// A WebSocket (RFC 6455) that listens: text messages are events, pings are answered.
final class WebSocketWire implements Wire {
    private static final int TEXT = 0x81;
    private static final int CLOSE = 0x88;
    private static final int PING = 0x89;
    private static final int PONG = 0x8a;
    private static final int LARGEST = 16 * 1024 * 1024;

    private final Deliveries.Subscriber subscriber = new Deliveries.Subscriber();
    private final Deliveries deliveries;
    private final Target target;
    private boolean open;

    WebSocketWire(Target target, Deliveries deliveries) {
        this.target = target;
        this.deliveries = deliveries;
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
        var head = target.requestHead() + "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        return ByteBuffer.wrap(head.getBytes(StandardCharsets.ISO_8859_1));
    }

    @Override
    public ByteBuffer receive(ByteBuffer in) throws IOException {
        if (!open) {
            var head = HttpHead.read(in);
            if (head.isEmpty()) {
                return NOTHING;
            }
            if (head.get().status() != 101) {
                throw new IOException("HTTP " + head.get().status());
            }
            open = true;
        }
        return messages(in);
    }

    /// Consumes all complete messages.
    private ByteBuffer messages(ByteBuffer in) throws IOException {
        var reply = NOTHING;
        while (in.remaining() >= 2) {
            var start = in.position();
            var length = payloadLength(in, start);
            var from = start + headerLength(in, start);
            if (length < 0 || in.limit() - from < length) {
                return reply;
            }
            if (frame(in.get(start) & 0xff, in, from, (int) (from + length))) {
                reply = pong(in, from, (int) length);
            }
            in.position((int) (from + length));
        }
        return reply;
    }

    /// @return whether a pong is due
    private boolean frame(int head, ByteBuffer in, int from, int to) throws IOException {
        switch (head) {
            case TEXT -> deliveries.event(subscriber, in, from, to);
            case PING -> {
                return true;
            }
            case PONG -> {}
            case CLOSE -> throw new IOException("closed by the server with code " + closeCode(in, from, to));
            default -> throw new IOException("unexpected frame 0x" + Integer.toHexString(head));
        }
        return false;
    }

    private static int closeCode(ByteBuffer in, int from, int to) {
        return to - from < 2 ? 1005 : in.getShort(from) & 0xffff;
    }

    private static int headerLength(ByteBuffer in, int start) {
        return switch (in.get(start + 1) & 0x7f) {
            case 126 -> 4;
            case 127 -> 10;
            default -> 2;
        };
    }

    /// -1 while the header is incomplete.
    private static long payloadLength(ByteBuffer in, int start) throws IOException {
        var shortest = in.get(start + 1) & 0xff;
        if (shortest > 127) {
            throw new IOException("masked frame from a server");
        }
        if (in.limit() - start < headerLength(in, start)) {
            return -1;
        }
        var length = switch (shortest) {
            case 126 -> in.getShort(start + 2) & 0xffff;
            case 127 -> in.getLong(start + 2);
            default -> shortest;
        };
        if (length < 0 || length > LARGEST) {
            throw new IOException("frame of " + length + " bytes");
        }
        return length;
    }

    /// Masked with zeros, which leaves the payload as it is.
    private static ByteBuffer pong(ByteBuffer in, int from, int length) {
        var pong = ByteBuffer.allocate(6 + length)
                .put((byte) PONG)
                .put((byte) (0x80 | length))
                .putInt(0);
        return pong.put(in.slice(from, length)).flip();
    }

    /// The head of an HTTP/1.1 response, of which only the status counts.
    private record HttpHead(int status) {
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
            return new HttpHead(Integer.parseInt(text.substring(9, 12)));
        }
    }
}
