package org.restheart.perftest.load;

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

/// One keep-alive connection, used by one thread at a time; any may close it. Connects when first used, and again after
/// a failure.
public final class BlockingHttp {
    private static final int TIMEOUT_MILLIS = 60_000;
    private static final int LONGEST_LINE = 16 * 1024;

    private final InetSocketAddress address;
    private volatile @Nullable Socket socket;
    private InputStream in = InputStream.nullInputStream();

    public BlockingHttp(InetSocketAddress address) {
        this.address = address;
    }

    @SuppressWarnings("ArrayRecordComponent") // handed from the socket to one reader
    public record Reply(int status, boolean hasRetryAfter, byte[] body) {}

    public Reply exchange(String head, byte[] body) throws IOException {
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
            in = new BufferedInputStream(open.getInputStream());
            socket = open;
        }
        return open;
    }

    private Reply reply() throws IOException {
        var status = Integer.parseInt(line().substring(9, 12));
        var length = 0;
        var chunked = false;
        var closing = false;
        var retryAfter = false;
        for (var line = line(); !line.isEmpty(); line = line()) {
            if (is("content-length:", line)) {
                length = Integer.parseInt(
                        line.substring("content-length:".length()).strip());
            } else if (is("transfer-encoding:", line)) {
                chunked = line.toLowerCase(Locale.ROOT).endsWith("chunked");
            } else if (is("connection:", line)) {
                closing = line.toLowerCase(Locale.ROOT).endsWith("close");
            } else if (is("retry-after:", line)) {
                retryAfter = true;
            }
        }
        var body = status == 204 || status == 304 ? new byte[0] : chunked ? chunks() : exactly(length);
        if (closing) {
            close();
        }
        return new Reply(status, retryAfter, body);
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

    private static boolean is(String field, String line) {
        return line.regionMatches(true, 0, field, 0, field.length());
    }

    private String line() throws IOException {
        var line = new ByteArrayOutputStream();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0 || line.size() > LONGEST_LINE) {
                throw new EOFException("no line of an answer");
            }
            line.write(c);
        }
        return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
    }

    public void close() {
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
