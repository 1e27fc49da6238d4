package org.restheart.core.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/// Speaks HTTP/2 without TLS frame by frame (RFC 9113), with header fields as literals. Waits ten seconds at most.
final class RawHttp2 implements AutoCloseable {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RESET = 3;
    static final int GO_AWAY = 7;

    /// `:status` of a response as one byte of the static table (RFC 7541, A).
    static final int OK = 0x88;

    static final int BAD_REQUEST = 0x8c;
    static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    static final String NO_SETTINGS = "\0\0\0\4\0\0\0\0\0";
    static final String CONTENT = "0123456789";
    private static final int SETTINGS = 4;
    private static final int WINDOW_UPDATE = 8;
    private static final int MAX_WINDOW = Integer.MAX_VALUE;

    /// Statuses of the static table, from 8 on.
    private static final List<Integer> INDEXED = List.of(200, 204, 206, 304, 400, 404, 500);

    private static final int CONTINUATION = 9;
    private static final int END_OF_STREAM = 1;
    private static final int END_OF_HEADERS = 4;
    private static final int END_OF_STREAM_AND_HEADERS = END_OF_STREAM | END_OF_HEADERS;
    private static final int MAX_PAYLOAD = 1 << 14;

    /// In which the server reads what has arrived.
    private static final long PAUSE_NANOS = 100_000_000;

    private final Socket socket = new Socket();
    private final DataInputStream in;

    RawHttp2(InetSocketAddress address) throws IOException {
        this(address, new byte[0]);
    }

    /// With another beginning than the preface.
    RawHttp2(InetSocketAddress address, String beginning) throws IOException {
        this(address, beginning, new byte[0]);
    }

    /// With one setting (RFC 9113, section 6.5.2).
    RawHttp2(InetSocketAddress address, int setting, int value) throws IOException {
        this(
                address,
                ByteBuffer.allocate(6).putShort((short) setting).putInt(value).array());
    }

    /// A client that receives as much as the server sends, and understands the head of each response by itself.
    static RawHttp2 reading(InetSocketAddress address) throws IOException {
        var settings = ByteBuffer.allocate(12)
                .putShort((short) 1) // SETTINGS_HEADER_TABLE_SIZE
                .putInt(0)
                .putShort((short) 4) // SETTINGS_INITIAL_WINDOW_SIZE
                .putInt(MAX_WINDOW);
        var client = new RawHttp2(address, settings.array());
        client.widen(MAX_WINDOW - 0xffff);
        return client;
    }

    /// Lets the server send more on the connection.
    private void widen(int bytes) throws IOException {
        widen(0, bytes);
    }

    /// Lets the server send more on a stream.
    void widen(int stream, int bytes) throws IOException {
        send(WINDOW_UPDATE, 0, stream, ByteBuffer.allocate(4).putInt(bytes).array());
    }

    private RawHttp2(InetSocketAddress address, byte[] settings) throws IOException {
        this(address, PREFACE, settings);
    }

    private RawHttp2(InetSocketAddress address, String beginning, byte[] settings) throws IOException {
        this(address, List.of(beginning));
        send(SETTINGS, 0, 0, settings);
    }

    /// With pieces that arrive one by one, and nothing else.
    RawHttp2(InetSocketAddress address, List<String> beginning) throws IOException {
        socket.setSoTimeout(60_000);
        socket.setTcpNoDelay(true);
        socket.connect(address);
        in = new DataInputStream(socket.getInputStream());
        write(beginning.getFirst());
        for (var piece : beginning.subList(1, beginning.size())) {
            LockSupport.parkNanos(PAUSE_NANOS);
            write(piece);
        }
    }

