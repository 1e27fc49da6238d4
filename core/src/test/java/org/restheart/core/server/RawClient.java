package org.restheart.core.server;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// An HTTP/1.1 client for one connection that sends and receives exact bytes. Waits ten seconds at most.
public final class RawClient implements AutoCloseable {
    private final Socket socket;

    public RawClient(InetSocketAddress address) throws IOException {
        this(address, null);
    }

    /// @param own the address of this client, one of 127.0.0.0/8; null for any
    public RawClient(InetSocketAddress address, @Nullable String own) throws IOException {
        socket = new Socket();
        socket.setSoTimeout(10_000);
        if (own != null) {
            socket.bind(new InetSocketAddress(own, 0));
        }
        socket.connect(address);
    }

    /// A response as it came; names of headers in lower case.
    public record Answer(int status, List<String> head, byte[] content) {
        public Optional<String> header(String name) {
            var prefix = name.toLowerCase(Locale.ROOT) + ":";
            return head.stream()
                    .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(prefix))
                    .map(line -> line.substring(prefix.length()).strip())
                    .findFirst();
        }

        public String text() {
            return new String(content, StandardCharsets.UTF_8);
        }
    }

    public RawClient send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    public RawClient send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        return this;
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
        return socket.getInputStream().available() > 0;
    }

    public Answer answer() throws IOException {
        return answer(true);
    }

    /// The answer to a `HEAD` request: no content, whatever its `Content-Length` says.
    Answer answerToHead() throws IOException {
        return answer(false);
    }

    private Answer answer(boolean withContent) throws IOException {
        var statusLine = line();
        var head = new ArrayList<String>();
        for (var line = line(); !line.isEmpty(); line = line()) {
            head.add(line);
        }
        int status = Integer.parseInt(statusLine.split(" ", 3)[1]);
        var answer = new Answer(status, head, new byte[0]);
        if (!withContent) {
            return answer;
        }
        if (answer.header("transfer-encoding").isPresent()) {
            return new Answer(status, head, chunks());
        }
        int length = answer.header("content-length").map(Integer::parseInt).orElse(0);
        var content = socket.getInputStream().readNBytes(length);
        if (content.length < length) {
            throw new EOFException("content of " + content.length + " bytes instead of " + length);
        }
        return new Answer(status, head, content);
    }

    private byte[] chunks() throws IOException {
        var content = new ByteArrayOutputStream();
        for (int size = Integer.parseInt(line(), 16); ; size = Integer.parseInt(line(), 16)) {
            var chunk = socket.getInputStream().readNBytes(size);
            if (chunk.length < size) {
                throw new EOFException("a chunk of " + chunk.length + " bytes instead of " + size);
            }
            content.writeBytes(chunk);
            line();
            if (size == 0) {
                return content.toByteArray();
            }
        }
    }

    /// One line without its end.
    String line() throws IOException {
        var line = new ByteArrayOutputStream();
        for (int c = socket.getInputStream().read();
                c != '\n';
                c = socket.getInputStream().read()) {
            if (c < 0) {
                throw new EOFException("the connection ends within a line: " + line);
            }
            if (c != '\r') {
                line.write(c);
            }
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    /// Whether the server has closed the connection, after whatever it still sent.
    public boolean isClosedByServer() throws IOException {
        try {
            socket.getInputStream().readAllBytes();
            return true;
        } catch (java.net.SocketTimeoutException _) {
            return false;
        }
    }

    int read(byte[] into) throws IOException {
        return socket.getInputStream().read(into);
    }

    /// Sends no more.
    void end() throws IOException {
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
