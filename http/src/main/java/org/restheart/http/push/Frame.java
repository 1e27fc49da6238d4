package org.restheart.http.push;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/// An encoded message that all its receivers share. All of their backlogs have the same budget, or none.
/// Thread-safe.
public final class Frame {
    private final ByteBuffer bytes;
    private final long since;
    private final AtomicInteger holders = new AtomicInteger();

    /// @param bytes the message; not copied
    /// @param since when the event happened, in milliseconds since 1970; 0 if unknown
    public Frame(ByteBuffer bytes, long since) {
        this.bytes = bytes;
        this.since = since;
    }

    /// The message; read through a duplicate.
    public ByteBuffer bytes() {
        return bytes;
    }

    /// When the event happened, in milliseconds since 1970; 0 if unknown.
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
