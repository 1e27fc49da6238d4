package org.restheart.core.server;

import io.undertow.server.HttpServerExchange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.restheart.http.ContentWait;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.ProblemException;
import org.restheart.http.RequestStart;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.channels.StreamSourceChannel;

/// The bytes of a request while they arrive. Unread bytes stay in the socket, which slows down the client.
/// Confined to one thread at a time, which may block.
///
/// From the first wait to the end of the content, or to a response that leaves it unread, the request has one of the
/// places that callers share; the caller is known by then, unless it is authenticated by the content. It waits for
/// the socket by a listener, not with the channel's own blocking calls: those keep a selector per thread.
final class ArrivingContent extends InputStream {
    private static final Logger LOG = LoggerFactory.getLogger(ArrivingContent.class);

    private static final int LARGE = 256 * 1024;

    private static final String NOBODY = CallerScope.SERVER;

    private final HttpServerExchange exchange;
    private final BodyLimits limits;
    private final FairShares places;
    private final Supplier<String> caller;

    /// Who has a place; [#NOBODY] from the end of the content or of the exchange.
    private final AtomicReference<@Nullable String> holder = new AtomicReference<>();

    private final Semaphore wakeUp = new Semaphore(0);
    private final ByteBuffer begin;
    private final int received;
    private final ArrivalRate rate;
    private @Nullable StreamSourceChannel channel;
    private boolean ended;

    /// @param places of requests whose content is awaited
    /// @param caller as [org.restheart.http.access.CallerScope] names it; asked when the content is awaited
    /// @param channel null if it has not been requested yet
    ArrivingContent(
            HttpServerExchange exchange,
            BodyLimits limits,
            FairShares places,
            Supplier<String> caller,
            byte[] begin,
            @Nullable StreamSourceChannel channel) {
        this.exchange = exchange;
        this.limits = limits;
        this.places = places;
        this.caller = caller;
        this.begin = ByteBuffer.wrap(begin);
        this.received = begin.length;
        this.rate = new ArrivalRate(limits.timeout());
        this.channel = channel;
        Exchanges.onComplete(exchange, () -> {
            leave();
            wakeUp.release();
        });
    }

    int received() {
        return received;
    }

    @Override
    public int read() {
        var one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    /// @throws ProblemException 400 if the client disconnected, 408 if it was too slow, 413 beyond the limit, 503 if
    ///     the caller has too many requests that wait
    @Override
    public int read(byte[] bytes, int offset, int wanted) {
        if (ended || wanted == 0) {
            return ended ? -1 : 0;
        }
        if (begin.hasRemaining()) {
            int n = Math.min(wanted, begin.remaining());
            begin.get(bytes, offset, n);
            rate.arrived(n);
            return n;
        }
        try {
            if (channel == null) {
                channel = exchange.getRequestChannel();
            }
            int n;
            while ((n = channel.read(ByteBuffer.wrap(bytes, offset, wanted))) == 0) {
                ContentFraming.requireSound(exchange);
                await(channel);
            }
            if (n < 0) {
                ended = true;
                leave();
                return -1;
            }
            count(n);
            if (rate.length() > limits.streamed()) {
                throw limits.tooMuch().raise();
            }
            return n;
        } catch (ContentFraming.Malformed e) {
            throw broken(ProblemCode.BAD_REQUEST, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            LOG.debug("the content of a request did not arrive", e);
            throw broken(ProblemCode.BAD_REQUEST, "the content did not arrive completely");
        }
    }

    /// A large request keeps MongoDB busy for longer than the time limit of one that is there from the
    /// beginning.
    private void count(int bytes) {
        if (rate.length() / LARGE != (rate.length() + bytes) / LARGE) {
            RequestStart.renew();
        }
        rate.arrived(bytes);
    }

    private void requirePlace() {
        if (holder.get() != null) {
            return;
        }
        var taker = caller.get();
        if (!places.tryTake(taker)) {
            exchange.setPersistent(false);
            throw Problem.overloaded("too many requests of this client send their content slowly")
                    .raise();
        }
        if (!holder.compareAndSet(null, taker)) { // the exchange has ended
            places.release(taker);
        }
    }

    /// No more content is read: gives the place back. The response may need one.
    void leave() {
        var taker = holder.getAndSet(NOBODY);
        if (taker != null && !taker.equals(NOBODY)) {
            places.release(taker);
        }
    }

    private void await(StreamSourceChannel channel) throws IOException {
        requirePlace();
        channel.getReadSetter().set(ready -> {
            ready.suspendReads();
            wakeUp.release();
        });
        channel.resumeReads();
        long began = System.nanoTime();
        long allowed = rate.timeout();
        ContentWait.began();
        try {
            if (allowed <= 0 || !wakeUp.tryAcquire(allowed, TimeUnit.NANOSECONDS)) {
                throw broken(ProblemCode.CONTENT_TIMED_OUT, "the content arrives too slowly");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while content was arriving", e);
        } finally {
            ContentWait.ended();
        }
        rate.waited(System.nanoTime() - began);
        RequestStart.renew();
        if (exchange.isComplete() || !exchange.getConnection().isOpen()) {
            throw new IOException("the client has gone");
        }
    }

    private ProblemException broken(ProblemCode code, String message) {
        exchange.setPersistent(false);
        return new ProblemException(code, message);
    }

    /// Does nothing: the exchange ends the channel.
    @Override
    public void close() {}

    /// The timeout of content that is still arriving: in any time in which the server waits for it, at least 500
    /// bytes per second must arrive, but for a configured timeout. What has arrived before buys no longer wait:
    /// clients could hold memory and places for hours by sending most of their content at once. Confined to one
    /// request. What clients take of responses has the same rate.
    ///
    /// This is a token bucket: bytes add time to it, but never more than the timeout, and waiting takes time out.
    static final class ArrivalRate {
        private static final long NANOS_PER_BYTE = TimeUnit.SECONDS.toNanos(1) / 500;

        private final long maxPause;
        private long length;

        /// How long may be waited, in nanoseconds.
        private long left;

        /// @param timeout how long nothing may arrive, and how long content may take before its rate is checked
        ArrivalRate(Duration timeout) {
            this.maxPause = timeout.toNanos();
            this.left = maxPause;
        }

        /// To be called after [#waited] for the wait that these bytes have ended.
        void arrived(int bytes) {
            length += bytes;
            left = Math.min(maxPause, left + NANOS_PER_BYTE * bytes);
        }

        /// @param nanos time for which the server waited and nothing arrived
        void waited(long nanos) {
            left -= nanos;
        }

        long length() {
            return length;
        }

        /// How long to wait for the next bytes, in nanoseconds; 0 or less if the content is too slow already.
        long timeout() {
            return left;
        }
    }
}
