package org.restheart.core.server;

import io.undertow.connector.ByteBufferPool;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.ServerConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
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

    /// Answers the handshake, whose headers are set, and upgrades the connection.
    ///
    /// @param limits of the messages that the client sends
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
        ReadTurn.read(connection.getIoThread(), () -> readTurn(source), source::suspendReads, () -> {
            if (!isOver()) {
                source.resumeReads();
            }
        });
    }

    /// @return whether more may have arrived
    private boolean readTurn(StreamSourceChannel source) {
        var turn = new ReadTurn();
        try (var pooled = buffers.allocate()) {
            var buffer = pooled.getBuffer();
            int n;
            while ((n = source.read(buffer.clear())) > 0) {
                unanswered = 0;
                if (!closedByClient) { // otherwise it is ignored
                    frames.read(buffer.flip());
                }
                if (turn.isOver()) {
                    return !isOver();
                }
            }
            if (n < 0) {
                cut();
                over();
            }
        } catch (ClientFrames.ProtocolError e) {
            LOG.debug("a client breaks the protocol: {}", e.getMessage());
            closedByClient = true; // no further frames are expected
            broken = true;
            received.ifPresent(ReceivedMessages::close);
            sendLast(close(e.code(), e.reason()));
            return !isOver();
        } catch (IOException e) {
            LOG.debug("a client has gone", e);
            cut();
            over();
        }
        return false;
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
            try {
                connection.getIoThread().execute(messages::close);
            } catch (RejectedExecutionException e) {
                LOG.debug("the server has stopped", e);
            }
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
            cut();
            over();
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
}
