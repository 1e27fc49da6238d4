package org.restheart.http.push;

import java.nio.ByteBuffer;

/// The protocols by which messages are sent.
public enum Transport {
    /// One unfragmented text frame per message (RFC 6455, 5.2), without the id.
    WEB_SOCKET {
        @Override
        ByteBuffer frame(Message message) {
            var data = message.data();
            int length = data.length;
            var frame = ByteBuffer.allocate(length + (length < 126 ? 2 : length < 65_536 ? 4 : 10));
            frame.put((byte) 0x81);
            if (length < 126) {
                frame.put((byte) length);
            } else if (length < 65_536) {
                frame.put((byte) 126).putShort((short) length);
            } else {
                frame.put((byte) 127).putLong(length);
            }
            return frame.put(data).flip();
        }
    },
    /// One event per message (HTML, 9.2.6); the data is one line.
    SSE {
        @Override
        ByteBuffer frame(Message message) {
            return Frame.event(message.id(), "change", ByteBuffer.wrap(message.data()), 0)
                    .bytes();
        }
    };

    abstract ByteBuffer frame(Message message);
}
