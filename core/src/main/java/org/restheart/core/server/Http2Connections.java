package org.restheart.core.server;

import io.undertow.protocols.http2.Http2Channel;
import io.undertow.protocols.http2.Http2DataStreamSinkChannel;
import io.undertow.protocols.http2.Http2StreamSinkChannel;
import io.undertow.protocols.http2.Http2StreamSourceChannel;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.framed.AbstractFramedChannel;
import io.undertow.server.protocol.http2.Http2ServerConnection;
import io.undertow.util.AttachmentKey;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.IoUtils;
import org.xnio.StreamConnection;
import org.xnio.conduits.AbstractStreamSinkConduit;
import org.xnio.conduits.StreamSinkConduit;

/// The connections of HTTP/2, so that a `GOAWAY` can be sent on them before the server stops. Thread-safe.
final class Http2Connections {
    private static final Logger LOG = LoggerFactory.getLogger(Http2Connections.class);
    private static final AttachmentKey<GoAway> GO_AWAY = AttachmentKey.create(GoAway.class);
    private final Set<GoAway> open = ConcurrentHashMap.newKeySet();
    private volatile boolean stopping;
    private volatile boolean refusing;

    /// To be called with each request, on its I/O thread.
    ///
    /// @return false if its connection has as many streams as it may have; this one was reset, so that its client
    ///     repeats it later (RFC 9113, 5.1.2)
    boolean admits(HttpServerExchange exchange) {
        if (!(exchange.getConnection() instanceof Http2ServerConnection connection)) {
            return true;
        }
        var stream = Http2Stream.of(connection);
        var goAway = goAway(connection, stream.channel());
        if (stopping) {
            goAway.send();
        }
        if (!stream.begins(exchange)) {
            return false;
        }
        if (!refusing) {
            goAway.serves(stream.response().getStreamId());
        }
        return true;
    }

    private GoAway goAway(Http2ServerConnection connection, Http2Channel channel) {
        var known = connection.getAttachment(GO_AWAY);
        if (known != null) {
            return known;
        }
        var below = (StreamConnection) Http2Stream.BELOW.get(channel);
        var added = new GoAway(below);
        below.getSinkChannel().setConduit(added);
        connection.putAttachment(GO_AWAY, added);
        open.add(added);
        connection.addCloseListener(_ -> open.remove(added));
        return added;
    }

    /// Closes the connection of an exchange of any protocol, in HTTP/2 with its other streams.
    static void close(HttpServerExchange exchange) {
        var goAway = exchange.getConnection() instanceof Http2ServerConnection connection
                ? connection.getAttachment(GO_AWAY)
                : null;
        if (goAway != null) {
            goAway.close();
        } else {
            Exchanges.abort(exchange);
        }
    }

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

    /// Tells the client of one connection of HTTP/2 that its next requests belong on another (RFC 9113, 6.8), while
    /// those that are under way or already sent are served. Undertow's own `GOAWAY` closes the connection at once.
    ///
    /// Undertow writes whole frames, several at a time: where a write has left nothing over, a frame of ours may
    /// follow. Thread-safe.
    private static final class GoAway extends AbstractStreamSinkConduit<StreamSinkConduit> {
        /// All of the frame but the last stream that is served and the error.
        private static final byte[] HEAD = {0, 0, 8, 7, 0, 0, 0, 0, 0};

        private static final int LENGTH = HEAD.length + 2 * Integer.BYTES;
        private static final int NO_ERROR = 0;

        private final StreamConnection connection;

        /// Changed by the I/O thread alone.
        private volatile int lastServed;

        /// Used by the I/O thread alone.
        private boolean asked;

        /// Guarded by this, like all below.
        private boolean withinFrame;

        private @Nullable ByteBuffer frame;

        /// To be made before the answer to the connection's first request is written.
        GoAway(StreamConnection connection) {
            super(connection.getSinkChannel().getConduit());
            this.connection = connection;
        }

        void serves(int stream) {
            lastServed = Math.max(lastServed, stream);
        }

        /// Sends it soon, with the largest stream there can be as the last one: whatever is still sent will be served.
        /// Further calls do nothing.
        void send() {
            var _ = Exchanges.execute(connection.getIoThread(), () -> {
                if (!asked) {
                    asked = true;
                    sendHere(Integer.MAX_VALUE);
                }
            });
        }

        /// Sends soon, before the connection is closed, which stream is the last one that was served: a client may
        /// repeat the requests after it.
        ///
        /// @param sent called then, or at once if the server has stopped
        void sendLast(Runnable sent) {
            boolean begun = Exchanges.execute(connection.getIoThread(), () -> {
                try {
                    sendHere(lastServed);
                } finally {
                    sent.run();
                }
            });
            if (!begun) {
                sent.run();
            }
        }

        /// Closes the connection soon, with all its streams.
        void close() {
            var _ = Exchanges.execute(connection.getIoThread(), () -> IoUtils.safeClose(connection));
        }

