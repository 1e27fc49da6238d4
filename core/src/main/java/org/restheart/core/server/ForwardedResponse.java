package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpServerConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.XnioExecutor;
import org.xnio.conduits.AbstractStreamSinkConduit;
import org.xnio.conduits.StreamSinkConduit;

/// The response of a proxy's target on its way to the client, who must take what there is: the response occupies a
/// connection to the target. A target may send nothing for as long as it likes. Confined to the exchange's I/O thread.
///
/// What the target has sent so far is sent at once. Undertow keeps a response of HTTP/2, with its head, until a buffer
/// is full or the response ends, so events of a stream would not arrive.
final class ForwardedResponse extends AbstractStreamSinkConduit<StreamSinkConduit> {
    private static final Logger LOG = LoggerFactory.getLogger(ForwardedResponse.class);
    private static final long INTERVAL_SECONDS = 1;

    private final HttpServerExchange exchange;
    private final Duration timeout;
    private final Runnable abandon;

    /// Undertow keeps what was written, until it is flushed.
    private final boolean keeps;

    private boolean flushing;

    /// While the client has not taken all.
    private XnioExecutor.@Nullable Key look;

    /// The last write left bytes to the target's connection.
    private boolean full;

    private long written;
    private long seen;
    private long since;
    private boolean ended;

    private ForwardedResponse(StreamSinkConduit next, HttpServerExchange exchange, Duration timeout, Runnable abandon) {
        super(next);
        this.exchange = exchange;
        this.timeout = timeout;
        this.abandon = abandon;
        this.keeps = !(exchange.getConnection() instanceof HttpServerConnection);
        Exchanges.onComplete(exchange, this::end);
        flushSoon(); // the head, of a target that sends nothing else yet
    }

    /// Called before the response begins.
    ///
    /// @param timeout how long the client may take nothing of what there is
    /// @param abandon ends the response otherwise
    static void watch(HttpServerExchange exchange, Duration timeout, Runnable abandon) {
        exchange.addResponseWrapper(
                (factory, _) -> new ForwardedResponse(factory.create(), exchange, timeout, abandon));
    }

    /// When all that has arrived was written.
    private void flushSoon() {
        if (!keeps || flushing || ended) {
            return;
        }
        flushing = true;
        try {
            exchange.getIoThread().execute(this::flushNow);
        } catch (RejectedExecutionException _) { // the server has stopped
            ended = true;
        }
    }

    private void flushNow() {
        flushing = false;
        if (ended) {
            return;
        }
        try {
            flush();
        } catch (IOException e) { // the next write fails as well
            LOG.debug("the client of a proxied response has gone", e);
        }
    }

    @Override
    public boolean flush() throws IOException {
        boolean done = next.flush();
        if (!done) {
            lookLater();
        }
        return done;
    }

    @Override
    public int write(ByteBuffer bytes) throws IOException {
        return written(next.write(bytes), bytes.hasRemaining());
    }

    @Override
    public long write(ByteBuffer[] bytes, int offset, int length) throws IOException {
        long n = next.write(bytes, offset, length);
        boolean left = false;
        for (int i = offset; i < offset + length; i++) {
            left |= bytes[i].hasRemaining();
        }
        written(n, left);
        return n;
    }

    private int written(int n, boolean left) {
        written((long) n, left);
        return n;
    }

    private void written(long n, boolean left) {
        written += Math.max(0, n);
        full = left;
        if (full) {
            lookLater();
        }
        flushSoon();
    }

    private void lookLater() {
        if (look == null && !ended) {
            seen = written;
            since = System.nanoTime();
            lookAgain();
        }
    }

    private void lookAgain() {
        look = exchange.getIoThread().executeAfter(this::look, INTERVAL_SECONDS, TimeUnit.SECONDS);
    }

    /// Also has Undertow send what the client's window did not take before.
    private void look() {
        look = null;
        if (ended || isTaken()) {
            return;
        }
        if (written > seen) {
            lookLater();
        } else if (System.nanoTime() - since < timeout.toNanos()) {
            lookAgain();
        } else {
            LOG.debug("a client took nothing of a proxied response for {}", timeout);
            abandon.run();
        }
    }

    private boolean isTaken() {
        try {
            return next.flush() && !full;
        } catch (IOException e) {
            LOG.debug("the client of a proxied response has gone", e);
            return true;
        }
    }

    private void end() {
        ended = true;
        if (look != null) {
            look.remove();
            look = null;
        }
    }
}
