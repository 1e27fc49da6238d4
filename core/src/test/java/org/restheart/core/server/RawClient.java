package org.restheart.core.server;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.restheart.testkit.wire.ResponseReader;
import org.restheart.testkit.wire.WireResponse;

/// An HTTP/1.1 client for one connection that sends and receives exact bytes. Waits ten seconds at most.
public final class RawClient implements AutoCloseable {
    private final Socket socket;
    private final InputStream in;
    private final ResponseReader responses;

    public RawClient(InetSocketAddress address) throws IOException {
        this(address, null);
    }

    /// @param own the address of this client, one of 127.0.0.0/8; null for any
    public RawClient(InetSocketAddress address, @Nullable String own) throws IOException {
        socket = new Socket();
        socket.setSoTimeout(60_000);
        if (own != null) {
            socket.bind(new InetSocketAddress(own, 0));
        }
        socket.connect(address);
        in = new BufferedInputStream(socket.getInputStream());
        responses = new ResponseReader(in);
    }

    /// With another limit of its patience.
    public RawClient within(Duration patience) throws IOException {
        socket.setSoTimeout(Math.toIntExact(patience.toMillis()));
        return this;
    }

    public RawClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    public RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
    }

    /// The pace of a client: what it sends next comes so much later. Not for waiting until something has happened.
    public RawClient pause(Duration time) {
        LockSupport.parkNanos(time.toNanos());
        return this;
    }

    /// Sends five bytes, each just before the second after the last one has passed, or until it is answered.
    void trickle() {
        try {
            for (int i = 0; i < 5; i++) {
                pause(Duration.ofMillis(700)).send("x");
            }
        } catch (IOException _) {
            // answered already
        }
    }

    /// A request without content.
    public RawClient request(String methodAndTarget, String... headers) throws IOException {
        var text = new StringBuilder(methodAndTarget).append(" HTTP/1.1\r\nHost: test\r\n");
        for (var header : headers) {
            text.append(header).append("\r\n");
        }
        return send(text.append("\r\n").toString());
    }

    /// Whether a response has begun to arrive.
    public boolean isAnswered() throws IOException {
        return in.available() > 0;
    }

    /// The next response, which may be an interim one.
    public WireResponse answer() throws IOException {
        return responses.next(false);
    }

    /// The answer to a `HEAD` request: no content, whatever its `Content-Length` says.
    WireResponse answerToHead() throws IOException {
        return responses.next(true);
    }

    /// One line without its end.
    String line() throws IOException {
        return responses.line();
    }

    /// Whether the server has closed the connection, after whatever it still sent.
    public boolean isClosedByServer() throws IOException {
        try {
            in.readAllBytes();
            return true;
        } catch (java.net.SocketTimeoutException _) {
            return false;
        }
    }

    int read(byte[] into) throws IOException {
        return in.read(into);
    }

    /// Sends no more.
    public void end() throws IOException {
        socket.shutdownOutput();
    }

    /// Closes with a reset instead of an orderly end.
    void reset() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