        private synchronized void sendHere(int lastStream) {
            var former = frame == null ? ByteBuffer.allocate(0) : frame;
            frame = ByteBuffer.allocate(former.remaining() + LENGTH)
                    .put(former)
                    .put(HEAD)
                    .putInt(lastStream)
                    .putInt(NO_ERROR)
                    .flip();
            try {
                if (!withinFrame && isSent()) {
                    super.flush();
                }
            } catch (IOException e) {
                LOG.debug("a client has gone before its GOAWAY", e);
            }
        }

        private boolean isSent() throws IOException {
            if (frame != null) {
                while (frame.hasRemaining()) {
                    if (super.write(frame) == 0) {
                        return false;
                    }
                }
                frame = null;
            }
            return true;
        }

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            return (int) write(new ByteBuffer[] {bytes}, 0, 1);
        }

        @Override
        public synchronized long write(ByteBuffer[] bytes, int offset, int length) throws IOException {
            if (!withinFrame && !isSent()) {
                return 0;
            }
            long written = super.write(bytes, offset, length);
            withinFrame = false;
            for (int i = offset; i < offset + length; i++) {
                withinFrame = withinFrame || bytes[i].hasRemaining();
            }
            if (!withinFrame && !isSent()) {
                LOG.debug("the rest goes with the next write");
            }
            return written;
        }

        @Override
        public synchronized boolean flush() throws IOException {
            return (withinFrame || isSent()) && super.flush();
        }
    }

    /// The stream of one request of HTTP/2. Confined to the I/O thread of its connection, but for [#isReset()].
    record Http2Stream(Http2Channel channel, Http2StreamSourceChannel request, Http2DataStreamSinkChannel response) {
        /// Undertow announces a limit for the streams of a connection, but does not enforce it.
        private static final AttachmentKey<AtomicInteger> STREAMS = AttachmentKey.create(AtomicInteger.class);

        /// Undertow resets streams with the code that it chooses, and leaves one alone that waits for its
        /// client's window.
        private static final VarHandle CHANNEL = field(Http2ServerConnection.class, "channel", Http2Channel.class);

        private static final VarHandle REQUEST =
                field(Http2ServerConnection.class, "requestChannel", Http2StreamSourceChannel.class);
        private static final VarHandle RESPONSE =
                field(Http2ServerConnection.class, "responseChannel", Http2DataStreamSinkChannel.class);

        /// The connection that a channel of HTTP/2 is on.
        static final VarHandle BELOW = field(AbstractFramedChannel.class, "channel", StreamConnection.class);

        /// Bytes of content that Undertow still expects; -1 if it does not check that.
        private static final VarHandle EXPECTED =
                field(Http2StreamSourceChannel.class, "contentLengthRemaining", long.class);

        private static final VarHandle RESET = field(Http2StreamSinkChannel.class, "reset", boolean.class);

        static VarHandle field(Class<?> owner, String name, Class<?> type) {
            try {
                return MethodHandles.privateLookupIn(owner, MethodHandles.lookup())
                        .findVarHandle(owner, name, type);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        static Http2Stream of(Http2ServerConnection connection) {
            return new Http2Stream(
                    (Http2Channel) CHANNEL.get(connection),
                    (Http2StreamSourceChannel) REQUEST.get(connection),
                    (Http2DataStreamSinkChannel) RESPONSE.get(connection));
        }

        /// Counts the stream until its exchange ends, and has the trailers of its request ignored.
        ///
        /// @return false if it is one too many; it has been reset then
        boolean begins(HttpServerExchange exchange) {
            var streams = channel.getAttachment(STREAMS);
            if (streams == null) {
                streams = new AtomicInteger();
                channel.putAttachment(STREAMS, streams);
            }
            var counted = streams;
            int most = channel.getReceiveMaxConcurrentStreams();
            if (counted.incrementAndGet() > most && most > 0) {
                counted.decrementAndGet();
                reset(exchange, Http2Channel.ERROR_REFUSED_STREAM);
                return false;
            }
            Exchanges.onComplete(exchange, counted::decrementAndGet);
            if (!exchange.isRequestComplete()) {
                RequestHead.ignoreTrailers(exchange, request);
                // ContentFraming checks that. Undertow would reset the stream while the content is read, and use the
                // buffer
                // of its frame for other data that would be read as content.
                EXPECTED.set(request, -1L);
            }
            return true;
        }

        /// Whether its client, or this server, has reset it. Any thread.
        boolean isReset() {
            return (boolean) RESET.getVolatile(response);
        }

        void reset(HttpServerExchange exchange, int code) {
            if (!isReset()) {
                channel.sendRstStream(response.getStreamId(), code);
            }
            IoUtils.safeClose(response); // a frame that waits for the window would wait on, and the exchange for it
            exchange.endExchange();
        }
    }
}
