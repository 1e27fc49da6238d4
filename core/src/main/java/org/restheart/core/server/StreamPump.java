package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.restheart.http.Content;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.channels.StreamSinkChannel;

/// Pulls streamed content and sends it, on a virtual thread of its own, as fast as the client takes it.
///
/// It waits for the socket by a listener, not with the channel's own blocking calls: those keep a selector per
/// thread.
final class StreamPump implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(StreamPump.class);

    /// Bytes per write: the JDK copies the whole of a buffer in the heap for each write, also what the socket does not
    /// take.
    private static final int MAX_WRITE = 64 << 10;

    private final HttpServerExchange exchange;
    private final Content.Source source;
    private final Duration timeout;
    private final Semaphore wakeUp = new Semaphore(0);

    /// @param timeout after which, without progress, the response is cut: in HTTP/2 its stream is reset,
    /// in HTTP/1.1 its connection is closed. The cursor of the content is closed, too
    StreamPump(HttpServerExchange exchange, Content.Source source, Duration timeout) {
        this.timeout = timeout;
        this.exchange = exchange;
        this.source = source;
        AtEnd.of(exchange, wakeUp::release);
    }

    @Override
    public void run() {
        try (source) {
            var channel = exchange.getResponseChannel();
            for (var chunk = source.next(); chunk.hasRemaining(); chunk = source.next()) {
                send(channel, chunk.duplicate());
            }
            UnreadContent.endAfter(exchange);
        } catch (IOException e) {
            LOG.debug("a streamed response ends early", e);
            cut();
        } catch (Throwable e) { // the head is sent: cutting the response is the only way to report the failure
            LOG.error("a streamed response failed", e);
            cut();
        }
    }

    private void send(StreamSinkChannel channel, ByteBuffer chunk) throws IOException, InterruptedException {
        int end = chunk.limit();
        while (chunk.position() < end) {
            chunk.limit(Math.min(end, chunk.position() + MAX_WRITE));
            if (channel.write(chunk) == 0) {
                awaitWritable(channel);
            }
        }
        while (!channel.flush()) {
            awaitWritable(channel);
        }
    }

    private void awaitWritable(StreamSinkChannel channel) throws IOException, InterruptedException {
        channel.getWriteSetter().set(ready -> {
            ready.suspendWrites();
            wakeUp.release();
        });
        channel.resumeWrites();
        if (!wakeUp.tryAcquire(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IOException("the client took nothing for " + timeout);
        }
        if (!exchange.getConnection().isOpen() || exchange.isResponseComplete()) {
            throw new IOException("the client has gone");
        }
    }

    /// Ends the response without ending the content.
    private void cut() {
        Http2Connections.abort(exchange);
    }
}
