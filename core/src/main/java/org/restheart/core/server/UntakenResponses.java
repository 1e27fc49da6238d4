package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpServerConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.restheart.core.server.ArrivingContent.ArrivalRate;
import org.restheart.http.Content;
import org.restheart.http.Lease;
import org.restheart.http.Response.Ready;
import org.restheart.http.access.FairShares;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.XnioExecutor;

/// Responses that wait for their clients to take them. A client of HTTP/2 decides when even the smallest of its
/// responses may be sent, and may have thousands on one connection. Bounded are the requests in flight that one
/// caller delays in this way, the memory that their heads need, and the time without progress; what they hold has a
/// [org.restheart.http.Lease]. Thread-safe.
///
/// @param timeout after which the response to a client is cut that takes nothing, or less than [ArrivalRate] asks
///     for: in HTTP/2 its stream is reset, in HTTP/1.1 its connection is closed
record UntakenResponses(FairShares places, HeadMemory heads, Duration timeout) {
    private static final Logger LOG = LoggerFactory.getLogger(UntakenResponses.class);

    /// The I/O thread begins what is due later only when no other task is left: what it still had to write is written.
    private static final long SOON_MILLIS = 1;

    /// Reserves what a response needs until its client has taken it.
    ///
    /// @param caller as [org.restheart.http.access.CallerScope] names it
    /// @return the response to send instead; empty if its caller has too much
    Optional<Ready> reserve(HttpServerExchange exchange, Supplier<String> caller, Ready response) {
        var content = response.content();
        if (content instanceof Content.Push(var subscription)) {
            return heads.reserveListener(exchange, caller, subscription)
                    .map(counted -> response.with(new Content.Push(counted)));
        }
        if (isLarge(content)) {
            var payer = caller.get();
            return add(exchange, payer) && heads.reserveHead(exchange, payer)
                    ? Optional.of(response)
                    : Optional.empty();
        }
        boolean waits = content instanceof Content.Streamed;
        return !waits || add(exchange, caller.get()) ? Optional.of(response) : Optional.empty();
    }

    /// What a client of HTTP/1.1 takes only by reading it. It is refused before it is sent; a small response can only
    /// be cut.
    private static boolean isLarge(Content content) {
        return content instanceof Content.Bytes bytes && bytes.length() > Lease.SMALL;
    }

    private boolean add(HttpServerExchange exchange, String caller) {
        if (!places.tryTake(caller)) {
            return false;
        }
        Exchanges.onComplete(exchange, () -> places.release(caller));
        return true;
    }

    /// Counts a response that is in memory as a whole and that its client has not taken at once; others have limits of
    /// their own. To be called when it was sent. Closes the connection if its client delays too much already.
    void sent(HttpServerExchange exchange, Content content, Supplier<String> caller) {
        if (content instanceof Content.Push || content instanceof Content.Streamed) {
            return;
        }
        long length = content instanceof Content.Bytes bytes ? bytes.length() : 0;
        if (isTaken(exchange, length)) {
            return;
        }
        if (length > Lease.SMALL) { // has its place
            StalledResponse.watch(exchange, timeout);
            return;
        }
        var _ = Exchanges.executeAfter( // where the rest is sent, so that the exchange does not end in between
                exchange.getIoThread(),
                () -> {
                    if (!isTaken(exchange, length)) {
                        await(exchange, caller.get());
                    }
                },
                SOON_MILLIS);
    }

    /// In HTTP/1.1 the operating system has what was written, while the exchange may go on with unread content.
    /// In HTTP/2 what was written may wait for the client's window, and unread content lets a stream stay for as
    /// long as the client likes: it may have any number of them.
    private static boolean isTaken(HttpServerExchange exchange, long length) {
        return exchange.getConnection() instanceof HttpServerConnection
                ? exchange.isResponseComplete() || exchange.getResponseBytesSent() >= length
                : exchange.isResponseComplete() && exchange.isRequestComplete();
    }

    private void await(HttpServerExchange exchange, String caller) {
        if (add(exchange, caller) && heads.reserveHead(exchange, caller)) {
            StalledResponse.watch(exchange, timeout);
        } else {
            LOG.debug("a client has too many responses that it has not taken");
            Http2Connections.close(exchange);
        }
    }

    /// Ends a response of which the client takes too little for a time, since it stays in memory meanwhile:
    /// closes the connection of HTTP/1.1, resets the stream of HTTP/2. Ends it soon when the client has reset
    /// the stream. Thread-safe.
    private static final class StalledResponse {
        private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

        private final HttpServerExchange exchange;

        /// Guarded by this, like all below.
        private final ArrivalRate rate;

        /// Removed at the end: a finished response is not kept by its timer.
        private XnioExecutor.@Nullable Key timer;

        private boolean ended;
        private long sent;
        private long looked;

        private StalledResponse(HttpServerExchange exchange, Duration timeout) {
            this.exchange = exchange;
            this.rate = new ArrivalRate(timeout.multipliedBy(2));
        }

        /// Watches a response until its exchange ends. To be called before it is sent.
        ///
        /// @param timeout half of the longest time without progress
        static void watch(HttpServerExchange exchange, Duration timeout) {
            var watch = new StalledResponse(exchange, timeout);
            Exchanges.onComplete(exchange, watch::end); // which may have been reached
            watch.await();
        }

        private synchronized void await() {
            sent = exchange.getResponseBytesSent();
            looked = System.nanoTime();
            lookLater();
        }

        private synchronized void lookLater() {
            if (!ended) {
                long nanos = Math.clamp(rate.timeout(), 0, LOOK_NANOS);
                timer = exchange.getIoThread().executeAfter(this::look, nanos, TimeUnit.NANOSECONDS);
            }
        }

        private synchronized void look() {
            if (ended) {
                return;
            }
            long now = System.nanoTime();
            long taken = exchange.getResponseBytesSent();
            rate.waited(now - looked);
            rate.arrived((int) Math.min(Integer.MAX_VALUE, taken - sent));
            looked = now;
            sent = taken;
            if (!Exchanges.isCut(exchange) && rate.timeout() > 0) {
                lookLater();
            } else {
                LOG.debug("a client has gone, or takes too little of a response");
                Exchanges.abort(exchange);
            }
        }

        private synchronized void end() {
            ended = true;
            if (timer != null) {
                timer.remove();
            }
        }
    }
}
