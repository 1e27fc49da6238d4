package org.restheart.core.server;

import io.undertow.protocols.http2.Http2Channel;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http2.Http2ServerConnection;
import io.undertow.util.AttachmentKey;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.IoUtils;
import org.xnio.StreamConnection;

/// The connections of HTTP/2, so that a `GOAWAY` can be sent on them before the server stops. Thread-safe.
final class Http2Connections {
    private static final Logger LOG = LoggerFactory.getLogger(Http2Connections.class);
    private static final AttachmentKey<GoAway> GO_AWAY = AttachmentKey.create(GoAway.class);
    private static final int FEW = 1_000;

    /// Undertow does not expose which connection a channel of HTTP/2 is on. May contain some that have been
    /// closed.
    private final ConcurrentMap<Ends, ReceivedBytes> accepted = new ConcurrentHashMap<>();

    private final Set<GoAway> open = ConcurrentHashMap.newKeySet();
    private volatile int tidyAt = FEW;
    private volatile boolean stopping;
    private volatile boolean refusing;

    private record Ends(SocketAddress peer, SocketAddress local) {}

    /// To be called for each new connection, of whatever protocol.
    void accepted(ReceivedBytes received) {
        var connection = received.connection();
        accepted.put(new Ends(connection.getPeerAddress(), connection.getLocalAddress()), received);
        if (accepted.size() >= tidyAt) {
            tidy();
        }
    }

    /// Forgets those that were closed.
    void tidy() {
        accepted.values().removeIf(other -> !other.connection().isOpen());
        tidyAt = Math.max(FEW, 2 * accepted.size());
    }

    /// Those that are open, and those that have been closed since the last look.
    int known() {
        return accepted.size();
    }

    enum Begun {
        ACCEPTED,
        /// The connection has not begun as HTTP/2; it is closed.
        CHANGED_PROTOCOL,
        /// The connection has as many streams as it may have; this one was reset, so that its client repeats it later
        /// (RFC 9113, 5.1.2).
        REFUSED
    }

    /// To be called with each request, on its I/O thread.
    Begun requested(HttpServerExchange exchange) {
        if (!(exchange.getConnection() instanceof Http2ServerConnection connection)) {
            return Begun.ACCEPTED;
        }
        if (!register(connection)) {
            return Begun.CHANGED_PROTOCOL;
        }
        var stream = Http2Stream.of(connection);
        if (!stream.begins(exchange)) {
            return Begun.REFUSED;
        }
        var known = connection.getAttachment(GO_AWAY);
        if (known != null && !refusing) {
            known.serves(stream.response().getStreamId());
        }
        return Begun.ACCEPTED;
    }

    /// Makes a connection one to which a `GOAWAY` can be sent, with its first request.
    ///
    /// @return false if it did not begin as HTTP/2; it is being closed then
    private boolean register(Http2ServerConnection connection) {
        var known = connection.getAttachment(GO_AWAY);
        if (known == null) {
            var ends = new Ends(connection.getPeerAddress(), connection.getLocalAddress());
            var received = accepted.get(ends);
            if (received == null) {
                return true;
            }
            if (!received.isHttp2()) {
                received.end();
                return false;
            }
            accepted.remove(ends, received);
            known = goAway(received.connection(), connection);
        }
        if (stopping) {
            known.send();
        }
        return true;
    }

    private GoAway goAway(StreamConnection below, Http2ServerConnection connection) {
        var added = new GoAway(below);
        below.getSinkChannel().setConduit(added);
        connection.putAttachment(GO_AWAY, added);
        open.add(added);
        connection.addCloseListener(_ -> {
            open.remove(added);
            added.closed();
        });
        return added;
    }

    /// Runs a task on the I/O thread if the connection of an exchange of HTTP/2 is closed before the exchange ends.
    /// Does nothing for HTTP/1.1.
    static void atClose(HttpServerExchange exchange, Runnable task) {
        var connection =
                exchange.getConnection() instanceof Http2ServerConnection http2 ? http2.getAttachment(GO_AWAY) : null;
        if (connection != null) {
            connection.atClose().add(task);
            AtEnd.of(exchange, () -> connection.atClose().remove(task));
        }
    }

    /// Closes the connection of an exchange of any protocol, in HTTP/2 with its other streams; while the connection is
    /// unknown only the stream is reset.
    static void close(HttpServerExchange exchange) {
        var goAway = exchange.getConnection() instanceof Http2ServerConnection connection
                ? connection.getAttachment(GO_AWAY)
                : null;
        if (goAway != null) {
            goAway.close();
        } else {
            abort(exchange);
        }
    }

    /// Ends an exchange of any protocol without the rest of its response: in HTTP/2 its stream is reset, in
    /// HTTP/1.1 the connection is closed. Any thread.
    static void abort(HttpServerExchange exchange) {
        try {
            exchange.getIoThread().execute(() -> abortHere(exchange));
        } catch (RejectedExecutionException _) { // the server has stopped
            abortHere(exchange);
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

    /// All requests are refused from now on.
    void refuse() {
        refusing = true;
    }

    /// Tells the clients of all connections which of their requests were not served. Called once, after [#refuse()].
    void sendLastGoAway(Duration timeout) throws InterruptedException {
        var all = List.copyOf(open);
        var sent = new CountDownLatch(all.size());
        all.forEach(connection -> connection.sendLast(sent::countDown));
        if (!sent.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
            LOG.debug("some connections of HTTP/2 end without a GOAWAY");
        }
    }

    /// Sends a `GOAWAY` on all connections, also on those that come from now on. Their requests are served.
    void sendGoAway() {
        stopping = true;
        open.forEach(GoAway::send);
    }
}
