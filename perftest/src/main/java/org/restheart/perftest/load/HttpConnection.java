package org.restheart.perftest.load;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/// One keep-alive connection with at most one request under way. Confined to its thread.
final class HttpConnection {
    private final InetSocketAddress address;
    private final Selector selector;
    private final ByteBuffer out;
    private final ResponseParser parser = new ResponseParser();
    private SocketChannel channel;
    private SelectionKey key;
    private long since;
    private State state = State.CONNECTING;

    enum State {
        CONNECTING,
        IDLE,
        BUSY,
        /// Waits until [#since] to connect again.
        FAILED
    }

    HttpConnection(InetSocketAddress address, Selector selector, int requestCapacity) throws IOException {
        this.address = address;
        this.selector = selector;
        this.out = ByteBuffer.allocateDirect(requestCapacity);
        this.channel = SocketChannel.open();
        this.key = connect(channel);
    }

    private SelectionKey connect(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        var connected = channel.connect(address);
        state = connected ? State.IDLE : State.CONNECTING;
        return channel.register(selector, connected ? SelectionKey.OP_READ : SelectionKey.OP_CONNECT, this);
    }

    void reconnect() throws IOException {
        close();
        parser.reset();
        channel = SocketChannel.open();
        key = connect(channel);
    }

    void finishConnect() throws IOException {
        channel.finishConnect();
        key.interestOps(SelectionKey.OP_READ);
        state = State.IDLE;
    }

    /// @param since the moment from which the latency of this request counts
    void send(RequestSource source, long since) throws IOException {
        out.clear();
        source.write(out);
        out.flip();
        this.since = since;
        state = State.BUSY;
        flush();
    }

    void flush() throws IOException {
        channel.write(out);
        if (out.hasRemaining()) {
            key.interestOps(SelectionKey.OP_READ | SelectionKey.OP_WRITE);
        } else if (key.interestOps() != SelectionKey.OP_READ) {
            key.interestOps(SelectionKey.OP_READ);
        }
    }

    /// Fills the buffer, cleared before, with what has arrived; -1 at the end of the connection.
    int read(ByteBuffer in) throws IOException {
        in.clear();
        var n = channel.read(in);
        in.flip();
        return n;
    }

    boolean responseComplete(ByteBuffer in) throws IOException {
        if (!parser.advance(in)) {
            return false;
        }
        state = State.IDLE;
        return true;
    }

    /// Of the last response.
    int status() {
        return parser.status();
    }

    boolean closing() {
        return parser.closing();
    }

    /// @param retryAt when to connect again
    void failed(long retryAt) throws IOException {
        close();
        state = State.FAILED;
        since = retryAt;
    }

    State state() {
        return state;
    }

    long since() {
        return since;
    }

    void close() throws IOException {
        key.cancel();
        channel.close();
    }
}
