package org.restheart.core.server;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/// Follows the frames that a client of HTTP/2 sends (RFC 9113, 4): determines how much has arrived of a head that
/// is not complete, and limits `SETTINGS_HEADER_TABLE_SIZE` to its initial value, 4,096 bytes. Undertow keeps as
/// many header fields of responses as this setting allows, up to 2 GiB for each connection, while a server may use
/// a smaller table than its client allows (RFC 7541, 4.2). Confined to one thread.
final class Http2Frames {
    private static final byte[] CLIENT = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    static final int PREFACE = CLIENT.length;

    private static final int FRAME_HEAD = 9;
    private static final int TYPE_AT = 3;
    private static final int FLAGS_AT = 4;
    private static final int HEADERS = 1;
    private static final int SETTINGS = 4;
    private static final int CONTINUATION = 9;
    private static final int END_HEADERS = 4;

    private final byte[] head = new byte[FRAME_HEAD];
    private int filled;

    /// Bytes of the frame's payload, and those of them that have arrived.
    private int length;

    private int arrived;

    /// Of the head that is not complete.
    private long bytes;

    private long completed;
    private final Setting setting = new Setting();

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

    /// Takes all bytes behind the preface, in which the setting is changed.
    ///
    /// @return those of the head that is not complete; 0 if there is none
    long unfinished(ByteBuffer received) {
        while (received.hasRemaining()) {
            if (filled < FRAME_HEAD) {
                head[filled++] = received.get();
                if (filled == FRAME_HEAD) {
                    begin();
                }
            } else {
                pass(received);
            }
            if (filled == FRAME_HEAD && arrived == length) {
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
        return head[TYPE_AT] == HEADERS || head[TYPE_AT] == CONTINUATION;
    }

    private void begin() {
        length = ((head[0] & 0xFF) << 16) | ((head[1] & 0xFF) << 8) | (head[2] & 0xFF);
        arrived = 0;
        bytes += isOfHead() ? FRAME_HEAD : 0;
    }

    private void pass(ByteBuffer received) {
        int count = Math.min(length - arrived, received.remaining());
        int from = received.position();
        if (head[TYPE_AT] == SETTINGS) {
            for (int i = 0; i < count; i++) {
                received.put(from + i, setting.limited(arrived + i, received.get(from + i)));
            }
        }
        received.position(from + count);
        arrived += count;
        bytes += isOfHead() ? count : 0;
    }

    private void end() {
        filled = 0;
        if (isOfHead() && (head[FLAGS_AT] & END_HEADERS) != 0) {
            bytes = 0;
            completed++;
        }
    }

    /// One of the settings of a frame: an identifier of two bytes, a value of four (RFC 9113, 6.5.1). Its first bytes
    /// may have been passed on when the others arrive.
    private static final class Setting {
        private static final int BYTES = 6;
        private static final int HEADER_TABLE_SIZE = 1;

        /// The third of the four bytes of 4,096, which is the only one that is not 0.
        private static final int THIRD_BYTE = 0x10;

        private int identifier;
        private boolean larger;

        /// @param index of the byte in the frame's payload
        /// @return the byte to pass on
        byte limited(int index, byte value) {
            int at = index % BYTES;
            if (at < 2) {
                identifier = at == 0 ? value & 0xFF : identifier << 8 | (value & 0xFF);
                larger = false;
                return value;
            }
            if (identifier != HEADER_TABLE_SIZE) {
                return value;
            }
            return switch (at) {
                case 2, 3 -> {
                    larger |= value != 0;
                    yield 0;
                }
                case 4 -> {
                    larger |= (value & 0xFF) >= THIRD_BYTE;
                    yield larger ? THIRD_BYTE : value;
                }
                default -> larger ? 0 : value;
            };
        }
    }
}
