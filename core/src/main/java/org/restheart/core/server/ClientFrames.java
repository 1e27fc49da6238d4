package org.restheart.core.server;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Reads the frames of a WebSocket client (RFC 6455, 5) piece by piece. Data is discarded, whatever its size;
/// control frames are passed on. Keeps at most 125 bytes, and none between frames. Confined to one connection's I/O
/// thread.
final class ClientFrames {
    private static final int CONTINUATION = 0x0;
    static final int CLOSE = 0x8;
    static final int PING = 0x9;
    static final int PONG = 0xA;
    private static final int MAX_CONTROL = 125;
    private static final int MAX_HEAD = 14;

    private final Receiver receiver;
    private byte @Nullable [] head;
    private int headLength;
    private byte @Nullable [] control;
    private long remaining = -1;
    private int done;
    private boolean inMessage;

    /// Receives complete control frames.
    interface Receiver {
        /// @param payload unmasked, at most 125 bytes
        void control(int opcode, byte[] payload);
    }

    /// The client violates the protocol: close code 1002.
    static final class ProtocolError extends Exception {
        ProtocolError(String message) {
            super(message, null, false, false);
        }
    }

    ClientFrames(Receiver receiver) {
        this.receiver = receiver;
    }

    /// Consumes all of the buffer. After a protocol error nothing more can be read.
    void read(ByteBuffer bytes) throws ProtocolError {
        while (bytes.hasRemaining()) {
            if (remaining < 0) {
                readHead(bytes.get());
            } else {
                readPayload(bytes);
            }
            if (remaining == 0) {
                complete();
            }
        }
    }

    private void readHead(byte next) throws ProtocolError {
        if (head == null) {
            head = new byte[MAX_HEAD];
        }
        head[headLength++] = next;
        if (headLength == 1) {
            checkFirst(next);
        } else if (headLength == 2) {
            checkSecond(head[0], next);
        }
        if (headLength < 2 || headLength < headSize(head[1])) {
            return;
        }
        remaining = length(head);
        if (remaining < 0) {
            throw new ProtocolError("negative length");
        }
        if (isControl(head[0])) {
            control = new byte[(int) remaining];
        }
    }

    private void checkFirst(byte first) throws ProtocolError {
        if ((first & 0x70) != 0) {
            throw new ProtocolError("reserved bits are set");
        }
        int opcode = first & 0xF;
        if (opcode > PONG || (opcode > 2 && opcode < CLOSE)) {
            throw new ProtocolError("unknown opcode " + opcode);
        }
        boolean last = (first & 0x80) != 0;
        if (isControl(first)) {
            if (!last) {
                throw new ProtocolError("a fragmented control frame");
            }
        } else if (inMessage != (opcode == CONTINUATION)) {
            throw new ProtocolError(inMessage ? "a message within another" : "a continuation of nothing");
        } else {
            inMessage = !last;
        }
    }

    private static void checkSecond(byte first, byte second) throws ProtocolError {
        if ((second & 0x80) == 0) {
            throw new ProtocolError("a frame without mask");
        }
        if (isControl(first) && (second & 0x7F) > MAX_CONTROL) {
            throw new ProtocolError("a control frame that is too long");
        }
    }

    private static boolean isControl(byte first) {
        return (first & 0x8) != 0;
    }

    private static int headSize(byte second) {
        return switch (second & 0x7F) {
            case 126 -> 8;
            case 127 -> 14;
            default -> 6;
        };
    }

    private static long length(byte[] head) {
        int length = head[1] & 0x7F;
        return switch (length) {
            case 126 -> ByteBuffer.wrap(head).getShort(2) & 0xFFFF;
            case 127 -> ByteBuffer.wrap(head).getLong(2);
            default -> length;
        };
    }

    private void readPayload(ByteBuffer bytes) {
        int n = (int) Math.min(remaining, bytes.remaining());
        if (control == null) {
            bytes.position(bytes.position() + n);
        } else {
            bytes.get(control, done, n);
            done += n;
        }
        remaining -= n;
    }

    private void complete() {
        var payload = control;
        var frame = head;
        int maskAt = headLength - 4;
        head = null;
        headLength = 0;
        control = null;
        remaining = -1;
        done = 0;
        if (payload != null && frame != null) {
            for (int i = 0; i < payload.length; i++) {
                payload[i] ^= frame[maskAt + i % 4];
            }
            receiver.control(frame[0] & 0xF, payload);
        }
    }
}
