package org.restheart.http.push;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/// One message for any number of receivers, framed at most once per transport. Used only by the thread that produces
/// it; the frames may be passed to other threads.
public final class Message {
    /// A copy of the text of a large event would be one too many.
    private static final byte[] BEFORE_DATA = ("\n" + Frame.DATA).getBytes(StandardCharsets.UTF_8);

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
        var bytes = event.bytes();
        int data = 0;
        while (data + BEFORE_DATA.length <= bytes.remaining()
                && bytes.slice(bytes.position() + data, BEFORE_DATA.length).mismatch(ByteBuffer.wrap(BEFORE_DATA))
                        >= 0) {
            data++;
        }
        var head = StandardCharsets.UTF_8
                .decode(bytes.slice(bytes.position(), Math.min(data, bytes.remaining())))
                .toString();
        if (!head.startsWith(Frame.ID) || data + BEFORE_DATA.length > bytes.remaining()) {
            return Optional.empty();
        }
        var value = new byte[bytes.remaining() - data - BEFORE_DATA.length];
        bytes.get(bytes.position() + data + BEFORE_DATA.length, value);
        return Optional.of(
                new Message(head.lines().findFirst().orElseThrow().substring(Frame.ID.length()), value, event.since()));
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
