package org.restheart.core.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.ChannelListener;
import org.xnio.IoUtils;
import org.xnio.StreamConnection;
import org.xnio.XnioExecutor;
import org.xnio.conduits.ConduitStreamSourceChannel;

/// Reads the header of the PROXY protocol, versions 1 and 2, with which a connection of a proxy begins, and passes the
/// connection on as that of the client. Each has to have one, as the protocol demands: one without, or with a header
/// that is not valid, is closed. Undertow's own reader has no time limit, and knows nothing of fragments and of
/// addresses that are not given. Confined to the connection's I/O thread.
final class ProxyProtocol implements ChannelListener<ConduitStreamSourceChannel> {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyProtocol.class);

    private static final Duration TIME_LIMIT = Duration.ofSeconds(5);

    private static final byte[] SIGNATURE = HexFormat.of().parseHex("0d0a0d0a000d0a515549540a");
    private static final byte[] TEXT = "PROXY ".getBytes(StandardCharsets.US_ASCII);
    private static final int BINARY_HEADER = 16;
    private static final int LONGEST_TEXT = 107;

    /// Of a header in all, with what proxies add, such as parts of certificates.
    private static final int LONGEST = 4_096;

    private static final int VERSION_2 = 0x20;
    private static final int PROXY = 1;
    private static final int FAMILY = 0xf0;
    private static final int IPV4 = 0x10;
    private static final int IPV6 = 0x20;

    private final StreamConnection connection;
    private final ChannelListener<StreamConnection> next;
    private final XnioExecutor.Key timeout;
    private ByteBuffer header = ByteBuffer.allocate(LONGEST_TEXT);

    private ProxyProtocol(StreamConnection connection, ChannelListener<StreamConnection> next, Duration limit) {
        this.connection = connection;
        this.next = next;
        this.timeout = connection
                .getIoThread()
                .executeAfter(() -> IoUtils.safeClose(connection), limit.toNanos(), TimeUnit.NANOSECONDS);
    }

    static void receive(StreamConnection connection, ChannelListener<StreamConnection> next) {
        receive(connection, next, TIME_LIMIT);
    }

    static void receive(StreamConnection connection, ChannelListener<StreamConnection> next, Duration limit) {
        var source = connection.getSourceChannel();
        var protocol = new ProxyProtocol(connection, next, limit);
        source.setReadListener(protocol);
        protocol.handleEvent(source);
    }

    @Override
    public void handleEvent(ConduitStreamSourceChannel source) {
        try {
            for (int missing = missing(); missing > 0; missing = missing()) {
                header.limit(header.position() + missing);
                int read = source.read(header);
                if (read < 0) {
                    throw new IOException("ends before its header");
                }
                if (read == 0) {
                    source.resumeReads();
                    return;
                }
            }
            source.suspendReads();
            source.setReadListener(null);
            timeout.remove();
            next.handleEvent(client().<StreamConnection>map(Proxied::new).orElse(connection));
        } catch (IOException | IllegalArgumentException e) {
            LOG.debug("a connection of {} is closed: {}", connection.getPeerAddress(), e.getMessage());
            timeout.remove();
            IoUtils.safeClose(connection);
        }
    }

    /// How many bytes to read next; never one that comes behind the header.
    private int missing() {
        int read = header.position();
        if (read < SIGNATURE.length) {
            return SIGNATURE.length - read;
        }
        if (isBinary()) {
            int length = BINARY_HEADER + (read < BINARY_HEADER ? 0 : header.getShort(BINARY_HEADER - 2) & 0xffff);
            if (length > LONGEST) {
                throw new IllegalArgumentException("its header is too long");
            }
            if (length > header.capacity()) {
                header = ByteBuffer.allocate(length).put(header.flip());
            }
            return length - read;
        }
        boolean isText = Arrays.equals(header.array(), 0, TEXT.length, TEXT, 0, TEXT.length);
        if (isText && header.get(read - 2) == '\r' && header.get(read - 1) == '\n') {
            return 0;
        }
        if (!isText || read == LONGEST_TEXT) {
            throw new IllegalArgumentException("it does not begin with a header of the PROXY protocol");
        }
        return 1;
    }

    private boolean isBinary() {
        return Arrays.equals(header.array(), 0, SIGNATURE.length, SIGNATURE, 0, SIGNATURE.length);
    }

    /// The client's address; empty if it is the peer itself, as for health checks. Refuses a loopback address from a
    /// proxy on another host: it would be the proxy's loopback.
    private Optional<InetSocketAddress> client() throws IOException {
        var client = isBinary() ? ofBinary() : Optional.of(ofText());
        if (client.filter(each -> each.getAddress().isLoopbackAddress()).isPresent()
                && !connection
                        .getPeerAddress(InetSocketAddress.class)
                        .getAddress()
                        .isLoopbackAddress()) {
            throw new IllegalArgumentException("it names an address of the proxy's machine");
        }
        return client;
    }

    /// 0.0.0.0 for a client of unknown address, so that its `X-Forwarded-*` headers are not trusted.
    private InetSocketAddress unknown() {
        int port = connection.getPeerAddress(InetSocketAddress.class).getPort();
        return new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), port);
    }

    private Optional<InetSocketAddress> ofBinary() throws IOException {
        int command = header.get(SIGNATURE.length) & 0xff;
        if (command != VERSION_2 && command != (VERSION_2 | PROXY)) {
            throw new IllegalArgumentException("its header has an unknown version or command");
        }
        if (command == VERSION_2) {
            return Optional.empty();
        }
        int bytes = switch (header.get(SIGNATURE.length + 1) & FAMILY) {
            case IPV4 -> 4;
            case IPV6 -> 16;
            default -> 0;
        };
        if (bytes == 0) {
            return Optional.of(unknown());
        }
        if (header.position() < BINARY_HEADER + 2 * bytes + 4) {
            throw new IllegalArgumentException("its header is too short");
        }
        var address = Arrays.copyOfRange(header.array(), BINARY_HEADER, BINARY_HEADER + bytes);
        int port = header.getShort(BINARY_HEADER + 2 * bytes) & 0xffff;
        return Optional.of(new InetSocketAddress(InetAddress.getByAddress(address), port));
    }

    private InetSocketAddress ofText() {
        var text = new String(header.array(), 0, header.position() - 2, StandardCharsets.US_ASCII);
        var parts = text.split(" ", -1);
        if (parts.length > 1 && parts[1].equals("UNKNOWN")) { // what else it says is ignored, as the protocol demands
            return unknown();
        }
        if (parts.length != 6 || !parts[1].matches("TCP[46]")) {
            throw new IllegalArgumentException("its header is not valid");
        }
        var _ = InetAddress.ofLiteral(parts[3]);
        var _ = Integer.parseInt(parts[5]);
        return new InetSocketAddress(InetAddress.ofLiteral(parts[2]), Integer.parseInt(parts[4]));
    }

    /// The connection with the client's address.
    private final class Proxied extends StreamConnection {
        private final SocketAddress client;

        Proxied(SocketAddress client) {
            super(connection.getIoThread());
            this.client = client;
            setSourceConduit(connection.getSourceChannel().getConduit());
            setSinkConduit(connection.getSinkChannel().getConduit());
        }

        @Override
        public SocketAddress getPeerAddress() {
            return client;
        }

        @Override
        public SocketAddress getLocalAddress() {
            return connection.getLocalAddress();
        }

        @Override
        protected void notifyReadClosed() {
            IoUtils.safeClose(connection.getSourceChannel());
        }

        @Override
        protected void notifyWriteClosed() {
            IoUtils.safeClose(connection.getSinkChannel());
        }
    }
}
