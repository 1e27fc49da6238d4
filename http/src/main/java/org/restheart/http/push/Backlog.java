package org.restheart.http.push;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// The messages queued for one receiver: bounded, so that a slow one neither fills memory nor delays others.
///
/// The producer offers and never blocks; the connection takes on its I/O thread. Thread-safe.
public final class Backlog {
    private final int maxMessages;
    private final long maxBytes;

    @GuardedBy("this")
    private final ArrayDeque<Frame> waiting = new ArrayDeque<>(1);

    @GuardedBy("this")
    private long bytes;

    @GuardedBy("this")
    private @Nullable Ending ending;

    @GuardedBy("this")
    private boolean gone;

    @GuardedBy("this")
    private boolean woken;

    @GuardedBy("this")
    private @Nullable Runnable receiver;

    /// @param maxMessages most messages waiting
    /// @param maxBytes most bytes waiting; a single message may be larger
    public Backlog(int maxMessages, long maxBytes) {
        this.maxMessages = maxMessages;
        this.maxBytes = maxBytes;
    }

    /// Queues a frame for the receiver. If there is no room, the queue is cleared and the receiver's connection is
    /// closed with [Ending#TOO_SLOW].
    ///
    public Offer offer(Frame frame) {
        Runnable wake;
        boolean fits;
        synchronized (this) {
            if (gone || ending != null) {
                return Offer.CLOSED;
            }
            fits = waiting.isEmpty() || (waiting.size() < maxMessages && bytes + frame.length() <= maxBytes);
            if (fits) {
                waiting.add(frame);
                bytes += frame.length();
            } else {
                waiting.clear();
                bytes = 0;
                ending = Ending.TOO_SLOW;
            }
            wake = fits ? waker() : receiver;
        }
        run(wake);
        return fits ? Offer.TAKEN : Offer.OVERFLOWN;
    }

    /// The result of [#offer].
    public enum Offer {
        TAKEN,
        /// The queue was full; returned once.
        OVERFLOWN,
        CLOSED
    }

    /// Ends the connection after the queued messages have been sent. The first ending counts.
    public void end(Ending why) {
        Runnable wake;
        synchronized (this) {
            if (ending != null || gone) {
                return;
            }
            ending = why;
            wake = receiver;
        }
        run(wake);
    }

    @GuardedBy("this")
    private @Nullable Runnable waker() {
        if (woken || receiver == null) {
            return null;
        }
        woken = true;
        return receiver;
    }

    private static void run(@Nullable Runnable wake) {
        if (wake != null) {
            wake.run();
        }
    }

    /// Connects the receiver.
    ///
    /// @param wake called, from any thread, when the queue becomes non-empty and when an ending is announced; must
    ///     not block
    public void connect(Runnable wake) {
        boolean now;
        synchronized (this) {
            receiver = wake;
            now = !waiting.isEmpty() || ending != null;
            woken = now;
        }
        if (now) {
            wake.run();
        }
    }

    /// The next frame; null if the queue is empty, and `wake` is then called for the next one. Called by the receiver.
    public synchronized @Nullable Frame take() {
        var frame = waiting.poll();
        if (frame == null) {
            woken = false;
        } else {
            bytes -= frame.length();
        }
        return frame;
    }

    /// The ending, once the queue is empty. Called by the receiver.
    public synchronized Optional<Ending> ending() {
        return waiting.isEmpty() ? Optional.ofNullable(ending) : Optional.empty();
    }

    /// Whether an ending has been announced, even if messages are still queued.
    public synchronized boolean hasEnded() {
        return ending != null;
    }

    /// Discards all messages, present and future: the receiver has disconnected.
    public synchronized void abandon() {
        gone = true;
        waiting.clear();
        bytes = 0;
        receiver = null;
    }
}
