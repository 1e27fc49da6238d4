package org.restheart.perftest.listen;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Server-Sent Events over HTTP/2 with prior knowledge (RFC 9113), many streams on one connection.
///
/// Windows are opened as far as the protocol allows and topped up, so that flow control never holds an event back.
final class Http2Wire implements Wire {
    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int RST_STREAM = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int GOAWAY = 7;
    private static final int WINDOW_UPDATE = 8;
    private static final int ACK = 1;
    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;
    private static final int PADDED = 8;
    private static final int PRIORITY = 32;
    private static final int FRAME_HEADER = 9;
    private static final int STATUS_200 = 0x88;
    private static final int LARGEST_WINDOW = Integer.MAX_VALUE;
    private static final int TOP_UP = 1 << 28;
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final Target target;
    private final SseText[] streams;
    private final Deliveries deliveries;
    private int accepted;
    private int refused;
    private int consumed;

    Http2Wire(Target target, int streams, Deliveries deliveries) {
        this.target = target;
        this.deliveries = deliveries;
        this.streams = new SseText[streams];
        for (var i = 0; i < streams; i++) {
            this.streams[i] = new SseText(deliveries);
        }
    }

    @Override
    public int accepted() {
        return accepted;
    }

    @Override
    public boolean settled() {
        return accepted + refused >= streams.length;
    }

    @Override
    public ByteBuffer opening() {
        var fields = fields();
        var out = ByteBuffer.allocate(PREFACE.length + 64 + streams.length * (FRAME_HEADER + fields.length));
        out.put(PREFACE);
        frame(out, 12, SETTINGS, 0, 0);
        out.putShort((short) 2).putInt(0); // no push
        out.putShort((short) 4).putInt(LARGEST_WINDOW); // of each stream
        frame(out, 4, WINDOW_UPDATE, 0, 0);
        out.putInt(LARGEST_WINDOW - 65_535);
        for (var i = 0; i < streams.length; i++) {
            frame(out, fields.length, HEADERS, END_STREAM | END_HEADERS, 2 * i + 1);
            out.put(fields);
        }
        return out.flip();
    }

    /// The request's fields in HPACK (RFC 7541): from the static table, or literal and never indexed.
    private byte[] fields() {
        var out = ByteBuffer.allocate(4096);
        out.put((byte) 0x82).put((byte) 0x86); // :method GET, :scheme http
        literal(out, 4, target.path());
        literal(out, 1, target.host() + ":" + target.port());
        literal(out, 19, "text/event-stream");
        literal(out, 23, target.authorization());
        var bytes = new byte[out.position()];
        out.get(0, bytes);
        return bytes;
    }

    private static void literal(ByteBuffer out, int staticName, String value) {
        integer(out, 0x10, 15, staticName);
        var bytes = value.getBytes(StandardCharsets.ISO_8859_1);
        integer(out, 0, 127, bytes.length);
        out.put(bytes);
    }

    private static void integer(ByteBuffer out, int pattern, int max, int value) {
        if (value < max) {
            out.put((byte) (pattern | value));
            return;
        }
        out.put((byte) (pattern | max));
        var rest = value - max;
        for (; rest >= 128; rest >>>= 7) {
            out.put((byte) ((rest & 127) | 128));
        }
        out.put((byte) rest);
    }

    @Override
    public ByteBuffer receive(ByteBuffer in) throws IOException {
        var reply = ByteBuffer.allocate(256);
        while (in.remaining() >= FRAME_HEADER && reply.remaining() >= 32) {
            var start = in.position();
            var length = ((in.getShort(start) & 0xffff) << 8) | (in.get(start + 2) & 0xff);
            if (in.remaining() < FRAME_HEADER + length) {
                break;
            }
            var body = in.slice(start + FRAME_HEADER, length);
            frame(in.get(start + 3), in.get(start + 4), in.getInt(start + 5), body, reply);
            in.position(start + FRAME_HEADER + length);
        }
        return reply.flip();
    }

    private void frame(int type, int flags, int stream, ByteBuffer body, ByteBuffer reply) throws IOException {
        switch (type) {
            case DATA -> data(flags, stream, body, reply);
            case HEADERS -> headers(flags, body);
            case SETTINGS -> {
                if ((flags & ACK) == 0) {
                    frame(reply, 0, SETTINGS, ACK, 0);
                }
            }
            case PING -> {
                if ((flags & ACK) == 0) {
                    frame(reply, 8, PING, ACK, 0);
                    reply.put(body);
                }
            }
            case RST_STREAM -> {
                refused++;
                deliveries.trouble("stream reset with error " + body.getInt(0));
            }
            case GOAWAY -> throw new IOException("the server says goodbye with error " + body.getInt(4));
            default -> {
                // priorities, windows of what is not sent, and whatever else needs no answer
            }
        }
    }

    private void data(int flags, int stream, ByteBuffer body, ByteBuffer reply) {
        consumed += body.remaining();
        if (consumed > TOP_UP) {
            frame(reply, 4, WINDOW_UPDATE, 0, 0);
            reply.putInt(consumed);
            consumed = 0;
        }
        if ((flags & PADDED) != 0) {
            var padding = body.get() & 0xff;
            body.limit(body.limit() - padding);
        }
        streams[stream / 2].receive(body);
        if ((flags & END_STREAM) != 0) {
            deliveries.trouble("stream ended by the server");
        }
    }

    /// The status comes first and 200 is in the static table; a dynamic table size update may stand before it.
    private void headers(int flags, ByteBuffer fields) {
        var before = ((flags & PADDED) != 0 ? 1 : 0) + ((flags & PRIORITY) != 0 ? 5 : 0);
        fields.position(before);
        var first = fields.get() & 0xff;
        while ((first & 0xe0) == 0x20 && fields.hasRemaining()) {
            first = fields.get() & 0xff;
        }
        if (first == STATUS_200) {
            accepted++;
        } else {
            refused++;
            deliveries.trouble("stream not accepted");
        }
    }

    private static void frame(ByteBuffer out, int length, int type, int flags, int stream) {
        out.put((byte) (length >>> 16)).putShort((short) length);
        out.put((byte) type).put((byte) flags).putInt(stream);
    }
}
