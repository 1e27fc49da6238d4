package org.restheart.core.server;

import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpServerConnection;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.security.ClientAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.StreamConnection;
import org.xnio.conduits.StreamSourceConduit;

/// Bounds the memory of heads that are not complete, in fair shares of the addresses that send them: nobody is
/// authenticated yet, and each connection may have one as large as a head may be. A connection beyond its share is
/// closed, and so is one whose head takes too long, also in HTTP/2, where Undertow does not look. Heads that arrive at
/// once are not counted, nor is a small beginning, which belongs to the memory of a connection. Thread-safe.
final class ArrivingHeads {
    private static final Logger LOG = LoggerFactory.getLogger(ArrivingHeads.class);
    private static final long LOG_AGAIN = Duration.ofMinutes(1).toNanos();

    /// Bytes of a beginning that does not count.
    private static final int SMALL = 2_048;

    private static final int UNIT = 4_096;

    private final FairShares units;
    private final long timeout;
    private final Set<Share> shares = ConcurrentHashMap.newKeySet();
    private final AtomicLong logged = new AtomicLong(System.nanoTime() - LOG_AGAIN);

    /// @param bytes of unfinished heads as they were sent, together
    /// @param timeout of a head; empty for none
    ArrivingHeads(long bytes, Optional<Duration> timeout) {
        this.units = new FairShares(Math.clamp(bytes / UNIT, 1, Integer.MAX_VALUE), 0);
        this.timeout = timeout.map(Duration::toNanos).orElse(Long.MAX_VALUE);
    }

    /// To be called last before Undertow uses the connection.
    ///
    /// @param idle is told of each request of HTTP/1.1
    void watch(StreamConnection connection, IdleConnection idle) {
        var source = connection.getSourceChannel();
        source.setConduit(new Arriving(connection, source.getConduit(), idle));
    }

    /// A root handler for requests of HTTP/1.1 that tells that their head is complete.
    static HttpHandler told(HttpHandler handler) {
        return exchange -> {
            if (exchange.getConnection() instanceof HttpServerConnection http1
                    && http1.getOriginalSourceConduit() instanceof Arriving arriving) {
                arriving.requested(exchange, http1);
            }
            handler.handleRequest(exchange);
        };
    }

    /// What one connection has taken. Does not keep it in memory: a close is not noticed, only looked for.
    private final class Share {
        private final WeakReference<StreamConnection> connection;
        private final String caller;
        private final AtomicInteger taken = new AtomicInteger();

        Share(StreamConnection connection) {
            this.connection = new WeakReference<>(connection);
            this.caller = CallerScope.address(
                    connection.getPeerAddress() instanceof InetSocketAddress peer
                            ? ClientAddress.of(peer.getAddress())
                            : "");
        }

        /// @throws IOException if the address may not have that much
        void require(long bytes) throws IOException {
            int more = (int) Math.min(Integer.MAX_VALUE, bytes / UNIT + 1) - taken.get();
            if (more <= 0) {
                return;
            }
            if (!units.tryTake(caller, more)) {
                shares.removeIf(Share::isGone);
                if (!units.tryTake(caller, more)) {
                    refuse();
                }
            }
            taken.addAndGet(more);
            shares.add(this);
        }

        private void refuse() throws IOException {
            long last = logged.get();
            if (System.nanoTime() - last > LOG_AGAIN && logged.compareAndSet(last, System.nanoTime())) {
                LOG.warn("connections of {} are closed: the heads of their requests do not arrive", caller);
            }
            throw new IOException("too many heads are arriving");
        }

        private boolean isGone() {
            var known = connection.get();
            boolean gone = known == null || !known.isOpen();
            if (gone) {
                release();
            }
            return gone;
        }

        private void release() {
            int all = taken.getAndSet(0);
            if (all > 0) {
                units.release(caller, all);
            }
        }

        void end() {
            if (taken.get() > 0) {
                shares.remove(this);
                release();
            }
        }
    }

    /// The received bytes of one connection. Confined to its I/O thread, but while a request of HTTP/1.1 is in
    /// progress, whose content is not counted here.
    private final class Arriving extends BufferedSourceConduit {
        private final Share share;
        private final IdleConnection idle;

        private volatile @Nullable HttpServerExchange current;

        /// After an upgrade to another protocol.
        private volatile boolean over;

        /// Null for HTTP/1.1, or while that is not known.
        private @Nullable Http2Heads http2;

        /// Bytes of the preface of HTTP/2 that have arrived; -1 for HTTP/1.1.
        private int preface;

        /// Of the unfinished head.
        private long bytes;

        /// When the head was found to be unfinished, in nanoseconds; 0 if it was not.
        private long began;

        Arriving(StreamConnection connection, StreamSourceConduit next, IdleConnection idle) {
            super(next);
            this.idle = idle;
            this.share = new Share(connection);
        }

        void requested(HttpServerExchange exchange, HttpServerConnection connection) {
            if (preface >= Http2Heads.DISTINCT) { // not a request
                return;
            }
            complete();
            current = exchange;
            idle.requested(exchange);
            if (connection.getExtraBytes() != null || !exchange.isRequestComplete()) {
                exchange.addExchangeCompleteListener((_, after) -> {
                    var extra = connection.getExtraBytes(); // the beginning of another head
                    bytes = extra == null ? 0 : extra.getBuffer().remaining();
                    after.proceed();
                });
            }
        }

        private void complete() {
            bytes = 0;
            began = 0;
            share.end();
        }

        @Override
        public int read(ByteBuffer to) throws IOException {
            if (over || isRequestInProgress()) {
                return next.read(to);
            }
            if (bytes > 0) {
                stillArriving();
            }
            int at = to.position();
            int read = next.read(to);
            if (read > 0) {
                arrived(to, at, read);
            }
            return read;
        }

        private boolean isRequestInProgress() {
            var exchange = current;
            if (exchange == null) {
                return false;
            }
            if (!exchange.isComplete()) {
                return true;
            }
            over = exchange.isUpgrade();
            current = null; // an idle connection does not need its memory
            return over;
        }

        private void stillArriving() throws IOException {
            long now = System.nanoTime();
            if (began == 0) {
                began = now;
            } else if (now - began > timeout) {
                throw new IOException("the head of a request did not arrive");
            }
            if (bytes > SMALL) {
                share.require(bytes);
            }
        }

        private void arrived(ByteBuffer to, int at, int read) {
            if (preface < 0) {
                bytes += read;
                return;
            }
            var frames = http2;
            var received = to.duplicate().limit(at + read).position(at);
            if (frames == null) {
                preface = Http2Heads.preface(received, preface);
                if (preface < Http2Heads.PREFACE) {
                    bytes += read;
                    return;
                }
                frames = new Http2Heads();
                http2 = frames;
            }
            long before = frames.completed();
            bytes = frames.unfinished(received);
            if (bytes == 0 || frames.completed() != before) {
                began = 0;
                share.end();
            }
        }

        /// Undertow does this after each request, too.
        @Override
        public void resumeReads() {
            isRequestInProgress();
            next.resumeReads();
        }

        @Override
        public void wakeupReads() {
            isRequestInProgress();
            next.wakeupReads();
        }
    }
}
