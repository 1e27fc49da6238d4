package org.restheart.core.chaos;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// A connection of HTTP/1.1 that is opened again when it has broken. It costs a small part of what the JDK's client
/// does, since hundreds of them share the processors with what is tested. Not thread-safe.
final class KeepAliveConnection implements Closeable {
    private static final int CONNECT_MILLIS = 3_000;
    private static final int RESPONSE_MILLIS = 15_000;
    private static final int MAX_LINE = 8_192;

    private final int port;
    private @Nullable Socket socket;
    private @Nullable InputStream in;

    /// @param body empty without content
    record Answer(int status, byte[] body) {
        String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    KeepAliveConnection(int port) {
        this.port = port;
    }

    /// @param fields further header fields, each ended by CR LF
    /// @throws IOException if there was no response; the outcome is unknown then
    Answer send(String method, String target, String type, String fields, byte[] body) throws IOException {
        try {
            var open = in;
            if (open == null) {
                open = open();
            }
            var head = method + " " + target + " HTTP/1.1\r\nHost: chaos\r\nAuthorization: " + ChaosClient.CREDENTIALS
                    + "\r\nContent-Type: " + type + "\r\n" + fields + "Content-Length: " + body.length + "\r\n\r\n";
            var message = new ByteArrayOutputStream(head.length() + body.length);
            message.writeBytes(head.getBytes(StandardCharsets.US_ASCII));
            message.writeBytes(body);
            if (socket != null) {
                message.writeTo(socket.getOutputStream());
            }
            return receive(open);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private InputStream open() throws IOException {
        var opened = new Socket();
        socket = opened;
        opened.setTcpNoDelay(true);
        opened.setSoTimeout(RESPONSE_MILLIS);
        opened.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), CONNECT_MILLIS);
        var stream = new BufferedInputStream(opened.getInputStream());
        in = stream;
        return stream;
    }

    private Answer receive(InputStream from) throws IOException {
        var line = line(from);
        if (!line.startsWith("HTTP/1.1 ") || line.length() < 12) {
            throw new IOException("no response: " + line);
        }
        int status = Integer.parseInt(line.substring(9, 12));
        int length = 0;
        boolean chunked = false;
        boolean last = false;
        for (line = line(from); !line.isEmpty(); line = line(from)) {
            var field = line.toLowerCase(Locale.ROOT);
            if (field.startsWith("content-length:")) {
                length = Integer.parseInt(field.substring(15).strip());
            } else if (field.startsWith("transfer-encoding:")) {
                chunked = true;
            } else if (field.startsWith("connection:")) {
                last = field.contains("close");
            }
        }
        var body = chunked ? chunks(from) : exactly(from, length);
        if (last) {
            close();
        }
        return new Answer(status, body);
    }

    private static byte[] chunks(InputStream from) throws IOException {
        var all = new ByteArrayOutputStream();
        while (true) {
            int length = Integer.parseInt(line(from), 16);
            all.writeBytes(exactly(from, length));
            line(from);
            if (length == 0) {
                return all.toByteArray();
            }
        }
    }

    private static byte[] exactly(InputStream from, int length) throws IOException {
        var bytes = from.readNBytes(length);
        if (bytes.length < length) {
            throw new IOException("the response ended early");
        }
        return bytes;
    }

    private static String line(InputStream from) throws IOException {
        var line = new StringBuilder();
        for (int c = from.read(); c != '\n'; c = from.read()) {
            if (c < 0 || line.length() > MAX_LINE) {
                throw new IOException("the connection ended");
            }
            if (c != '\r') {
                line.append((char) c);
            }
        }
        return line.toString();
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
