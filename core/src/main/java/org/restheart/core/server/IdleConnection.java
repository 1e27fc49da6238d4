package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.xnio.IoUtils;
import org.xnio.StreamConnection;
import org.xnio.conduits.AbstractStreamSourceConduit;
import org.xnio.conduits.StreamSourceConduit;

/// The received bytes of a connection of HTTP/1.1. If the client closes the connection while it has no request in
/// progress, [ConnectionCloser] closes it here. Undertow would close it on the I/O thread, with a selection over all
/// other connections: when ten thousand clients disconnected at once, requests waited for 16 seconds.
///
/// Reads happen on the connection's I/O thread, or on the one thread that handles its request.
final class IdleConnection extends AbstractStreamSourceConduit<StreamSourceConduit> {
    private final StreamConnection connection;
    private final ConnectionCloser closer;

    /// Undertow's reader of request heads, once it is known; other protocols replace it by theirs.
    private volatile @Nullable Object heads;

    private volatile @Nullable HttpServerExchange current;
    private volatile boolean ended;

    private IdleConnection(StreamConnection connection, ConnectionCloser closer) {
        super(connection.getSourceChannel().getConduit());
        this.connection = connection;
        this.closer = closer;
    }

    /// To be called before Undertow uses the connection.
    static IdleConnection on(StreamConnection connection, ConnectionCloser closer) {
        var idle = new IdleConnection(connection, closer);
        connection.getSourceChannel().setConduit(idle);
        return idle;
    }

    /// To be called when Undertow waits for the first request of HTTP/1.1.
    void awaitsRequest() {
        heads = connection.getSourceChannel().getReadListener();
    }

    /// To be called with each request of HTTP/1.1, before it is handled.
    void requested(HttpServerExchange exchange) {
        current = exchange;
        if (heads == null) {
            awaitsRequest();
        }
    }

    @Override
    public int read(ByteBuffer bytes) throws IOException {
        if (ended) {
            return 0;
        }
        try {
            int read = next.read(bytes);
            return read < 0 && isIdle() ? end() : read;
        } catch (IOException e) { // the client has reset the connection
            if (isIdle()) {
                return end();
            }
            throw e;
        }
    }

    @SuppressWarnings("ReferenceEquality") // whether it is the same listener
    private boolean isIdle() {
        var exchange = current;
        var listener = heads;
        return listener != null
                && listener == connection.getSourceChannel().getReadListener()
                && (exchange == null || exchange.isComplete());
    }

    /// @return that there are no bytes
    private int end() {
        ended = true;
        next.suspendReads();
        closer.add(() -> IoUtils.safeClose(connection));
        return 0;
    }

    /// Undertow does this after each request, too.
    @Override
    public void resumeReads() {
        var exchange = current;
        if (exchange != null && exchange.isComplete()) {
            current = null; // an idle connection does not need its memory
        }
        if (!ended) {
            next.resumeReads();
        }
    }

    @Override
    public void wakeupReads() {
        if (!ended) {
            next.wakeupReads();
        }
    }

    @Override
    public boolean isReadResumed() {
        return ended || next.isReadResumed();
    }
}
