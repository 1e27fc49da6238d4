package org.restheart.core.server;

import io.undertow.conduits.ChunkedStreamSourceConduit;
import io.undertow.conduits.ReadDataStreamSourceConduit;
import io.undertow.server.Connectors;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpServerConnection;
import io.undertow.util.AttachmentKey;
import io.undertow.util.Headers;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.xnio.conduits.StreamSourceConduit;

/// Refuses content with invalid framing: chunked content that violates RFC 9112, 7.1, before Undertow's reader, which
/// accepts a bare LF as the end of a line and skips other bytes before it, so that a proxy may find another end of the
/// request; and in HTTP/2 content of another length than the head says. Bounds extensions and trailers. Confined to one
/// request.
final class ContentFraming extends BufferedSourceConduit {
    private static final int MAX_DIGITS = 15;

    private static final int MAX_EXTENSIONS = 16 * 1024;

    private static final int MAX_TRAILERS = 16 * 1024;

    private static final AttachmentKey<String> FAULT = AttachmentKey.create(String.class);

    private final HttpServerExchange exchange;
    private final HttpServerConnection connection;

    /// Bytes buffered by the connection that have not been checked.
    private int unseen;

    private State state = State.SIZE;
    private int digits;
    private long remaining;
    private int extensions;
    private int trailers;
    private boolean named;

    private enum State {
        SIZE,
        EXTENSION,
        SIZE_LF,
        DATA,
        DATA_CR,
        DATA_LF,
        TRAILER_START,
        TRAILER,
        TRAILER_LF,
        END_LF,
        ENDED
    }

    static final class Malformed extends IOException {
        Malformed(String message) {
            super(message);
        }
    }

    private ContentFraming(HttpServerExchange exchange, HttpServerConnection connection) {
        super(new ReadDataStreamSourceConduit(connection.getOriginalSourceConduit(), connection));
        this.exchange = exchange;
        this.connection = connection;
        this.unseen = buffered();
    }

    /// Called before the content is read, when the fields have been checked.
    static void check(HttpServerExchange exchange) {
        if (exchange.isRequestComplete()) {
            return;
        }
        if (!(exchange.getConnection() instanceof HttpServerConnection connection)) {
            long length = RequestHead.contentLength(exchange);
            if (length >= 0) {
                exchange.addRequestWrapper((factory, _) -> new FixedLength(factory.create(), exchange, length));
            }
            return;
        }
        if (!RequestHead.of(exchange).contains(Headers.TRANSFER_ENCODING)) {
            return;
        }
        connection
                .getChannel()
                .getSourceChannel()
                .setConduit(
                        new ChunkedStreamSourceConduit(new ContentFraming(exchange, connection), exchange, chunks -> {
                            if (!chunks.isFinished()) {
                                exchange.setPersistent(false);
                            }
                            Connectors.terminateRequest(exchange);
                        }));
    }

    /// Called when a read returned nothing: bytes at and after a fault are withheld.
    ///
    /// @throws Malformed if the framing is invalid; the request ends there, and its connection is closed
    static void requireSound(HttpServerExchange exchange) throws Malformed {
        var fault = exchange.getAttachment(FAULT);
        if (fault != null) {
            throw new Malformed(fault);
        }
    }

    /// Undertow's reader would close the connection on an exception, before an error response could be sent.
    @Override
    public int read(ByteBuffer bytes) throws IOException {
        if (exchange.getAttachment(FAULT) != null) {
            return 0;
        }
        int begin = bytes.position();
        int buffered = buffered();
        int seen = buffered - unseen;
        int n = next.read(bytes);
        if (n <= 0) {
            return n;
        }
        int known = Math.min(seen, n);
        unseen = Math.max(0, unseen - (n - known));
        try {
            check(bytes, begin + known, n - known);
            return n;
        } catch (Malformed e) {
            bytes.position(begin);
            exchange.putAttachment(FAULT, String.valueOf(e.getMessage()));
            exchange.setPersistent(false);
            Connectors.terminateRequest(exchange);
            return 0;
        }
    }

