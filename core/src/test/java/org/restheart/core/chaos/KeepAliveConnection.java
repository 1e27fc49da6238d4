package org.restheart.core.chaos;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.restheart.testkit.wire.ResponseReader;
import org.restheart.testkit.wire.WireResponse;

/// A connection of HTTP/1.1 that is opened again when it has broken. It costs a small part of what the JDK's client
/// does, since hundreds of them share the processors with what is tested. Not thread-safe.
final class KeepAliveConnection implements Closeable {
    private static final int CONNECT_MILLIS = 3_000;
    private static final int RESPONSE_MILLIS = 15_000;

    private final int port;
    private @Nullable Socket socket;
    private @Nullable ResponseReader in;

    KeepAliveConnection(int port) {
        this.port = port;
    }

    /// @param fields further header fields, each ended by CR LF
    /// @throws IOException if there was no response; the outcome is unknown then
    WireResponse send(String method, String target, String type, String fields, byte[] body) throws IOException {
        try {
            var open = in;
            if (open == null) {
                open = open();
            }
            var head = method + " " + target + " HTTP/1.1\r\nHost: chaos\r\nAuthorization: " + GatewayChild.CREDENTIALS
                    + "\r\nContent-Type: " + type + "\r\n" + fields + "Content-Length: " + body.length + "\r\n\r\n";
            var message = new ByteArrayOutputStream(head.length() + body.length);
            message.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
            message.writeBytes(body);
            if (socket != null) {
                message.writeTo(socket.getOutputStream());
            }
            var response = open.next(false);
            if (response.header("Connection").filter("close"::equalsIgnoreCase).isPresent()) {
                close();
            }
            return response;
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private ResponseReader open() throws IOException {
        var opened = new Socket();
        socket = opened;
        opened.setTcpNoDelay(true);
        opened.setSoTimeout(RESPONSE_MILLIS);
        opened.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
        var stream = new ResponseReader(new BufferedInputStream(opened.getInputStream()));
        in = stream;
        return stream;
    }

    @Override
    public void close() throws IOException {
        in = null;
        if (socket != null) {
            socket.close();
        }
        socket = null;
    }
}
