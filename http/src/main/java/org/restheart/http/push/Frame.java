package org.restheart.http.push;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/// An encoded message that all its receivers share. All of their backlogs have the same budget, or none.
/// Thread-safe.
public final class Frame {
    static final String ID = "id:";
    static final String DATA = "data:";

    private final ByteBuffer bytes;
    private final long since;
    private final AtomicInteger holders = new AtomicInteger();

    /// @param bytes the message; not copied
    /// @param since when the event happened, in milliseconds since 1970; 0 if unknown
    public Frame(ByteBuffer bytes, long since) {
        this.bytes = bytes;
        this.since = since;
    }

    /// A server-sent event (HTML, 9.2.6).
    ///
    /// @param id the position from which a receiver can resume; empty for none
    /// @param name empty for none
    /// @param data one line; read through a duplicate
    public static Frame event(String id, String name, ByteBuffer data, long since) {
        var head = ((id.isEmpty() ? "" : ID + id + "\n") + (name.isEmpty() ? "" : "event:" + name + "\n") + DATA)
                .getBytes(StandardCharsets.UTF_8);
        var event = ByteBuffer.allocate(head.length + data.remaining() + 2)
                .put(head)
                .put(data.duplicate())
                .put((byte) '\n')
                .put((byte) '\n')
                .flip();
        return new Frame(event, since);
    }

    /// The message; read through a duplicate.
    public ByteBuffer bytes() {
        return bytes;
    }

    public long since() {
        return since;
    }

    int length() {
        return bytes.remaining();
    }

    /// Counts another holder.
    ///
    /// @return whether it is the only one
    boolean hold() {
        return holders.getAndIncrement() == 0;
    }

    /// Counts a holder less.
    ///
    /// @return whether it was the last one
    boolean release() {
        return holders.decrementAndGet() == 0;
    }

    /// A holder's part of the length: a shared frame occupies memory once.
    double part() {
        return length() / (double) Math.max(1, holders.get());
    }
}
