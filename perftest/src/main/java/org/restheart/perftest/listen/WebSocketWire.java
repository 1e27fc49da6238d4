package org.restheart.perftest.listen;

import java.io.IOException;
import java.nio.ByteBuffer;

/// A WebSocket (RFC 6455) that listens: text messages are events, pings are answered.
final class WebSocketWire extends Http1Wire {
    private static final int TEXT = 0x81;
    private static final int CLOSE = 0x88;
    private static final int PING = 0x89;
    private static final int PONG = 0x8a;
    private static final int LARGEST = 16 * 1024 * 1024;

    private final Deliveries.Subscriber subscriber = new Deliveries.Subscriber();
    private final Deliveries deliveries;

    WebSocketWire(Target target, Deliveries deliveries) {
        super(
                target,
                String.join(
                        "\r\n",
                        "Upgrade: websocket",
                        "Connection: Upgrade",
                        "Sec-WebSocket-Version: 13",
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                        ""),
                101);
        this.deliveries = deliveries;
    }

    @Override
    ByteBuffer messages(ByteBuffer in) throws IOException {
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
}