    private void write(String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    record Frame(int type, int flags, int stream, byte[] payload) {
        boolean endsStream() {
            return (flags & 1) != 0;
        }
    }

    private void send(int type, int flags, int stream, byte[] payload) throws IOException {
        socket.getOutputStream()
                .write(ByteBuffer.allocate(9 + payload.length)
                        .put((byte) (payload.length >> 16))
                        .putShort((short) payload.length)
                        .put((byte) type)
                        .put((byte) flags)
                        .putInt(stream)
                        .put(payload)
                        .array());
    }

    /// Gives a stream up.
    void reset(int stream) throws IOException {
        send(RESET, 0, stream, new byte[] {0, 0, 0, 8});
    }

    /// A `GET` without content.
    ///
    /// @param fields names and values in turn
    void get(int stream, String path, String... fields) throws IOException {
        request(stream, "GET", "http", path, "test", fields);
    }

    /// A request without content.
    ///
    /// @param fields names and values in turn
    void request(int stream, String method, String scheme, String path, String authority, String... fields)
            throws IOException {
        send(HEADERS, END_OF_STREAM_AND_HEADERS, stream, head(method, scheme, path, authority, fields));
    }

    /// A `POST` whose content does not come.
    void begin(int stream, String path) throws IOException {
        begin(stream, "POST", path);
    }

    /// A request whose content does not come.
    ///
    /// @param fields names and values in turn
    void begin(int stream, String method, String path, String... fields) throws IOException {
        var all = new ArrayList<>(List.of("content-length", "" + CONTENT.length()));
        all.addAll(List.of(fields));
        send(HEADERS, END_OF_HEADERS, stream, head(method, "http", path, "test", all.toArray(String[]::new)));
    }

    /// A request whose content does not come.
    ///
    /// @param length that it states; negative for none
    /// @param fields names and values in turn
    void begin(int stream, String method, String path, int length, String... fields) throws IOException {
        var all = new ArrayList<>(List.of(fields));
        if (length >= 0) {
            all.addAll(List.of("content-length", "" + length));
        }
        send(HEADERS, END_OF_HEADERS, stream, head(method, "http", path, "test", all.toArray(String[]::new)));
    }

    /// A `POST` with content.
    ///
    /// @param fields names and values in turn
    void post(int stream, String path, String content, String... fields) throws IOException {
        send(HEADERS, END_OF_HEADERS, stream, head("POST", "http", path, "localhost", fields));
        content(stream, content, true);
    }

    /// Content of what has begun.
    void content(int stream, String text, boolean last) throws IOException {
        send(DATA, last ? END_OF_STREAM : 0, stream, text.getBytes(StandardCharsets.US_ASCII));
    }

    /// The content of what has begun, and the fields that end it.
    ///
    /// @param fields names and values in turn
    void endWithTrailers(int stream, String... fields) throws IOException {
        send(DATA, 0, stream, CONTENT.getBytes(StandardCharsets.US_ASCII));
        var block = new ByteArrayOutputStream();
        for (int i = 0; i < fields.length; i += 2) {
            field(block, fields[i], fields[i + 1]);
        }
        var rest = ByteBuffer.wrap(block.toByteArray());
        for (int type = HEADERS; ; type = CONTINUATION) {
            var part = new byte[Math.min(MAX_PAYLOAD, rest.remaining())];
            rest.get(part);
            int flags = (type == HEADERS ? END_OF_STREAM : 0) | (rest.hasRemaining() ? 0 : END_OF_HEADERS);
            send(type, flags, stream, part);
            if (!rest.hasRemaining()) {
                return;
            }
        }
    }

    /// Fields at the end of a request that never end.
    ///
    /// @param payload of each frame
    /// @throws IOException when the server has closed the connection
    void floodWithTrailers(int stream, int frames, byte[] payload) throws IOException {
        send(HEADERS, END_OF_STREAM, stream, payload);
        for (int i = 0; i < frames; i++) {
            send(CONTINUATION, 0, stream, payload);
        }
    }

    private static byte[] head(String method, String scheme, String path, String authority, String... fields) {
        var block = new ByteArrayOutputStream();
        field(block, ":method", method);
        field(block, ":scheme", scheme);
        field(block, ":path", path);
        field(block, ":authority", authority);
        for (int i = 0; i < fields.length; i += 2) {
            field(block, fields[i], fields[i + 1]);
        }
        return block.toByteArray();
    }

    private static void field(ByteArrayOutputStream block, String name, String value) {
        block.write(0);
        text(block, name);
        text(block, value);
    }

    /// A string literal (RFC 7541, 5.2).
    private static void text(ByteArrayOutputStream block, String text) {
        int rest = text.length();
        if (rest < 127) {
            block.write(rest);
        } else {
            block.write(127);
            for (rest -= 127; rest >= 128; rest >>= 7) {
                block.write(rest & 127 | 128);
            }
            block.write(rest);
        }
        block.writeBytes(text.getBytes(StandardCharsets.ISO_8859_1));
    }

    /// The next frame that is not about the connection's settings and windows. Acknowledges settings.
    Frame frame() throws IOException {
        while (true) {
            int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
            var frame = new Frame(in.readUnsignedByte(), in.readUnsignedByte(), in.readInt(), in.readNBytes(length));
            if (frame.type() == SETTINGS && frame.flags() == 0) {
                send(SETTINGS, 1, 0, new byte[0]);
            }
            if (frame.type() <= RESET || frame.type() == GO_AWAY) {
                return frame;
            }
        }
    }

    /// The frame by which a stream ends: its last one, or a reset. Waits for half a minute.
    Frame awaitEnd(int stream) throws IOException {
        socket.setSoTimeout(60_000);
        while (true) {
            var frame = frame();
            boolean ends = frame.type() == RESET || frame.endsStream();
            if (frame.type() == GO_AWAY || (frame.stream() == stream && ends)) {
                return frame;
            }
        }
    }

    /// What was received on a stream.
    ///
    /// @param isWhole whether the stream was not reset
    record Received(int status, long bytes, boolean isWhole) {}

    /// Reads until so many streams have ended. Waits for half a minute. See [#reading].
    Map<Integer, Received> receive(int streams) throws IOException {
        socket.setSoTimeout(60_000);
        var received = new HashMap<Integer, Received>();
        var ended = new HashSet<Integer>();
        int unread = 0;
        while (ended.size() < streams) {
            var frame = frame();
            if (frame.type() == GO_AWAY) {
                throw new IOException("the server goes away");
            }
            if (ended.contains(frame.stream())) {
                continue; // reset after its end
            }
            var before = received.getOrDefault(frame.stream(), new Received(0, 0, true));
            received.put(
                    frame.stream(),
                    switch (frame.type()) {
                        case HEADERS -> new Received(status(frame.payload()), 0, true);
                        case DATA -> new Received(before.status(), before.bytes() + frame.payload().length, true);
                        default -> new Received(before.status(), before.bytes(), false);
                    });
            unread += frame.type() == DATA ? frame.payload().length : 0;
            if (unread > 1 << 20) {
                widen(unread);
                unread = 0;
            }
            if (frame.type() == RESET || frame.endsStream()) {
                ended.add(frame.stream());
            }
        }
        return received;
    }

    /// The first field of a head is `:status`: of the static table, or its value.
    private static int status(byte[] block) {
        int at = 0;
        while ((block[at] & 0xe0) == 0x20) { // the size of the dynamic table
            at++;
        }
        int index = (block[at] & 0xff) - OK;
        if (index >= 0) {
            return INDEXED.get(index);
        }
        boolean isCoded = block[at + 1] < 0;
        if (!isCoded) {
            return Integer.parseInt(new String(block, at + 2, 3, StandardCharsets.US_ASCII));
        }
        int bits = (block[at + 2] & 0xff) << 16 | (block[at + 3] & 0xff) << 8 | block[at + 4] & 0xff;
        int status = 0;
        for (int digit = 0, from = 24; digit < 3; digit++) {
            int five = bits >> from - 5 & 31;
            from -= five < 3 ? 5 : 6; // the Huffman code of RFC 7541, appendix B
            status = 10 * status + (five < 3 ? five : (bits >> from & 63) - 22);
        }
        return status;
    }

    /// Whether the server has closed the connection, after whatever it still sent.
    boolean isClosedByServer() throws IOException {
        try {
            in.readAllBytes();
            return true;
        } catch (SocketTimeoutException _) {
            return false;
        } catch (SocketException _) { // it had bytes left to read
            return true;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
