package org.restheart.core.server;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Follows the frames that a client of HTTP/2 sends (RFC 9113, 4), as far as is needed to know how much has arrived of
/// a head that is not complete. Confined to one thread.
final class Http2Heads {
    private static final byte[] CLIENT = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /// The length of the preface.
    static final int PREFACE = CLIENT.length;

    /// Bytes of the preface with which no request begins.
    static final int DISTINCT = 4;

    private static final int FRAME_HEAD = 9;
    private static final int HEADERS = 1;
    private static final int CONTINUATION = 9;
    private static final int END_HEADERS = 4;

    private final byte[] head = new byte[FRAME_HEAD];
    private int filled;
    private int payload;
    private long bytes;
    private long completed;

    /// Compares bytes with the preface, and consumes those that belong to it.
    ///
    /// @param before how many have arrived before
    /// @return how many have arrived; -1 for another protocol
    static int preface(ByteBuffer received, int before) {
        int count = before;
        while (count < PREFACE && received.hasRemaining()) {
            if (received.get() != CLIENT[count++]) {
                return -1;
            }
        }
        return count;
    }

    /// Takes all bytes.
    ///
    /// @return those of the head that is not complete; 0 if there is none
    long unfinished(ByteBuffer received) {
        while (received.hasRemaining()) {
            if (filled < FRAME_HEAD) {
                head[filled++] = received.get();
                if (filled == FRAME_HEAD) {
                    payload = ((head[0] & 0xFF) << 16) | ((head[1] & 0xFF) << 8) | (head[2] & 0xFF);
                    begin();
                }
            } else {
                int passed = Math.min(payload, received.remaining());
                received.position(received.position() + passed);
                payload -= passed;
                bytes += isOfHead() ? passed : 0;
            }
            if (filled == FRAME_HEAD && payload == 0) {
                end();
            }
        }
        return bytes;
    }

    /// The number of heads that have arrived completely.
    long completed() {
        return completed;
    }

    private boolean isOfHead() {
        return head[3] == HEADERS || head[3] == CONTINUATION;
    }

    private void begin() {
        bytes += isOfHead() ? FRAME_HEAD : 0;
    }

    private void end() {
        filled = 0;
        if (isOfHead() && (head[4] & END_HEADERS) != 0) {
            bytes = 0;
            completed++;
        }
    }
}
