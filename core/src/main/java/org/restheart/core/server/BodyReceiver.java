package org.restheart.core.server;

import io.undertow.server.Connectors;
import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Body;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.ChannelListener;
import org.xnio.XnioExecutor;
import org.xnio.channels.StreamSourceChannel;

/// Receives the content of one request on its I/O thread, without ever waiting there. Confined to that thread.
///
/// Memory is taken as bytes arrive: a `Content-Length` alone does not make the server allocate more than a
/// first piece.
final class BodyReceiver implements ChannelListener<StreamSourceChannel> {
    private static final Logger LOG = LoggerFactory.getLogger(BodyReceiver.class);
    private static final int FIRST_PIECE = 64 * 1024;

    /// Content has to arrive at 500 bytes per second at least, on average.
    private static final long NANOS_PER_BYTE = TimeUnit.SECONDS.toNanos(1) / 500;

    private final HttpServerExchange exchange;
    private final BodyLimits limits;
    private final BodyLimits.Account account;
    private final Consumer<Body> then;
    private final long announced;
    private final long began = System.nanoTime();
    private byte[] content;
    private int length;
    private XnioExecutor.@Nullable Key check;

    private BodyReceiver(
            HttpServerExchange exchange, BodyLimits limits, BodyLimits.Account account, Consumer<Body> then) {
        this.exchange = exchange;
        this.limits = limits;
        this.account = account;
        this.then = then;
        this.announced = exchange.getRequestContentLength();
        this.content = new byte[announced < 0 ? 4 * 1024 : (int) Math.min(announced, FIRST_PIECE)];
    }

    /// Hands the content on when it is complete, from a call of the exchange's root handler: now, or later from
    /// a call of its own. A content that is too large is not read to its end: what is handed on then refuses to
    /// be read.
    ///
    /// @param account where the bytes that the content occupies are booked
    static void receive(
            HttpServerExchange exchange, BodyLimits limits, BodyLimits.Account account, Consumer<Body> then) {
        if (exchange.isRequestComplete()) {
            then.accept(Body.EMPTY);
        } else if (exchange.getRequestContentLength() > limits.perRequest()) {
            then.accept(limits.tooLarge());
        } else {
            new BodyReceiver(exchange, limits, account, then).start(exchange.getRequestChannel());
        }
    }

    private void start(StreamSourceChannel channel) {
        try {
            var body = read(channel);
            if (body == null) {
                channel.getReadSetter().set(this);
                channel.resumeReads();
                checkAfter(limits.patience().toNanos());
            } else {
                then.accept(body);
            }
        } catch (IOException e) {
            abandon(e);
        }
    }

    @Override
    public void handleEvent(StreamSourceChannel channel) {
        try {
            var body = read(channel);
            if (body != null) {
                channel.suspendReads();
                stopChecking();
                Connectors.executeRootHandler(_ -> then.accept(body), exchange);
            }
        } catch (IOException e) {
            abandon(e);
        }
    }

    /// @return null while more is to come
    private @Nullable Body read(StreamSourceChannel channel) throws IOException {
        try (var pooled = exchange.getConnection().getByteBufferPool().allocate()) {
            var buffer = pooled.getBuffer();
            while (true) {
                buffer.clear();
                int n = channel.read(buffer);
                if (n < 0) {
                    return Body.of(length == content.length ? content : Arrays.copyOf(content, length));
                }
                if (n == 0) {
                    return null;
                }
                if ((long) length + n > limits.perRequest()) {
                    return limits.tooLarge();
                }
                if (!account.book(n)) {
                    return limits.noRoom();
                }
                makeRoom(length + n);
                buffer.flip().get(content, length, n);
                length += n;
            }
        }
    }

    private void makeRoom(int needed) {
        if (needed > content.length) {
            long wanted = Math.max(needed, 2L * content.length);
            content = Arrays.copyOf(content, (int) (announced < 0 ? wanted : Math.min(wanted, announced)));
        }
    }

    /// A client that sends a byte now and then must not hold a place for ever.
    private void checkPace() {
        long allowed = limits.patience().toNanos() + NANOS_PER_BYTE * length;
        long left = allowed - (System.nanoTime() - began);
        if (left > 0) {
            checkAfter(left);
        } else {
            LOG.debug("the content of a request arrives too slowly: {} bytes so far", length);
            end(408);
        }
    }

    private void checkAfter(long nanos) {
        check = exchange.getIoThread().executeAfter(this::checkPace, nanos, TimeUnit.NANOSECONDS);
    }

    private void stopChecking() {
        if (check != null) {
            check.remove();
        }
    }

    /// The client has gone or does not speak HTTP: nobody is left to answer.
    private void abandon(IOException e) {
        LOG.debug("the content of a request did not arrive", e);
        stopChecking();
        end(400);
    }

    private void end(int status) {
        exchange.setPersistent(false);
        exchange.setStatusCode(status);
        exchange.endExchange();
    }
}
