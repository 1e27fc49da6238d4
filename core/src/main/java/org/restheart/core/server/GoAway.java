package org.restheart.core.server;

import java.io.IOException;
import java.nio.ByteBuffer;
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

    /// The last stream is the largest there can be: whatever is still sent will be served. No error.
    private static final byte[] FRAME = {0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7f, -1, -1, -1, 0, 0, 0, 0};

    private final StreamConnection connection;

    /// Guarded by this, like all below.
    private boolean withinFrame;

    private boolean asked;
    private @Nullable ByteBuffer frame;

    /// To be made before the answer to the connection's first request is written.
    GoAway(StreamConnection connection) {
        super(connection.getSinkChannel().getConduit());
        this.connection = connection;
    }

    /// Sends it soon. Further calls do nothing.
    void send() {
        later(this::sendHere);
    }

    /// Closes the connection soon, with all its streams.
    void close() {
        later(() -> IoUtils.safeClose(connection));
    }

    private void later(Runnable task) {
        try {
            connection.getIoThread().execute(task);
        } catch (RejectedExecutionException _) {
            LOG.debug("the server has stopped");
        }
    }

    private synchronized void sendHere() {
        if (!asked) {
            asked = true;
            frame = ByteBuffer.wrap(FRAME);
            try {
                if (!withinFrame && isSent()) {
                    super.flush();
                }
            } catch (IOException e) {
                LOG.debug("a client has gone before its GOAWAY", e);
            }
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
