package org.restheart.core.server;

import io.undertow.server.AbstractServerConnection;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpServerConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.IoUtils;
import org.xnio.conduits.ReadReadyHandler;

/// A response of type `text/event-stream` (HTML, 9.2) that stays open until one side ends it.
final class SseConnection extends PushConnection {
    private static final Logger LOG = LoggerFactory.getLogger(SseConnection.class);
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
    private static final ByteBuffer COMMENT = ByteBuffer.wrap(":\n\n".getBytes(StandardCharsets.US_ASCII));

    private final HttpServerExchange exchange;

    private SseConnection(HttpServerExchange exchange, Subscription subscription, PushConnections all) {
        super(exchange.getResponseChannel(), exchange.getIoThread(), subscription, all);
        this.exchange = exchange;
    }

    /// Sends the head, which is set, and then the events.
    static void begin(HttpServerExchange exchange, Subscription subscription, PushConnections all) {
        if (exchange.getConnection() instanceof HttpServerConnection) {
            exchange.setPersistent(false); // no request follows: a read can only return the end
        }
        var begun = all.expect(); // a stop waits until it can be ended as the others are
        Exchanges.onComplete(
                exchange,
                () -> { // also when the client disconnects before the start
                    begun.run();
                    subscription.end();
                });
        exchange.dispatch(exchange.getIoThread(), () -> {
            var connection = new SseConnection(exchange, subscription, all);
            Exchanges.onComplete(exchange, connection::over);
            connection.open();
            begun.run();
            connection.sendUrgently(NOTHING.duplicate()); // the head is sent now, not with the first event
            if (exchange.getConnection() instanceof HttpServerConnection http) {
                connection.watch(http);
            }
        });
    }

    /// Reads while events are sent, to notice the end of the connection without having to write.
    private void watch(AbstractServerConnection http) {
        http.addCloseListener(_ -> {
            over();
            exchange.endExchange();
        });
        var source = http.getOriginalSourceConduit();
        source.setReadReadyHandler(new ReadReadyHandler() {
            @Override
            public void readReady() {
                read(http.getByteBufferPool(), source::read, source::suspendReads, source::resumeReads);
            }

            @Override
            public void forceTermination() {
                cut();
            }

            @Override
            public void terminated() {
                cut();
            }
        });
        source.resumeReads();
    }

    @Override
    ByteBuffer keepAliveMessage() {
        return COMMENT.duplicate();
    }

    /// Nothing: the end of the response is sufficient; the client reconnects with the id of the last event.
    @Override
    ByteBuffer lastBytes(Ending ending) {
        return NOTHING.duplicate();
    }

    @Override
    void finish() {
        over();
        if (exchange.getConnection() instanceof HttpServerConnection http) {
            http.getOriginalSourceConduit().suspendReads();
            // without TLS the end of the connection, which has been sent everything, is the end of the response
            all.closeLater(http.getSslSessionInfo() == null ? () -> IoUtils.safeClose(http) : exchange::endExchange);
        } else {
            endStream();
        }
    }

    /// The client may not have ended its request.
    private void endStream() {
        try {
            endWrites();
            UnreadContent.endAfter(exchange);
        } catch (IOException e) {
            LOG.debug("a listener has gone", e);
            cut();
        }
    }

    /// In HTTP/2 it is only a stream that ends.
    @Override
    void cut() {
        if (exchange.getConnection() instanceof HttpServerConnection http) {
            http.getOriginalSourceConduit().suspendReads();
            http.getOriginalSinkConduit().suspendWrites();
            all.closeLater(() -> IoUtils.safeClose(http));
        } else {
            Exchanges.abort(exchange);
        }
    }

    @Override
    boolean isCut() {
        return Exchanges.isCut(exchange);
    }

    @Override
    boolean isSilent() {
        return false;
    }
}
