package org.restheart.perftest.listen;

import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/// One connection of the loop: its channel, its protocol, and what has arrived of an incomplete message.
final class ListenConnection {
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
