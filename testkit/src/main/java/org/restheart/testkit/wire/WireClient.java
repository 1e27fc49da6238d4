package org.restheart.testkit.wire;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;

/// One request and one connection at a time to a server on 127.0.0.1. Thread-safe.
///
/// @param timeout for the connection and for each read
public record WireClient(int port, Duration timeout) {
    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    public WireClient(int port) {
        this(port, Duration.ofMinutes(2));
    }

    /// @throws IOException when the server does not answer in time, or not in HTTP/1.1
    public WireResponse send(WireRequest request) throws IOException {
        try (var socket = new Socket()) {
            var millis = Math.toIntExact(timeout.toMillis());
            socket.connect(new InetSocketAddress(LOOPBACK, port), millis);
            socket.setSoTimeout(millis);
            socket.setTcpNoDelay(true);
            socket.getOutputStream().write(request.bytes("127.0.0.1:" + port));
            return new ResponseReader(new BufferedInputStream(socket.getInputStream()))
                    .read(request.method().equals("HEAD"));
        }
    }
}
