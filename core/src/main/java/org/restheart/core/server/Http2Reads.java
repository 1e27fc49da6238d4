package org.restheart.core.server;

import org.jspecify.annotations.Nullable;
import org.xnio.XnioIoThread;
import org.xnio.conduits.StreamSourceConduit;

/// Divides the reads of a connection of HTTP/2 into turns. Undertow reads its frames as long as some have arrived;
/// through TLS it does so in tasks that follow each other, and the thread runs all tasks before it looks which other
/// connections are ready. Reads happen on the I/O thread, they may be resumed and suspended by any thread.
final class Http2Reads {
    private final XnioIoThread thread;
    private final StreamSourceConduit source;
    private @Nullable ReadTurn turn;
    private volatile boolean waits;

    /// Whether reads were resumed while they wait.
    private volatile boolean wanted;

    /// @param source where the frames come from
    Http2Reads(XnioIoThread thread, StreamSourceConduit source) {
        this.thread = thread;
        this.source = source;
    }

    /// Whether it is the turn of this connection. If not, no bytes arrive until it is again.
    boolean mayRead() {
        if (waits) {
            return false;
        }
        if (turn == null || !turn.isUninterrupted(thread)) {
            turn = ReadTurn.begin(thread);
        }
        if (!turn.isLong()) {
            return true;
        }
        if (source.isReadResumed()) {
            wanted = true; // another thread that resumes meanwhile must not be overwritten
        }
        waits = true;
        source.suspendReads();
        ReadTurn.later(thread, this::goOn);
        return false;
    }

    private void goOn() {
        turn = null;
        waits = false;
        if (wanted) {
            source.wakeupReads(); // TLS may have read bytes that are not announced again
        }
    }

    /// @return whether reads are resumed later
    boolean resume() {
        wanted = true;
        return waits;
    }

    void suspend() {
        wanted = false;
    }

    boolean isWaiting() {
        return waits;
    }

    boolean isResumed() {
        return wanted;
    }
}
