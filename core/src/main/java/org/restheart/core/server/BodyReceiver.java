package org.restheart.core.server;

import io.undertow.server.Connectors;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpContinue;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.restheart.http.Body;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.ChannelListener;
import org.xnio.XnioExecutor;
import org.xnio.channels.StreamSourceChannel;

/// Receives the content of one request that arrives with its head, as nearly all content does, on its I/O thread
/// and without blocking (figures in decision 5). Large or late content arrives while the request is authorized, as far
/// as its head decides that. Confined to the I/O thread.
final class BodyReceiver implements ChannelListener<StreamSourceChannel> {
    private static final Logger LOG = LoggerFactory.getLogger(BodyReceiver.class);

    /// Most bytes that are received before the caller is authenticated.
    private static final int MAX_EARLY = 16 * 1024;

    /// Clients that send head and content in two pieces usually do so within this time.
    private static final long GRACE_MILLIS = 10;

    private final HttpServerExchange exchange;
    private final BodyLimits limits;
    private final BodyLimits.Counter counter;
    private final Receiver receiver;
    private byte[] content = new byte[0];
    private int length;
    private XnioExecutor.@Nullable Key grace;

    /// Called once, in a call of the exchange's root handler.
    interface Receiver {
        /// The content is complete, or cannot be read.
        void received(Body body);

        /// The content has invalid framing, so the beginning of the next request is unknown.
        void malformed(String message);

        /// More is to come, after these bytes.
        ///
        /// @param channel null if it has not been requested yet
        void arriving(byte[] begin, @Nullable StreamSourceChannel channel);
    }

    private BodyReceiver(
            HttpServerExchange exchange, BodyLimits limits, BodyLimits.Counter counter, Receiver receiver) {
        this.exchange = exchange;
        this.limits = limits;
        this.counter = counter;
        this.receiver = receiver;
    }

    static void receive(HttpServerExchange exchange, BodyLimits limits, BodyLimits.Counter counter, Receiver receiver) {
        if (exchange.isRequestComplete()) {
            receiver.received(Body.EMPTY);
        } else if (RequestHead.contentLength(exchange) > limits.perRequest()) {
            receiver.received(limits.tooLarge());
        } else if (HttpContinue.requiresContinueResponse(exchange)) { // asking for content would send for it
            receiver.arriving(new byte[0], null);
        } else {
            new BodyReceiver(exchange, limits, counter, receiver).start(exchange.getRequestChannel());
        }
    }

    private void start(StreamSourceChannel channel) {
        try {
            var body = read(channel);
            if (body != null) {
                receiver.received(body);
            } else if (isLong()) {
                receiver.arriving(content, channel);
            } else {
                channel.getReadSetter().set(this);
                channel.resumeReads();
                grace = exchange.getIoThread().executeAfter(() -> leave(channel), GRACE_MILLIS, TimeUnit.MILLISECONDS);
            }
        } catch (ContentFraming.Malformed e) {
            refuse(e);
        } catch (IOException e) {
            abandon(e);
        }
    }

    private boolean isLong() {
        return length >= MAX_EARLY || RequestHead.contentLength(exchange) > MAX_EARLY;
    }

    @Override
    public void handleEvent(StreamSourceChannel channel) {
        if (grace == null) {
            return; // handed over in the meantime
        }
        try {
            var body = read(channel);
            if (body != null) {
                stopWaiting(channel);
                Connectors.executeRootHandler(_ -> receiver.received(body), exchange);
            } else if (isLong()) {
                leave(channel);
            }
        } catch (ContentFraming.Malformed e) {
            stopWaiting(channel);
            Connectors.executeRootHandler(_ -> refuse(e), exchange);
        } catch (IOException e) {
            stopWaiting(channel);
            abandon(e);
        }
    }

    private void leave(StreamSourceChannel channel) {
        if (grace != null && !exchange.isComplete()) {
            stopWaiting(channel);
            Connectors.executeRootHandler(_ -> receiver.arriving(content, channel), exchange);
        }
    }

    private void stopWaiting(StreamSourceChannel channel) {
        channel.suspendReads();
        channel.getReadSetter().set(null);
        if (grace != null) {
            grace.remove();
            grace = null;
        }
    }

    /// @return null while more is to come
    private @Nullable Body read(StreamSourceChannel channel) throws IOException {
        try (var pooled = exchange.getConnection().getByteBufferPool().allocate()) {
            var buffer = pooled.getBuffer();
            while (length < MAX_EARLY) {
                buffer.clear();
                int n = channel.read(buffer);
                if (n < 0) {
                    return limits.received(content, counter);
                }
                if (n == 0) {
                    ContentFraming.requireSound(exchange);
                    return null;
                }
                if ((long) length + n > limits.perRequest()) {
                    return limits.tooLarge();
                }
                if (!counter.add(n)) {
                    return limits.noRoom();
                }
                content = Arrays.copyOf(content, length + n);
                buffer.flip().get(content, length, n);
                length += n;
            }
            return null;
        }
    }

    private void refuse(ContentFraming.Malformed e) {
        receiver.malformed(String.valueOf(e.getMessage()));
    }

    /// The client has disconnected, so there is no response.
    private void abandon(IOException e) {
        LOG.debug("the content of a request did not arrive", e);
        exchange.setPersistent(false);
        exchange.setStatusCode(400);
        exchange.endExchange();
    }
}
