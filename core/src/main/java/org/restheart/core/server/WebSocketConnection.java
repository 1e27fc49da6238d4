package org.restheart.core.server;

import io.undertow.connector.ByteBufferPool;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.ServerConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.restheart.http.push.Ending;
import org.restheart.http.push.Inbound;
import org.restheart.http.push.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.IoUtils;
import org.xnio.StreamConnection;
import org.xnio.channels.StreamSourceChannel;

/// A WebSocket (RFC 6455) after its handshake. Sends text frames. Control frames of clients are answered where the
/// protocol requires it, their messages are passed to the subscription's receiver or discarded.
final class WebSocketConnection extends PushConnection implements ClientFrames.Receiver {
    private static final Logger LOG = LoggerFactory.getLogger(WebSocketConnection.class);
    private static final int PROTOCOL_ERROR = 1002;

    /// Unanswered pings after which the connection is closed.
    private static final int TIMEOUT = 2;
    private static final ByteBuffer PING = frame(ClientFrames.PING, new byte[0]);

    private final StreamConnection connection;
    private final ByteBufferPool buffers;
    private final ClientFrames frames;
    private final Optional<ReceivedMessages> received;
    private int unanswered;
    private boolean closedByClient;
    private boolean broken;

    private WebSocketConnection(
            StreamConnection connection,
            ByteBufferPool buffers,
            Subscription subscription,
            BodyLimits limits,
            PushConnections all) {
        super(connection.getSinkChannel(), connection.getIoThread(), subscription, all);
        this.connection = connection;
        this.buffers = buffers;
        this.frames = new ClientFrames(
                this, subscription.inbound().map(Inbound::maxBytes).orElse(0));
        this.received = subscription
                .inbound()
                .map(inbound -> new ReceivedMessages(
                        inbound, limits, subscription.backlog().caller()));
    }

    static void upgrade(
            HttpServerExchange exchange, Subscription subscription, BodyLimits limits, PushConnections all) {
        ServerConnection http = exchange.getConnection();
        var begun = all.expect(); // before the handshake is answered: from then on the client expects a close frame
        // likewise: a client may disconnect before its handshake is complete
        http.addCloseListener(_ -> {
            begun.run();
            subscription.end();
        });
        exchange.upgradeChannel((connection, _) -> {
            var socket = new WebSocketConnection(connection, http.getByteBufferPool(), subscription, limits, all);
            http.addCloseListener(_ -> socket.over());
            connection.getIoThread().execute(() -> {
                socket.begin();
                begun.run();
            });
        });
        exchange.endExchange();
    }

    private void begin() {
        open();
        var source = connection.getSourceChannel();
        source.getReadSetter().set(this::read);
        source.wakeupReads(); // bytes that arrived with the request are not announced
        if (!connection.isOpen()) {
            over();
        }
    }

    private void read(StreamSourceChannel source) {
        read(buffers, source::read, source::suspendReads, source::resumeReads);
    }

    @Override
    void arrived(ByteBuffer bytes) {
        unanswered = 0;
        if (closedByClient) { // no further frames are expected
            return;
        }
        try {
            frames.read(bytes);
        } catch (ClientFrames.ProtocolError e) {
            LOG.debug("a client breaks the protocol: {}", e.getMessage());
            closedByClient = true;
            broken = true;
            received.ifPresent(ReceivedMessages::close);
            sendLast(close(e.code(), e.reason()));
        }
    }

    @Override
    public void control(int opcode, byte[] payload) {
        switch (opcode) {
            case ClientFrames.PING -> {
                if (!isCloseSent()) {
                    sendUrgently(frame(ClientFrames.PONG, payload));
                }
            }
            case ClientFrames.CLOSE -> {
                closedByClient = true;
                if (isCloseSent()) {
                    drain(); // finishes if nothing is left to be sent
                } else {
                    sendLast(frame(ClientFrames.CLOSE, echo(payload)));
                }
            }
            default -> {} // a pong: only its arrival counts
        }
    }

    @Override
    public boolean hasRoomFor(int bytes) {
        return received.filter(messages -> messages.add(bytes)).isPresent();
    }

    @Override
    public void message(byte[] payload) {
        received.ifPresent(messages -> {
            if (isCloseSent()) {
                messages.discard();
            } else {
                messages.passOn(payload);
            }
        });
    }

