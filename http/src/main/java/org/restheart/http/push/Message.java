package org.restheart.http.push;

import java.util.EnumMap;
import java.util.Map;

/// One message for any number of receivers, framed at most once per transport. Used only by the thread that produces
/// it; the frames may be passed to other threads.
public final class Message {
    private final String id;
    private final byte[] data;
    private final long since;
    private final Map<Transport, Frame> frames = new EnumMap<>(Transport.class);

    /// @param id the position from which a receiver can resume; one line
    /// @param data UTF-8, one line; not copied
    /// @param since see [Frame]
    public Message(String id, byte[] data, long since) {
        this.id = id;
        this.data = data;
        this.since = since;
    }

    public String id() {
        return id;
    }

    byte[] data() {
        return data;
    }

    public Frame framed(Transport transport) {
        return frames.computeIfAbsent(transport, t -> new Frame(t.frame(this), since));
    }
}
