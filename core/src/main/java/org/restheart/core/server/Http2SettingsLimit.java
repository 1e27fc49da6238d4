package org.restheart.core.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.xnio.StreamConnection;
import org.xnio.conduits.AbstractStreamSourceConduit;
import org.xnio.conduits.StreamSourceConduit;

/// Limits `SETTINGS_HEADER_TABLE_SIZE` of HTTP/2 clients to its initial value, 4,096 bytes, in the bytes that are
/// received. Undertow keeps as many header fields of responses as this setting allows, up to 2 GiB for each connection.
/// A server may use a smaller table than its client allows (RFC 7541, section 4.2).
///
/// Confined to the thread that reads from the connection.
final class Http2SettingsLimit extends AbstractStreamSourceConduit<StreamSourceConduit> {
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int FRAME_HEADER = 9;
    private static final int TYPE_AT = 3;
    private static final int SETTINGS = 4;
    private static final int ENTRY = 6;
    private static final int HEADER_TABLE_SIZE = 1;

    /// The third of the four bytes of 4,096, which is the only one that is not 0.
    private static final int THIRD_BYTE = 0x10;

    private enum Reading {
        HTTP1,
        PREFACE,
        FRAME_HEADER,
        PAYLOAD
    }

    private Reading reading = Reading.PREFACE;

    /// Bytes of the preface or the frame header that were received.
    private int received;

    private int length;
    private int type;

    /// Bytes of the payload that were received.
    private int payload;

    private final Entry entry = new Entry();

    private Http2SettingsLimit(StreamSourceConduit next) {
        super(next);
    }

    /// To be called before other code uses the connection, whatever its protocol will be.
    static void on(StreamConnection connection) {
        var source = connection.getSourceChannel();
        source.setConduit(new Http2SettingsLimit(source.getConduit()));
    }

    @Override
    public int read(ByteBuffer bytes) throws IOException {
        int from = bytes.position();
        int read = next.read(bytes);
        if (reading != Reading.HTTP1 && read > 0) {
            limit(bytes, from, from + read);
        }
        return read;
    }

    private void limit(ByteBuffer bytes, int from, int to) {
        int i = from;
        while (i < to) {
            switch (reading) {
                case HTTP1 -> {
                    return;
                }
                case PREFACE -> preface(bytes.get(i++));
                case FRAME_HEADER -> header(bytes.get(i++) & 0xff);
                case PAYLOAD -> {
                    int end = (int) Math.min(to, (long) i + length - payload);
                    if (type == SETTINGS) {
                        for (int at = i; at < end; at++) {
                            bytes.put(at, entry.limit((payload + at - i) % ENTRY, bytes.get(at)));
                        }
                    }
                    payload += end - i;
                    i = end;
                    endFrame();
                }
            }
        }
    }

    private void preface(byte value) {
        if (value != PREFACE[received]) {
            reading = Reading.HTTP1;
        } else if (++received == PREFACE.length) {
            beginFrame();
        }
    }

    private void header(int value) {
        if (received < TYPE_AT) {
            length = length << 8 | value;
        } else if (received == TYPE_AT) {
            type = value;
        }
        if (++received == FRAME_HEADER) {
            reading = Reading.PAYLOAD;
            payload = 0;
            endFrame();
        }
    }

    private void endFrame() {
        if (payload == length) {
            beginFrame();
        }
    }

    private void beginFrame() {
        reading = Reading.FRAME_HEADER;
        received = 0;
        length = 0;
    }

    /// One of the settings of a frame: an identifier of two bytes, a value of four (RFC 9113, section 6.5.1). Its first
    /// bytes may have been passed on when the others arrive.
    private static final class Entry {
        private int identifier;
        private boolean larger;

        /// @param at the index of the byte in the entry
        /// @return the byte to pass on
        byte limit(int at, byte value) {
            if (at < 2) {
                identifier = at == 0 ? value & 0xff : identifier << 8 | (value & 0xff);
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
                    larger |= (value & 0xff) >= THIRD_BYTE;
                    yield larger ? THIRD_BYTE : value;
                }
                default -> larger ? 0 : value;
            };
        }
    }
}