    @Override
    void release() {
        received.ifPresent(messages -> {
            var _ = Exchanges.execute(connection.getIoThread(), messages::close);
        });
    }

    /// The reply to a close frame: the same code if clients may send it (RFC 6455, 7.4).
    private static byte[] echo(byte[] payload) {
        if (payload.length == 0) {
            return payload;
        }
        int code = payload.length == 1 ? 0 : ByteBuffer.wrap(payload).getShort() & 0xFFFF;
        boolean valid =
                (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
        return ByteBuffer.allocate(2)
                .putShort((short) (valid ? code : PROTOCOL_ERROR))
                .array();
    }

    private static ByteBuffer close(int code, String reason) {
        var text = reason.getBytes(StandardCharsets.US_ASCII);
        return frame(
                ClientFrames.CLOSE,
                ByteBuffer.allocate(2 + text.length)
                        .putShort((short) code)
                        .put(text)
                        .array());
    }

    private static ByteBuffer frame(int opcode, byte[] payload) {
        return ByteBuffer.allocate(2 + payload.length)
                .put((byte) (0x80 | opcode))
                .put((byte) payload.length)
                .put(payload)
                .flip();
    }

    @Override
    ByteBuffer keepAliveMessage() {
        return PING.duplicate();
    }

    @Override
    ByteBuffer lastBytes(Ending ending) {
        return close(ending.code(), ending.reason());
    }

    /// The server closes the TCP connection once both close frames have been sent (RFC 6455, 7.1.1). After a
    /// violation of the protocol it is read until the client closes it, for a limited time: closing a socket
    /// with unread bytes resets the connection, and the client may then not receive the close frame.
    @Override
    void finish() throws IOException {
        if (broken) {
            endWrites();
        } else if (closedByClient) {
            abort();
        }
    }

    @Override
    void cut() {
        connection.getSourceChannel().suspendReads();
        connection.getSinkChannel().suspendWrites();
        all.closeLater(() -> IoUtils.safeClose(connection));
    }

    @Override
    boolean isSilent() {
        return unanswered++ >= TIMEOUT;
    }

    /// Counts the bytes of messages of one WebSocket's client in memory, from their first byte until they have been
    /// handled: within a bound for the connection, and as content of a request for its caller and for all together.
    /// Confined to the connection's I/O thread, but for the end of messages.
    static final class ReceivedMessages {
        private final Inbound inbound;
        private final BodyLimits limits;
        private final String caller;
        private final AtomicLong waiting = new AtomicLong();
        private BodyLimits.@Nullable Counter arriving;
        private int arrived;
        private boolean over;

        ReceivedMessages(Inbound inbound, BodyLimits limits, String caller) {
            this.inbound = inbound;
            this.limits = limits;
            this.caller = caller;
        }

        /// Counts bytes of the message that is arriving.
        ///
        /// @return false if they exceed a bound; they are not counted then
        boolean add(int bytes) {
            if (over) {
                return false;
            }
            if (arriving == null) {
                arriving = limits.open(() -> caller);
            }
            boolean fits = waiting.get() + arrived + bytes <= inbound.maxWaiting()
                    && arriving.countForCaller()
                    && arriving.add(bytes);
            arrived += fits ? bytes : 0;
            return fits;
        }

        void passOn(byte[] message) {
            var counter = arriving;
            int bytes = arrived;
            arriving = null;
            arrived = 0;
            waiting.addAndGet(bytes);
            inbound.received(message, new Share(bytes, counter));
        }

        private final class Share implements Inbound.Memory {
            private final int bytes;
            private final BodyLimits.@Nullable Counter counter;
            private final AtomicBoolean released = new AtomicBoolean();

            Share(int bytes, BodyLimits.@Nullable Counter counter) {
                this.bytes = bytes;
                this.counter = counter;
            }

            @Override
            public void hold(long more) {
                if (counter != null) {
                    counter.hold(more);
                }
            }

            @Override
            public void release() {
                if (released.compareAndSet(false, true)) {
                    waiting.addAndGet(-bytes);
                    if (counter != null) {
                        counter.close();
                    }
                }
            }
        }

        void discard() {
            if (arriving != null) {
                arriving.close();
                arriving = null;
                arrived = 0;
            }
        }

        /// Discards what has arrived of a message; nothing more is received.
        void close() {
            over = true;
            discard();
        }
    }
}
