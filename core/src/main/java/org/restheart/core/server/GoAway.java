package org.restheart.core.server;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.IoUtils;
import org.xnio.StreamConnection;
import org.xnio.conduits.AbstractStreamSinkConduit;
import org.xnio.conduits.StreamSinkConduit;

/// Tells the client of one connection of HTTP/2 that its next requests belong on another (RFC 9113, 6.8), while those
/// that are under way or already sent are served. Undertow's own `GOAWAY` closes the connection at once.
///
/// Undertow writes whole frames, several at a time: where a write has left nothing over, a frame of ours may follow.
/// Thread-safe.
final class GoAway extends AbstractStreamSinkConduit<StreamSinkConduit> {
    private static final Logger LOG = LoggerFactory.getLogger(GoAway.class);

    /// All of the frame but the last stream that is served and the error.
    private static final byte[] HEAD = {0, 0, 8, 7, 0, 0, 0, 0, 0};

    private static final int LENGTH = HEAD.length + 2 * Integer.BYTES;
    private static final int NO_ERROR = 0;

    private final StreamConnection connection;
    private final Set<Runnable> atClose = ConcurrentHashMap.newKeySet();

    /// Changed by the I/O thread alone.
    private volatile int lastServed;

    /// Used by the I/O thread alone.
    private boolean asked;

    /// Guarded by this, like all below.
    private boolean withinFrame;

    private @Nullable ByteBuffer frame;

    /// To be made before the answer to the connection's first request is written.
    GoAway(StreamConnection connection) {
        super(connection.getSinkChannel().getConduit());
        this.connection = connection;
    }

    /// A request is served. On the I/O thread.
    void serves(int stream) {
        lastServed = Math.max(lastServed, stream);
    }

    /// Sends it soon, with the largest stream there can be as the last one: whatever is still sent will be served.
    /// Further calls do nothing.
    void send() {
        var _ = later(() -> {
            if (!asked) {
                asked = true;
                sendHere(Integer.MAX_VALUE);
            }
        });
    }

    /// Sends soon, before the connection is closed, which stream is the last one that was served: a client may repeat
    /// the requests after it.
    ///
    /// @param sent called then, or at once if the server has stopped
    void sendLast(Runnable sent) {
        boolean begun = later(() -> {
            try {
                sendHere(lastServed);
            } finally {
                sent.run();
            }
        });
        if (!begun) {
            sent.run();
        }
    }

    /// What is done when the connection is closed.
    Set<Runnable> atClose() {
        return atClose;
    }

    /// The connection was closed.
    void closed() {
        atClose.forEach(Runnable::run);
    }

    /// Closes the connection soon, with all its streams.
    void close() {
        var _ = later(() -> IoUtils.safeClose(connection));
    }

    /// False if the server has stopped.
    private boolean later(Runnable task) {
        try {
            connection.getIoThread().execute(task);
            return true;
        } catch (RejectedExecutionException _) {
            LOG.debug("the server has stopped");
            return false;
        }
    }

    private synchronized void sendHere(int lastStream) {
        var former = frame == null ? ByteBuffer.allocate(0) : frame;
        frame = ByteBuffer.allocate(former.remaining() + LENGTH)
                .put(former)
                .put(HEAD)
                .putInt(lastStream)
                .putInt(NO_ERROR)
                .flip();
        try {
            if (!withinFrame && isSent()) {
                super.flush();
            }
        } catch (IOException e) {
            LOG.debug("a client has gone before its GOAWAY", e);
        }
    }

    private boolean isSent() throws IOException {
        if (frame != null) {
            while (frame.hasRemaining()) {
                if (super.write(frame) == 0) {
                    return false;
                }
            }
            frame = null;
        }
        return true;
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        return (int) write(new ByteBuffer[] {bytes}, 0, 1);
    }

    @Override
    public synchronized long write(ByteBuffer[] bytes, int offset, int length) throws IOException {
        if (!withinFrame && !isSent()) {
            return 0;
        }
        long written = super.write(bytes, offset, length);
        withinFrame = false;
        for (int i = offset; i < offset + length; i++) {
            withinFrame = withinFrame || bytes[i].hasRemaining();
        }
        if (!withinFrame && !isSent()) {
            LOG.debug("the rest goes with the next write");
        }
        return written;
    }

    @Override
    public synchronized boolean flush() throws IOException {
        return (withinFrame || isSent()) && super.flush();
    }
}
