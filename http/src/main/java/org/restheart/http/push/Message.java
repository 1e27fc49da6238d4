package org.restheart.http.push;

import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

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

    /// The message that is framed as a server-sent event; empty for an event that has an id only, or no id.
    public static Optional<Message> of(Frame event) {
        var text = StandardCharsets.UTF_8.decode(event.bytes().duplicate()).toString();
        int data = text.indexOf("\n" + Frame.DATA);
        return text.startsWith(Frame.ID) && data >= 0
                ? Optional.of(new Message(
                        text.substring(Frame.ID.length(), text.indexOf('\n')),
                        text.substring(data + 1 + Frame.DATA.length()).getBytes(StandardCharsets.UTF_8),
                        event.since()))
                : Optional.empty();
    }

    public String id() {
        return id;
    }

    /// Not to be changed.
    public byte[] data() {
        return data;
    }

    public Frame framed(Transport transport) {
        return frames.computeIfAbsent(transport, t -> new Frame(t.frame(this), since));
    }
}
