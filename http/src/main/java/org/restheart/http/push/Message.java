package org.restheart.http.push;

import java.nio.ByteBuffer;
import java.util.EnumMap;
import java.util.Map;

/// One message for any number of receivers, framed at most once per transport. Filled by the thread that produces it,
/// which is the only one to call it; the frames may go to others.
public final class Message {
    private final String id;
    private final byte[] data;
    private final Map<Transport, ByteBuffer> frames = new EnumMap<>(Transport.class);

    /// @param id where a receiver can go on later; one line
    /// @param data UTF-8, one line; not copied
    public Message(String id, byte[] data) {
        this.id = id;
        this.data = data;
    }

    public String id() {
        return id;
    }

    byte[] data() {
        return data;
    }

    /// The bytes on the wire; shared: whoever reads takes a duplicate.
    public ByteBuffer framed(Transport transport) {
        return frames.computeIfAbsent(transport, t -> t.frame(this));
    }
}
