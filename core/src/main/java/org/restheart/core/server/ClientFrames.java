package org.restheart.core.server;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/// Reads the frames of a WebSocket client (RFC 6455, 5) piece by piece. Control frames are passed on. Messages are
/// passed on within a limit, or discarded, whatever their size; then at most 125 bytes are kept, and none between
/// frames. A client that sends control frames without pause violates a limit, too. Confined to one connection's I/O
/// thread.
final class ClientFrames {
    private static final int CONTINUATION = 0x0;
    static final int CLOSE = 0x8;
    static final int PING = 0x9;
    static final int PONG = 0xA;
    private static final int PROTOCOL_ERROR = 1002;
    private static final int POLICY = 1008;
    private static final int TOO_BIG = 1009;
    private static final int TRY_AGAIN_LATER = 1013;
    private static final int MAX_CONTROL = 125;
    private static final int MAX_HEAD = 14;

    /// Control frames within a period: each costs work and has no use but to show that the client is there.
    private static final int MAX_CONTROLS = 100;

    private static final long PERIOD = 1_000_000_000;

    private final Receiver receiver;
    private final int maxMessage;
    private @Nullable ByteArrayOutputStream message;
    private byte @Nullable [] head;
    private int headLength;
    private byte @Nullable [] control;
    private long remaining = -1;
    private int done;
    private boolean inMessage;
    private long period = System.nanoTime();
    private int controls;

    /// Receives complete control frames and messages.
    interface Receiver {
        /// @param payload unmasked, at most 125 bytes
        void control(int opcode, byte[] payload);

        /// Whether there is room for further bytes of the message that arrives. Called before they are
        /// kept.
        boolean hasRoomFor(int bytes);

        /// @param payload unmasked; of text or of binary data
        void message(byte[] payload);
    }

    static final class ProtocolError extends Exception {
        private static final long serialVersionUID = 1L;
        private final int code;

        ProtocolError(String message) {
            this(PROTOCOL_ERROR, message);
        }

        private ProtocolError(int code, String message) {
            super(message, null, false, false);
            this.code = code;
        }

        int code() {
            return code;
        }

        /// For the client; ASCII, at most 123 bytes.
        String reason() {
            return String.valueOf(getMessage());
        }
    }

    /// @param maxMessage bytes of a message; 0 if messages are discarded
    ClientFrames(Receiver receiver, int maxMessage) {
        this.receiver = receiver;
        this.maxMessage = maxMessage;
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
        } else if (maxMessage > 0) {
            expectMessage();
        }
    }

    private void expectMessage() throws ProtocolError {
        if (message == null) {
            message = new ByteArrayOutputStream();
        }
        if (remaining > maxMessage - message.size()) {
            throw new ProtocolError(TOO_BIG, "a message that is too large");
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

    private void readPayload(ByteBuffer bytes) throws ProtocolError {
        int n = (int) Math.min(remaining, bytes.remaining());
        if (control != null) {
            bytes.get(control, done, n);
        } else if (message != null && head != null) {
            if (!receiver.hasRoomFor(n)) {
                throw new ProtocolError(TRY_AGAIN_LATER, "too many messages are waiting: come back later");
            }
            var part = new byte[n];
            bytes.get(part);
            unmask(part, head, done);
            message.writeBytes(part);
        } else {
            bytes.position(bytes.position() + n);
        }
        done = (done + n) & Integer.MAX_VALUE;
        remaining -= n;
    }

    private void unmask(byte[] bytes, byte[] head, int offset) {
        int maskAt = headLength - 4;
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] ^= head[maskAt + (offset + i) % 4];
        }
    }

    private void countControl() throws ProtocolError {
        if (controls == 0 || System.nanoTime() - period > PERIOD) {
            period = System.nanoTime();
            controls = 0;
        }
        if (++controls > MAX_CONTROLS) {
            throw new ProtocolError(POLICY, "too many control frames");
        }
    }

    private void complete() throws ProtocolError {
        var payload = control;
        var frame = head;
        if (payload != null && frame != null) {
            unmask(payload, frame, 0);
        }
        head = null;
        headLength = 0;
        control = null;
        remaining = -1;
        done = 0;
        if (payload != null && frame != null) {
            countControl();
            receiver.control(frame[0] & 0xF, payload);
        } else if (message != null && !inMessage) {
            var whole = message.toByteArray();
            message = null;
            receiver.message(whole);
        }
    }
}
