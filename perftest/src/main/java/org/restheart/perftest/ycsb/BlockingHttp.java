package org.restheart.perftest.ycsb;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// One keep-alive connection, used by one thread at a time. Connects when first used, and again after a failure.
final class BlockingHttp {
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final int LONGEST_LINE = 16 * 1024;

    private final InetSocketAddress address;
    private @Nullable Socket socket;
    private InputStream in = InputStream.nullInputStream();

    BlockingHttp(InetSocketAddress address) {
        this.address = address;
    }

    HttpPool.Reply exchange(String head, byte[] body) throws IOException {
        try {
            var bytes = head.getBytes(StandardCharsets.ISO_8859_1);
            var request = new byte[bytes.length + body.length];
            System.arraycopy(bytes, 0, request, 0, bytes.length);
            System.arraycopy(body, 0, request, bytes.length, body.length);
            connected().getOutputStream().write(request);
            return reply();
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private Socket connected() throws IOException {
        var open = socket;
        if (open == null) {
            open = new Socket();
            open.setTcpNoDelay(true);
            open.setSoTimeout(TIMEOUT_MILLIS);
            open.connect(address, TIMEOUT_MILLIS);
            in = new BufferedInputStream(open.getInputStream(), LONGEST_LINE);
            socket = open;
        }
        return open;
    }

    private HttpPool.Reply reply() throws IOException {
        var status = Integer.parseInt(line().substring(9, 12));
        var length = 0;
        var chunked = false;
        var closing = false;
        for (var line = line(); !line.isEmpty(); line = line()) {
            var field = line.toLowerCase(Locale.ROOT);
            if (field.startsWith("content-length:")) {
                length = Integer.parseInt(
                        field.substring("content-length:".length()).strip());
            } else if (field.startsWith("transfer-encoding:")) {
                chunked = field.endsWith("chunked");
            } else if (field.startsWith("connection:")) {
                closing = field.endsWith("close");
            }
        }
        var body = status == 204 || status == 304 ? new byte[0] : chunked ? chunks() : exactly(length);
        if (closing) {
            close();
        }
        return new HttpPool.Reply(status, body);
    }

    private byte[] chunks() throws IOException {
        var body = new ByteArrayOutputStream();
        for (var size = Integer.parseInt(line(), 16); size > 0; size = Integer.parseInt(line(), 16)) {
            body.writeBytes(exactly(size));
            line();
        }
        line();
        return body.toByteArray();
    }

    private byte[] exactly(int length) throws IOException {
        var bytes = in.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException("closed in mid-answer");
        }
        return bytes;
    }

    private String line() throws IOException {
        var line = new StringBuilder();
        for (var b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0 || line.length() > LONGEST_LINE) {
                throw new EOFException(b < 0 ? "closed without an answer" : "endless line");
            }
            line.append((char) b);
        }
        return line.toString().stripTrailing();
    }

    void close() {
        var open = socket;
        socket = null;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
