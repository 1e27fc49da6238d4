package org.restheart.testkit.wire;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

/// A connection to a server on 127.0.0.1 that is kept for many requests, one after the other. Not thread-safe.
public final class WireConnection implements AutoCloseable {
    private final Socket socket = new Socket();
    private final ResponseReader reader;
    private boolean toHead;

    /// @param timeout for the connection and for each read
    public WireConnection(int port, Duration timeout) throws IOException {
        var millis = Math.toIntExact(timeout.toMillis());
        socket.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port), millis);
        socket.setSoTimeout(millis);
        socket.setTcpNoDelay(true);
        reader = new ResponseReader(new BufferedInputStream(socket.getInputStream()));
    }

    /// Does not wait for the response. `Connection: close` is added unless the request says otherwise.
    public void send(WireRequest request) throws IOException {
        toHead = request.method().equals("HEAD");
        socket.getOutputStream().write(request.bytes("127.0.0.1:" + socket.getPort()));
    }

    /// The response to what was sent last.
    ///
    /// @throws IOException when the server does not answer in time, or not in HTTP/1.1
    public WireResponse receive() throws IOException {
        return reader.read(toHead);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
