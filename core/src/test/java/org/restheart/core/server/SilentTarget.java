package org.restheart.core.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import org.restheart.core.Gateway;

/// A target that accepts one connection after the other, and answers when it is told to.
final class SilentTarget implements AutoCloseable {
    private final ServerSocket socket;
    private Socket forwarded = new Socket();

    SilentTarget() throws IOException {
        socket = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        socket.setSoTimeout(60_000);
    }

    String url() {
        return "http://127.0.0.1:" + socket.getLocalPort();
    }

    /// Starts a gateway as [RawTarget#gateway] does.
    Gateway gateway() {
        return RawTarget.gateway(url(), "");
    }

    /// Accepts the next connection, with the head of its request: what a target sends before it is asked answers
    /// nothing.
    SilentTarget accept() throws IOException {
        forwarded = socket.accept();
        forwarded.setSoTimeout(60_000);
        for (var end = ""; !end.equals("\r\n\r\n"); ) {
            int next = forwarded.getInputStream().read();
            assertThat(next).as("a byte of the head").isNotNegative();
            end = (end + (char) next).substring(Math.max(0, end.length() - 3));
        }
        return this;
    }

    /// Begins an endless response.
    void begin() throws IOException {
        send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
    }

    /// Within whatever it has begun.
    ///
    /// @param reset instead of an orderly end
    void breakOff(boolean reset) throws IOException {
        if (reset) {
            forwarded.setSoLinger(true, 0);
        }
        forwarded.close();
    }

    void answer() throws IOException {
        send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    }

    void send(String text) throws IOException {
        forwarded.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /// Until the connection is closed.
    void trySend(String text) {
        try {
            send(text);
        } catch (IOException e) {
            assertThat(forwarded.isClosed()).as("closed by the target itself").isFalse();
        }
    }

    void assertClosed() throws IOException {
        try {
            forwarded.getInputStream().readAllBytes();
        } catch (SocketException e) { // with bytes that the gateway has not read
            assertThat(e).hasMessage("Connection reset");
        }
    }

    /// The request is not sent again over another connection.
    void assertNoMore() throws IOException {
        socket.setSoTimeout(200);
        assertThatThrownBy(socket::accept).isInstanceOf(SocketTimeoutException.class);
    }

    @Override
    public void close() throws IOException {
        forwarded.close();
        socket.close();
    }
}
