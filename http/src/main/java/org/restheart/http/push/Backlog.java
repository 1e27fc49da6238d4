package org.restheart.http.push;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// The messages queued for one receiver: bounded, so that a slow one neither fills memory nor delays others.
///
/// The producer offers and never blocks, unless it waits for room; the connection takes on its I/O thread. Thread-safe.
public final class Backlog {
    /// What is queued by a producer that waits for room is this part of the bounds: enough to keep a socket busy.
    private static final int LITTLE = 8;

    private final int maxMessages;
    private final long maxBytes;
    private final PushBudget budget;
    private final String caller;

    @GuardedBy("this")
    private final ArrayDeque<Frame> waiting = new ArrayDeque<>(1);

    @GuardedBy("this")
    private long bytes;

    @GuardedBy("this")
    private @Nullable Frame taken;

    @GuardedBy("this")
    private @Nullable Ending ending;

    @GuardedBy("this")
    private boolean joined;

    @GuardedBy("this")
    private boolean shed;

    @GuardedBy("this")
    private boolean gone;

    @GuardedBy("this")
    private boolean woken;

    /// Whether the producer waits for room.
    @GuardedBy("this")
    private boolean awaited;

    @GuardedBy("this")
    private @Nullable Runnable receiver;

    /// A backlog without a budget.
    ///
    /// @param maxMessages most queued messages
    /// @param maxBytes most queued bytes; a single message may be larger
    public Backlog(int maxMessages, long maxBytes) {
        this(maxMessages, maxBytes, new PushBudget(Long.MAX_VALUE, () -> {}), "");
    }

    /// A backlog whose messages count for a budget until [#abandon()] is called.
    ///
    /// @param caller the receiver, as [org.restheart.http.access.CallerScope] names it
    public Backlog(int maxMessages, long maxBytes, PushBudget budget, String caller) {
        this.maxMessages = maxMessages;
        this.maxBytes = maxBytes;
        this.budget = budget;
        this.caller = caller;
    }

    /// An empty backlog with the same bounds, budget and caller.
    public Backlog another() {
        return new Backlog(maxMessages, maxBytes, budget, caller);
    }

    /// On whose behalf messages wait; empty outside of any budget.
    public String caller() {
        return caller;
    }

    /// Queues a frame for the receiver. If there is no room, the queue is cleared and the receiver's connection is
    /// closed with [Ending#TOO_SLOW].
    public Offer offer(Frame frame) {
        Runnable wake;
        boolean fits;
        boolean beyond = false;
        synchronized (this) {
            if (gone || ending != null) {
                return Offer.CLOSED;
            }
            fits = fits(frame);
            if (fits) {
                if (!joined) {
                    joined = true;
                    budget.join(this);
                }
                waiting.add(frame);
                bytes += frame.length();
                beyond = budget.hold(frame);
            } else {
                clear();
                ending = Ending.TOO_SLOW;
            }
            wake = fits ? waker() : receiver;
        }
        run(wake);
        if (beyond) {
            budget.balance();
        }
        return fits ? Offer.TAKEN : Offer.OVERFLOWN;
    }

    public synchronized boolean fits(Frame frame) {
        return waiting.isEmpty() || (waiting.size() < maxMessages && bytes + frame.length() <= maxBytes);
    }

    /// Whether at most an eighth of what may wait does.
    public synchronized boolean isNearlyEmpty() {
        return waiting.isEmpty() || (waiting.size() <= maxMessages / LITTLE && bytes <= maxBytes / LITTLE);
    }

    /// Waits until the queue is at most an eighth full with another frame, or has ended: for producers for which no
    /// other thread waits, and which have the rest elsewhere.
    ///
    /// @param timeout how long the receiver may take nothing
    /// @return false if it has taken nothing for so long
    public synchronized boolean awaitRoom(Frame frame, Duration timeout) throws InterruptedException {
        return await(() -> isNearlyEmpty(frame), timeout);
    }

    /// The same, until the receiver has taken all.
    public synchronized boolean awaitEmpty(Duration timeout) throws InterruptedException {
        return await(this::isEmpty, timeout);
    }

    private synchronized boolean isEmpty() {
        return waiting.isEmpty();
    }

    @GuardedBy("this")
    private boolean await(BooleanSupplier enough, Duration timeout) throws InterruptedException {
        int before = waiting.size();
        long end = System.nanoTime() + timeout.toNanos();
        while (!enough.getAsBoolean() && ending == null && !gone) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            awaited = true;
            TimeUnit.NANOSECONDS.timedWait(this, left);
            if (waiting.size() < before) {
                before = waiting.size();
                end = System.nanoTime() + timeout.toNanos();
            }
        }
        return true;
    }

    private synchronized boolean isNearlyEmpty(Frame frame) {
        return waiting.isEmpty()
                || (waiting.size() < maxMessages / LITTLE && bytes + frame.length() <= maxBytes / LITTLE);
    }

    @GuardedBy("this")
    private void wakeProducer() {
        if (awaited) {
            awaited = false;
            notifyAll();
        }
    }

    /// Discards all queued messages; others may follow.
    public synchronized void drop() {
        clear();
    }

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
            wakeProducer();
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

    /// The next frame; null if the queue is empty, and `wake` is then called for the next one. Called by the
    /// receiver when it has sent the former one, which counts until then.
    public synchronized @Nullable Frame take() {
        releaseTaken();
        if (gone) {
            return null;
        }
        var frame = waiting.poll();
        taken = frame;
        if (frame == null) {
            woken = false;
        } else {
            bytes -= frame.length();
            wakeProducer();
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
        wakeProducer();
        clear();
        releaseTaken();
        receiver = null;
        if (joined) {
            joined = false;
            budget.leave(this);
        }
    }

    /// Clears the queue and ends the connection with [Ending#TOO_SLOW], since the budget is exceeded.
    ///
    /// @return false if the connection is ending already
    boolean shed() {
        Runnable wake;
        synchronized (this) {
            if (gone || shed) {
                return false;
            }
            shed = true;
            clear();
            ending = ending == null ? Ending.TOO_SLOW : ending;
            wakeProducer();
            wake = receiver;
        }
        run(wake);
        return true;
    }

    /// Whether the budget has ended this connection: the memory of the message that is being sent is needed
    /// too, so the rest of it should not be sent if it is long.
    public synchronized boolean isShed() {
        return shed;
    }

    /// The bytes that this backlog holds, shared ones divided by the number of their holders; 0 once it is
    /// [#isShed()].
    synchronized double part() {
        if (shed) {
            return 0;
        }
        double part = taken == null ? 0 : taken.part();
        for (var frame : waiting) {
            part += frame.part();
        }
        return part;
    }

    @GuardedBy("this")
    private void clear() {
        waiting.forEach(budget::release);
        waiting.clear();
        bytes = 0;
    }

    @GuardedBy("this")
    private void releaseTaken() {
        if (taken != null) {
            budget.release(taken);
            taken = null;
        }
    }
}
