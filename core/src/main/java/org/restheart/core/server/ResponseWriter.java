package org.restheart.core.server;

import io.undertow.io.IoCallback;
import io.undertow.io.Sender;
import io.undertow.server.Connectors;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpContinue;
import io.undertow.server.protocol.http.HttpServerConnection;
import io.undertow.util.Headers;
import io.undertow.util.Methods;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.restheart.core.server.ArrivingContent.ArrivalRate;
import org.restheart.http.Content;
import org.restheart.http.Fatal;
import org.restheart.http.Lease;
import org.restheart.http.Response.Ready;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.XnioExecutor;
import org.xnio.channels.StreamSinkChannel;

/// Sends responses without blocking: writing continues on the I/O thread when the socket is writable.
/// Thread-safe.
///
/// @param timeout after which the connection of a client is closed that takes too little of a stream
record ResponseWriter(
        Executor threads, PushConnections pushes, BodyLimits bodies, Admission admission, Duration timeout) {
    private static final Logger LOG = LoggerFactory.getLogger(ResponseWriter.class);
    private static final IoCallback END = new End();

    /// Bytes of content that a connection may refer to when it is sent.
    private static final int MAX_KEPT = 32 << 10;

    private static final int BEGINNING = 1 << 10;

    void send(HttpServerExchange exchange, Ready response) {
        // the client has disconnected in the meantime
        if (exchange.isResponseStarted() || exchange.isResponseComplete()) {
            LOG.debug("a response had nobody to go to");
            response.content().abandon();
            exchange.endExchange();
            return;
        }
        if (admission.isStopAnnounced() && exchange.isHttp11() && response.status() != 101) {
            exchange.setPersistent(false); // the client should use another connection for its next request
        }
        head(exchange, response);
        boolean contentAllowed = Connectors.isEntityBodyAllowed(response.status());
        switch (response.content()) {
            case Content.None _ -> empty(exchange);
            case Content.Bytes bytes
            when contentAllowed && isKept(exchange, bytes) ->
                exchange.dispatch(threads, new StreamPump(exchange, bytes.streamed(0, source -> source), timeout));
            case Content.Bytes bytes when contentAllowed -> bytes(exchange, bytes);
            case Content.Bytes _ -> empty(exchange);
            case Content.Streamed streamed
            when contentAllowed && !isHead(exchange) -> {
                inChunks(exchange);
                exchange.dispatch(threads, new StreamPump(exchange, streamed, timeout));
            }
            case Content.Streamed streamed -> {
                streamed.source().close();
                withoutContent(exchange);
            }
            case Content.Push push
            when isHead(exchange) -> {
                push.abandon();
                withoutContent(exchange);
            }
            case Content.Push(var subscription) -> {
                switch (subscription.transport()) {
                    case WEB_SOCKET -> WebSocketConnection.upgrade(exchange, subscription, bodies, pushes);
                    case SSE -> SseConnection.begin(exchange, subscription, pushes);
                }
            }
        }
    }

    private static void head(HttpServerExchange exchange, Ready response) {
        exchange.setStatusCode(response.status());
        addHeaders(exchange, response);
        boolean isHttp1 = exchange.getConnection() instanceof HttpServerConnection;
        if (isHttp1 && !exchange.isRequestComplete() && HttpContinue.requiresContinueResponse(exchange)) {
            // The client may or may not send its content after this response: the next bytes would be ambiguous.
            exchange.setPersistent(false);
        }
        if (isHttp1 && !exchange.isPersistent() && response.status() != 101) { // Undertow omits it with 204 and 304
            exchange.getResponseHeaders().put(Headers.CONNECTION, "close");
        }
    }

    private static void addHeaders(HttpServerExchange exchange, Ready response) {
        var fields = exchange.getResponseHeaders();
        response.headers()
                .forEach((name, value) -> fields.add(UndertowHeaders.sent(name), UndertowHeaders.value(value)));
    }

    /// Undertow would let the end of the connection end the content where the client closes it: then what was cut
    /// looked whole.
    private static void inChunks(HttpServerExchange exchange) {
        var fields = exchange.getResponseHeaders();
        if (exchange.isHttp11() && !fields.contains(Headers.CONTENT_LENGTH)) {
            fields.put(Headers.TRANSFER_ENCODING, "chunked");
        }
    }

    private static boolean isHead(HttpServerExchange exchange) {
        return exchange.getRequestMethod().equals(Methods.HEAD);
    }

    /// Whether Undertow would keep the response until it has ended, which it has in HTTP/2 when the request has.
    private static boolean isKept(HttpServerExchange exchange, Content.Bytes bytes) {
        return !(exchange.getConnection() instanceof HttpServerConnection)
                && UnreadContent.isAwaited(exchange)
                && !isHead(exchange)
                && bytes.length() > 0;
    }

    private static void bytes(HttpServerExchange exchange, Content.Bytes bytes) {
        exchange.setResponseContentLength(bytes.length());
        if (isHead(exchange) || bytes.length() == 0) {
            exchange.endExchange();
        } else {
            var buffer = bytes.buffer().duplicate();
            if (buffer.remaining() <= MAX_KEPT) {
                exchange.getResponseSender().send(buffer, END);
            } else {
                exchange.getResponseSender().send(beginning(buffer), new Beginning(buffer));
            }
        }
    }

    /// The first bytes, in memory of their own. Undertow writes them together with the head, and refers to
    /// what it has written so until the connection writes its next head, or is closed: as long as it is
    /// idle.
    private static ByteBuffer beginning(ByteBuffer content) {
        var copy = ByteBuffer.allocate(Math.min(BEGINNING, content.remaining()));
        copy.put(content.slice().limit(copy.capacity()));
        content.position(content.position() + copy.capacity());
        return copy.flip();
    }

    private static void empty(HttpServerExchange exchange) {
        if (!UnreadContent.isAwaited(exchange)) {
            UnreadContent.endWithout(exchange);
            return;
        }
        exchange.setResponseContentLength(0);
        withoutContent(exchange);
    }

    /// Sends the head alone, with the length that it states or none: that of streamed content is unknown to `HEAD`, as
    /// it is to `GET`.
    private static void withoutContent(HttpServerExchange exchange) {
        var channel = exchange.getResponseChannel();
        try {
            channel.shutdownWrites();
            if (!channel.flush()) {
                LOG.debug("the head of a response did not fit into the socket");
            }
            UnreadContent.endAfter(exchange);
        } catch (IOException e) {
            LOG.debug("a response was not taken", e);
            Exchanges.abort(exchange);
        }
    }

    private static class End implements IoCallback {
        @Override
        public void onComplete(HttpServerExchange exchange, Sender sender) {
            UnreadContent.endAfter(exchange);
        }

        @Override
        public void onException(HttpServerExchange exchange, Sender sender, IOException e) {
            LOG.debug("a response was not taken", e);
            Exchanges.abort(exchange);
        }
    }

    private static final class Beginning extends End {
        private final ByteBuffer rest;

        Beginning(ByteBuffer rest) {
            this.rest = rest;
        }

        @Override
        public void onComplete(HttpServerExchange exchange, Sender sender) {
            sender.send(rest, END);
        }
    }

    /// Pulls streamed content and sends it, on a virtual thread of its own, as fast as the client takes it.
    ///
    /// It waits for the socket by a listener, not with the channel's own blocking calls: those keep a selector per
    /// thread.
    private static final class StreamPump implements Runnable {
        private static final int LOOK_MILLIS = 1_000;

        private final HttpServerExchange exchange;

        /// Until it runs: the connection, and with it this, may be there long after the response.
        private Content.@Nullable Source content;

        private final boolean isOwned;
        private final Lease lease;

        /// How long the client may be waited for. Confined to the pump's thread.
        private final ArrivalRate rate;

        private final Semaphore wakeUp = new Semaphore(0);

        /// While it pulls. Guarded by this, as are the next fields.
        private @Nullable Thread pulling;

        private boolean isGone;
        private boolean isExchangeOver;
        private boolean isOver;
        private XnioExecutor.@Nullable Key next;

        /// @param timeout after which, without progress, the response is cut: in HTTP/2 its stream is reset,
        /// in HTTP/1.1 its connection is closed. The cursor of the content is closed, too
        StreamPump(HttpServerExchange exchange, Content.Streamed content, Duration timeout) {
            this.rate = new ArrivalRate(timeout);
            this.exchange = exchange;
            this.content = content.source();
            this.lease = content.lease();
            this.isOwned = lease.tryRetain(); // until the source is closed, also if the client has gone before
            Exchanges.onComplete(exchange, this::endExchange);
            lookLater();
        }

        @Override
        public void run() {
            var source = Objects.requireNonNull(content);
            content = null;
            try (source) {
                if (!isOwned) {
                    throw new IOException("the client has gone");
                }
                var channel = exchange.getResponseChannel();
                boolean begins = true;
                for (var chunk = pull(source); chunk.hasRemaining(); chunk = pull(source)) {
                    var content = chunk.duplicate();
                    if (begins) {
                        send(channel, beginning(content));
                        begins = false;
                    }
                    send(channel, content);
                }
                UnreadContent.endAfter(exchange);
            } catch (IOException | CancellationException e) {
                LOG.debug("a streamed response ends early", e);
                cut();
            } catch (Throwable e) { // the head is sent: cutting the response is the only way to report the failure
                Fatal.exitOn(e);
                LOG.error("a streamed response failed", e);
                cut();
            } finally {
                stopLooking();
                if (isOwned) {
                    lease.close();
                }
            }
        }

        private ByteBuffer pull(Content.Source source) throws Exception {
            synchronized (this) {
                pulling = Thread.currentThread();
            }
            try {
                return source.next();
            } catch (Exception e) {
                if (isGone()) {
                    throw new IOException("the client has gone", e);
                }
                throw e;
            } finally {
                synchronized (this) {
                    pulling = null;
                    if (isGone) {
                        Thread.interrupted(); // the source is closed next
                    }
                }
            }
        }

        private synchronized boolean isGone() {
            return isGone;
        }

        private synchronized void lookLater() {
            if (!isOver) {
                next = Exchanges.executeAfter(exchange.getIoThread(), this::look, LOOK_MILLIS);
            }
        }

        /// Ends the wait for a source, or for a client, that has gone.
        private synchronized void look() {
            if (!isOver && !isGone && isNobodyThere()) {
                isGone = true;
                wakeUp.release();
                if (pulling != null) {
                    pulling.interrupt();
                }
            }
            lookLater();
        }

        /// Only while the source is pulled does no thread write, which must not be disturbed by one that reads;
        /// and what comes after the exchange is the next request.
        private boolean isNobodyThere() {
            boolean mayRead = pulling != null && !isExchangeOver;
            return mayRead ? Exchanges.isClientGone(exchange) : Exchanges.isCut(exchange);
        }

        private synchronized void endExchange() {
            isExchangeOver = true;
            wakeUp.release();
        }

        private synchronized void stopLooking() {
            isOver = true;
            if (next != null) {
                next.remove();
            }
        }

        private void send(StreamSinkChannel channel, ByteBuffer chunk) throws IOException, InterruptedException {
            int end = chunk.limit();
            while (chunk.position() < end) {
                chunk.limit(Math.min(end, chunk.position() + PushConnection.MAX_WRITE));
                int written = channel.write(chunk);
                rate.arrived(written);
                if (written == 0) {
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
            long began = System.nanoTime();
            boolean isAwake = wakeUp.tryAcquire(rate.timeout(), TimeUnit.NANOSECONDS);
            rate.waited(System.nanoTime() - began);
            if (!isAwake) {
                throw new IOException("the client takes too little");
            }
            if (isGone() || Exchanges.isCut(exchange) || exchange.isResponseComplete()) {
                throw new IOException("the client has gone");
            }
        }

        private void cut() {
            Exchanges.abort(exchange);
        }
    }
}