    /// The bytes buffered by the connection: those after the head, preceded by those that Undertow's reader
    /// returned.
    private int buffered() {
        var extra = connection.getExtraBytes();
        return extra == null ? 0 : extra.getBuffer().remaining();
    }

    private void check(ByteBuffer bytes, int begin, int n) throws Malformed {
        for (int i = begin; i < begin + n && state != State.ENDED; ) {
            if (state == State.DATA) {
                int skipped = (int) Math.min(remaining, begin + n - i);
                remaining -= skipped;
                i += skipped;
                state = remaining == 0 ? State.DATA_CR : State.DATA;
            } else {
                state = after(bytes.get(i++));
            }
        }
    }

    private State after(byte b) throws Malformed {
        return switch (state) {
            case SIZE -> size(b);
            case EXTENSION -> extension(b);
            case SIZE_LF -> lineFeed(b, remaining == 0 ? State.TRAILER_START : State.DATA);
            case DATA_CR -> {
                require(b == '\r', "a chunk is longer than it says");
                yield State.DATA_LF;
            }
            case DATA_LF -> {
                digits = 0;
                yield lineFeed(b, State.SIZE);
            }
            case TRAILER_START -> {
                named = false;
                yield b == '\r' ? State.END_LF : trailer(b);
            }
            case TRAILER -> trailer(b);
            case TRAILER_LF -> lineFeed(b, State.TRAILER_START);
            case END_LF -> lineFeed(b, State.ENDED);
            case DATA, ENDED -> throw new IllegalStateException(state.name());
        };
    }

    private State size(byte b) throws Malformed {
        int digit = Character.digit(b, 16);
        if (digit >= 0) {
            require(++digits <= MAX_DIGITS, "the size of a chunk is too large");
            remaining = (digits == 1 ? 0 : remaining << 4) + digit;
            return State.SIZE;
        }
        require(digits > 0, "a chunk has no size");
        require(b == '\r' || b == ';' || b == ' ' || b == '\t', "the size of a chunk is not a number");
        return b == '\r' ? State.SIZE_LF : State.EXTENSION;
    }

    private State extension(byte b) throws Malformed {
        if (b == '\r') {
            return State.SIZE_LF;
        }
        require(isText(b), "a chunk extension contains control characters");
        require(++extensions <= MAX_EXTENSIONS, "the chunk extensions are too long");
        return State.EXTENSION;
    }

    private State trailer(byte b) throws Malformed {
        if (b == '\r') {
            require(named, "a trailer field has no name");
            return State.TRAILER_LF;
        }
        require(isText(b), "a trailer field contains control characters");
        require(++trailers <= MAX_TRAILERS, "the trailer is too long");
        require(named || (b != ' ' && b != '\t'), "the name of a trailer field contains blanks");
        named = named || b == ':';
        return State.TRAILER;
    }

    private static State lineFeed(byte b, State then) throws Malformed {
        require(b == '\n', "a line of the chunked content does not end with CRLF");
        return then;
    }

    private static boolean isText(byte b) {
        return (b < 0 || b >= 0x20 || b == '\t') && b != 0x7f;
    }

    private static void require(boolean condition, String message) throws Malformed {
        if (!condition) {
            throw new Malformed(message);
        }
    }

    /// The content of a request of HTTP/2 that has to be as long as its head says (RFC 9113, 8.1.1): targets of proxies
    /// are told that length. Confined to one request.
    private static final class FixedLength extends BufferedSourceConduit {
        private final HttpServerExchange exchange;
        private final long length;
        private long received;

        FixedLength(StreamSourceConduit next, HttpServerExchange exchange, long length) {
            super(next);
            this.exchange = exchange;
            this.length = length;
        }

        @Override
        public int read(ByteBuffer bytes) throws IOException {
            int n = next.read(bytes);
            if (n > 0) {
                received += n;
            }
            if (received > length || (n < 0 && received < length)) {
                Connectors.terminateRequest(exchange); // no more is read before it is answered
                throw new Malformed("the content is " + (n < 0 ? "shorter" : "longer") + " than Content-Length says");
            }
            return n;
        }
    }
}
