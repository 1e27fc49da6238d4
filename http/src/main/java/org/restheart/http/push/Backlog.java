package org.restheart.http.push;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// What waits for one receiver: bounded, so that a slow one costs neither memory nor the time of others.
///
/// One side offers and never waits; the other, the connection, takes on its I/O thread. Thread-safe.
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

    /// Lets a frame wait for the receiver. If there is no room, all that waits is thrown away and the receiver's
    /// connection ends with [Ending#TOO_SLOW].
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

    /// What became of a frame.
    public enum Offer {
        TAKEN,
        /// This frame was one too many; to be told once.
        OVERFLOWN,
        CLOSED
    }

    /// Ends the connection after what waits has been sent. The first ending counts.
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
    /// @param wake called, from any thread, when there is something to take and the receiver does not know yet, and
    ///     when an ending is announced; does not wait
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

    /// For the receiver: the next frame; null if nothing waits, and then the receiver will be woken.
    public synchronized @Nullable Frame take() {
        var frame = waiting.poll();
        if (frame == null) {
            woken = false;
        } else {
            bytes -= frame.length();
        }
        return frame;
    }

    /// For the receiver, when nothing is left to take.
    public synchronized Optional<Ending> ending() {
        return waiting.isEmpty() ? Optional.ofNullable(ending) : Optional.empty();
    }

    /// Whether an ending has been announced, whatever waits before it.
    public synchronized boolean hasEnded() {
        return ending != null;
    }

    /// The receiver is gone: nothing is kept any more.
    public synchronized void abandon() {
        gone = true;
        waiting.clear();
        bytes = 0;
        receiver = null;
    }
}
