package org.restheart.core.server;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.restheart.http.push.Inbound;

/// Counts the bytes of messages of one WebSocket's client in memory, from their first byte until they have been
/// handled: within a bound for the connection, and as content of a request for its caller and for all together.
/// Confined to the connection's I/O thread, but for the end of messages.
final class ReceivedMessages {
    private final Inbound inbound;
    private final BodyLimits limits;
    private final String caller;
    private final AtomicLong waiting = new AtomicLong();
    private BodyLimits.@Nullable Counter arriving;
    private int arrived;
    private boolean over;

    /// @param caller as [org.restheart.http.access.CallerScope] names it
    ReceivedMessages(Inbound inbound, BodyLimits limits, String caller) {
        this.inbound = inbound;
        this.limits = limits;
        this.caller = caller;
    }

    /// Counts bytes of the message that is arriving.
    ///
    /// @return false if they exceed a bound; they are not counted then
    boolean add(int bytes) {
        if (over) {
            return false;
        }
        if (arriving == null) {
            arriving = limits.open(() -> caller);
        }
        boolean fits = waiting.get() + arrived + bytes <= inbound.maxWaiting()
                && arriving.countForCaller()
                && arriving.add(bytes);
        arrived += fits ? bytes : 0;
        return fits;
    }

    void passOn(byte[] message) {
        var counter = arriving;
        int bytes = arrived;
        arriving = null;
        arrived = 0;
        waiting.addAndGet(bytes);
        inbound.received(message, new Share(bytes, counter));
    }

    /// The memory of one message. Thread-safe.
    private final class Share implements Inbound.Memory {
        private final int bytes;
        private final BodyLimits.@Nullable Counter counter;
        private final AtomicBoolean released = new AtomicBoolean();

        Share(int bytes, BodyLimits.@Nullable Counter counter) {
            this.bytes = bytes;
            this.counter = counter;
        }

        @Override
        public void hold(long more) {
            if (counter != null) {
                counter.hold(more);
            }
        }

        @Override
        public void release() {
            if (released.compareAndSet(false, true)) {
                waiting.addAndGet(-bytes);
                if (counter != null) {
                    counter.close();
                }
            }
        }
    }

    void discard() {
        if (arriving != null) {
            arriving.close();
            arriving = null;
            arrived = 0;
        }
    }

    /// Discards what has arrived of a message; nothing more is received.
    void close() {
        over = true;
        discard();
    }
}
