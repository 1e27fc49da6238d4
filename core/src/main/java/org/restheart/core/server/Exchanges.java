package org.restheart.core.server;

import io.undertow.protocols.http2.Http2Channel;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpServerConnection;
import io.undertow.server.protocol.http2.Http2ServerConnection;
import java.io.IOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.restheart.core.server.Http2Connections.Http2Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.IoUtils;
import org.xnio.XnioExecutor;

/// The end of Undertow's exchanges: tasks at their completion, whether their clients have disconnected, and aborting
/// them.
final class Exchanges {
    private static final Logger LOG = LoggerFactory.getLogger(Exchanges.class);

    /// The status of a request whose client has disconnected, for log and metrics only; the same as nginx's.
    private static final int CLIENT_GONE = 499;

    private Exchanges() {}

    /// Runs a task when the exchange is completed, however it ends, or at once if that has happened.
    ///
    /// @param task must not throw
    static void onComplete(HttpServerExchange exchange, Runnable task) {
        try {
            exchange.addExchangeCompleteListener((_, next) -> {
                task.run();
                next.proceed();
            });
        } catch (IllegalStateException _) { // Undertow takes no listener any more: the task would never run
            task.run();
        }
    }

    /// Ends an exchange of any protocol without the rest of its response: in HTTP/2 its stream is reset, in
    /// HTTP/1.1 the connection is closed. Any thread.
    static void abort(HttpServerExchange exchange) {
        if (!execute(exchange.getIoThread(), () -> abortHere(exchange))) {
            abortHere(exchange);
        }
    }

    /// Runs a task on an I/O thread soon.
    ///
    /// @return false if the server has stopped
    static boolean execute(XnioExecutor thread, Runnable task) {
        try {
            thread.execute(task);
            return true;
        } catch (RejectedExecutionException _) {
            LOG.debug("the server has stopped");
            return false;
        }
    }

    /// The same after a time, when no other task is left.
    ///
    /// @return null if the server has stopped
    static XnioExecutor.@Nullable Key executeAfter(XnioExecutor thread, Runnable task, long millis) {
        try {
            return thread.executeAfter(task, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException _) {
            LOG.debug("the server has stopped");
            return null;
        }
    }

    private static void abortHere(HttpServerExchange exchange) {
        if (!exchange.isComplete()) {
            if (exchange.getConnection() instanceof Http2ServerConnection connection) {
                Http2Stream.of(connection).reset(exchange, Http2Channel.ERROR_CANCEL);
            } else {
                IoUtils.safeClose(exchange.getConnection());
                exchange.endExchange();
            }
        }
    }

    static void endClientGone(HttpServerExchange exchange) {
        exchange.setPersistent(false);
        exchange.setStatusCode(CLIENT_GONE);
        exchange.endExchange();
    }

    private static boolean isReset(HttpServerExchange exchange) {
        return exchange.getConnection() instanceof Http2ServerConnection connection
                && Http2Stream.of(connection).isReset();
    }

    /// Whether the exchange has ended or its client has gone, also during the response. Called on the
    /// connection's I/O thread. A thread that writes through TLS must not be disturbed by one that reads.
    static boolean isNobodyThere(HttpServerExchange exchange) {
        boolean mayRead =
                !exchange.isResponseStarted() || exchange.getConnection().getSslSessionInfo() == null;
        return exchange.isComplete() || (mayRead ? isClientGone(exchange) : isCut(exchange));
    }

    /// Whether the connection was closed or, in HTTP/2, the stream was reset, as far as it is known without
    /// reading. Any thread. Undertow tells nobody of a reset while a frame waits for the client's window.
    static boolean isCut(HttpServerExchange exchange) {
        return isReset(exchange) || !exchange.getConnection().isOpen();
    }

    /// Called on the connection's I/O thread, before the response begins or, of a streamed one, within it. While a
    /// response of HTTP/1.1 is pending its connection is not read, so its end is checked here. A client that has
    /// only closed its side of the connection counts as disconnected.
    static boolean isClientGone(HttpServerExchange exchange) {
        return isCut(exchange)
                || (exchange.getConnection() instanceof HttpServerConnection http1
                        && exchange.isRequestComplete()
                        && http1.getExtraBytes() == null
                        && isAtEnd(http1));
    }

    private static boolean isAtEnd(HttpServerConnection connection) {
        var pooled = connection.getByteBufferPool().allocate();
        boolean kept = false;
        try {
            var buffer = pooled.getBuffer();
            int n = connection.getOriginalSourceConduit().read(buffer);
            if (n > 0) { // the next request already
                buffer.flip();
                connection.ungetRequestBytes(pooled);
                kept = true;
            }
            return n < 0;
        } catch (IOException _) {
            return true;
        } finally {
            if (!kept) {
                pooled.close();
            }
        }
    }
}
