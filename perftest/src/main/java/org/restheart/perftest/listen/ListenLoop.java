package org.restheart.perftest.listen;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;

/// Opens all connections, a few at a time, then takes in events until every listener has had them all or none comes any
/// more. Confined to one thread.
final class ListenLoop implements AutoCloseable {
    /// Handshakes under way at once; more only fill the server's accept queue.
    private static final int MOST_OPENING = 128;
    private static final long SECOND = 1_000_000_000L;
    private static final long CONNECT_TIMEOUT = 30 * SECOND;

    private final ListenOrder order;
    private final Deliveries deliveries = new Deliveries();
    private final Selector selector = Selector.open();
    private final ByteBuffer in = ByteBuffer.allocateDirect(1024 * 1024);
    private final List<ListenConnection> connections = new ArrayList<>();
    private int opening;
    private int accepted;

    ListenLoop(ListenOrder order) throws IOException {
        this.order = order;
    }

    /// Returns when the server has accepted everyone, or nothing has moved for a while.
    ///
    /// @return listeners that were accepted
    int connect() throws IOException {
        var listening = 0;
        var stalled = 0;
        var lastProgress = System.nanoTime();
        while (listening < order.listeners() || stalled < order.stalled() || opening > 0) {
            while (hasRoom() && (listening < order.listeners() || stalled < order.stalled())) {
                if (stalled < order.stalled()) {
                    open(1, true);
                    stalled++;
                } else {
                    var listeners = Math.min(order.streamsPerConnection(), order.listeners() - listening);
                    open(listeners, false);
                    listening += listeners;
                }
            }
            if (selector.select(this::ready, 100) > 0) {
                lastProgress = System.nanoTime();
            } else if (System.nanoTime() - lastProgress > CONNECT_TIMEOUT) {
                deliveries.trouble("handshakes without an answer");
                break;
            }
        }
        return accepted;
    }

    private boolean hasRoom() {
        return opening == 0 || (opening + 1) * order.streamsPerConnection() <= MOST_OPENING;
    }

    private void open(int listeners, boolean stalled) throws IOException {
        var target = order.targets().get(connections.size() % order.targets().size());
        var wire = wire(target, listeners, stalled ? new Deliveries() : deliveries);
        connections.add(new ListenConnection(wire, target.address(), selector, stalled));
        opening++;
    }

    private Wire wire(Target target, int listeners, Deliveries into) {
        return switch (order.transport()) {
            case websocket -> new WebSocketWire(target, into);
            case http2 -> new Http2Wire(target, listeners, into);
        };
    }

    private void ready(SelectionKey key) {
        var connection = (ListenConnection) key.attachment();
        var before = connection.wire().accepted();
        var wasOpening = !connection.wire().settled();
        try {
            var n = connection.ready(in);
            if (!connection.stalled()) {
                deliveries.received(n);
                accepted += connection.wire().accepted() - before;
            }
            if (wasOpening && connection.wire().settled()) {
                opening--;
            }
        } catch (IOException e) {
            lost(connection, wasOpening, e);
        }
    }

    private void lost(ListenConnection connection, boolean wasOpening, IOException cause) {
        deliveries.trouble((connection.stalled() ? "stalled listener: " : "") + cause.getMessage());
        if (wasOpening) {
            opening--;
        }
        try {
            connection.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /// Returns when every listener that was accepted has had all events, or none has come for a while.
    ///
    /// @param waitForFirst how long the first event may take, in milliseconds, besides the usual timeout
    ListenResult collect(long waitForFirst) throws IOException {
        var expected = (long) accepted * order.events();
        var begin = System.nanoTime();
        while (deliveries.count() < expected) {
            selector.select(this::ready, 100);
            var since = deliveries.count() == 0 ? begin + waitForFirst * 1_000_000 : deliveries.lastAt();
            if (System.nanoTime() - since > order.timeoutMillis() * 1_000_000) {
                break;
            }
        }
        return ListenResult.of(accepted, deliveries);
    }

    @Override
    public void close() throws IOException {
        for (var connection : connections) {
            connection.close();
        }
        selector.close();
    }

    /// One connection of the loop: its channel, its protocol, and what has arrived of an incomplete message.
    private static final class ListenConnection {
        private static final byte[] NONE = {};
        private static final int SMALLEST_RECEIVE_BUFFER = 4096;

        private final Wire wire;
        private final boolean stalled;
        private final SocketChannel channel = SocketChannel.open();
        private final SelectionKey key;
        private ByteBuffer out;
        private byte[] incomplete = NONE;

        /// @param stalled stops reading once it is accepted, and lets little pile up in this machine's buffers
        ListenConnection(Wire wire, SocketAddress address, Selector selector, boolean stalled) throws IOException {
            this.wire = wire;
            this.stalled = stalled;
            this.out = wire.opening();
            if (stalled) {
                channel.setOption(StandardSocketOptions.SO_RCVBUF, SMALLEST_RECEIVE_BUFFER);
            }
            channel.configureBlocking(false);
            var connected = channel.connect(address);
            key = channel.register(selector, connected ? SelectionKey.OP_WRITE : SelectionKey.OP_CONNECT, this);
        }

        Wire wire() {
            return wire;
        }

        boolean stalled() {
            return stalled;
        }

        /// @param in used for the time of the call
        /// @return bytes received
        int ready(ByteBuffer in) throws IOException {
            if (key.isConnectable()) {
                channel.finishConnect();
                key.interestOps(SelectionKey.OP_WRITE);
            }
            if (key.isWritable()) {
                flush();
            }
            return key.isReadable() ? read(in) : 0;
        }

        private void flush() throws IOException {
            channel.write(out);
            key.interestOps(out.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ);
        }

        private int read(ByteBuffer in) throws IOException {
            in.clear();
            in.put(incomplete);
            if (!in.hasRemaining()) {
                throw new IOException("message larger than " + in.capacity() + " bytes");
            }
            var n = channel.read(in);
            if (n < 0) {
                throw new IOException("connection ended by the server");
            }
            in.flip();
            var reply = wire.receive(in);
            keep(in);
            if (reply.hasRemaining()) {
                out = reply;
                flush();
            }
            if (stalled && wire.settled()) {
                key.interestOps(0);
            }
            return n;
        }

        private void keep(ByteBuffer in) {
            if (in.hasRemaining()) {
                incomplete = new byte[in.remaining()];
                in.get(incomplete);
            } else {
                incomplete = NONE;
            }
        }

        void close() throws IOException {
            key.cancel();
            channel.close();
        }
    }
}
