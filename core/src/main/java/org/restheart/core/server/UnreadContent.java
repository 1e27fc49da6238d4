package org.restheart.core.server;

import io.undertow.server.Connectors;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpContinue;
import io.undertow.server.protocol.http.HttpServerConnection;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.ChannelListener;
import org.xnio.XnioExecutor;
import org.xnio.channels.StreamSourceChannel;

/// Ends an exchange whose response is sent while its request is still arriving: reads and discards the rest, so that
/// a client that is still sending reads the response, and the connection can be reused. Within bounds: beyond them
/// the connection is closed. Confined to the I/O thread.
final class UnreadContent implements ChannelListener<StreamSourceChannel>, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(UnreadContent.class);
    private static final long MAX_BYTES = 64L * 1024 * 1024;
    private static final long MAX_MILLIS = 10_000;

    private final HttpServerExchange exchange;
    private long discarded;
    private XnioExecutor.@Nullable Key deadline;

    private UnreadContent(HttpServerExchange exchange) {
        this.exchange = exchange;
    }

    /// Ends the exchange, at once when the request has arrived completely.
    static void endAfter(HttpServerExchange exchange) {
        if (isAwaited(exchange)) {
            exchange.dispatch(exchange.getIoThread(), new UnreadContent(exchange));
        } else {
            endWithout(exchange);
        }
    }

    /// Ends the exchange without its content. Undertow would close the connection of HTTP/1.1 at once if that has not
    /// arrived; as it is, [ReceivedBytes] discards what arrives until the client has read the response.
    static void endWithout(HttpServerExchange exchange) {
        if (exchange.getConnection() instanceof HttpServerConnection && !exchange.isPersistent()) {
            Connectors.terminateRequest(exchange);
        }
        exchange.endExchange();
    }

    /// Whether the rest of a request is read before its exchange ends. Otherwise the request has arrived, or the
    /// connection is closed; in HTTP/2 Undertow resets a stream whose client still waits to send its content.
    static boolean isAwaited(HttpServerExchange exchange) {
        boolean isKept = exchange.getConnection() instanceof HttpServerConnection
                ? exchange.isPersistent()
                : !HttpContinue.requiresContinueResponse(exchange);
        return isKept && !exchange.isRequestComplete();
    }

    @Override
    public void run() {
        if (exchange.isComplete()) { // the client has disconnected in the meantime
            return;
        }
        deadline = Exchanges.executeAfter(exchange.getIoThread(), this::close, MAX_MILLIS);
        if (deadline == null) {
            close();
            return;
        }
        var begun = Connectors.getExistingRequestChannel(exchange);
        var channel = begun == null ? exchange.getRequestChannel() : begun;
        channel.getReadSetter().set(this);
        handleEvent(channel);
    }

    @Override
    public void handleEvent(StreamSourceChannel channel) {
        ReadTurn.read(exchange.getIoThread(), () -> discard(channel), channel::suspendReads, () -> {});
    }

    private boolean discard(StreamSourceChannel channel) {
        if (exchange.isComplete()) {
            return false;
        }
        var turn = new ReadTurn();
        try (var pooled = exchange.getConnection().getByteBufferPool().allocate()) {
            var buffer = pooled.getBuffer();
            int n;
            while ((n = channel.read(buffer.clear())) > 0 && (discarded += n) <= MAX_BYTES) {
                if (turn.isOver()) {
                    return true;
                }
            }
            if (n == 0) {
                ContentFraming.requireSound(exchange);
                channel.resumeReads();
            } else if (n < 0) {
                end();
            } else {
                close();
            }
        } catch (IOException e) {
            LOG.debug("the rest of a request did not arrive", e);
            close();
        }
        return false;
    }

    private void end() {
        if (deadline != null) {
            deadline.remove();
        }
        exchange.endExchange();
    }

    private void close() {
        if (deadline != null) {
            deadline.remove();
        }
        Exchanges.abort(exchange);
    }
}
