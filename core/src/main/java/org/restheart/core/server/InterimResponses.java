package org.restheart.core.server;

import io.undertow.client.ClientConnection;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.proxy.ProxyCallback;
import io.undertow.server.handlers.proxy.ProxyClient;
import io.undertow.server.handlers.proxy.ProxyConnection;
import io.undertow.util.AbstractAttachable;
import io.undertow.util.AttachmentKey;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.xnio.conduits.PushBackStreamSourceConduit;
import org.xnio.conduits.StreamSourceConduit;

/// What a target sends, without its interim responses (RFC 9110, 15.2): Undertow's client takes every one but `100` for
/// the final response, so that the client hangs and the next one on this connection gets a response that is not its
/// own. The first `100` of a request is kept, for clients that wait for it. Confined to the connection's I/O thread.
final class InterimResponses extends BufferedSourceConduit {
    /// Of the interim responses to one request. One each twenty seconds, as servers send them to show that they live,
    /// makes that in twelve hours.
    private static final int MOST_BYTES = 64 * 1024;

    /// With the character that follows the status; `x` is any digit.
    private static final String INTERIM = "HTTP/1.x 1xx ";

    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final AttachmentKey<InterimResponses> OF_CONNECTION = AttachmentKey.create(InterimResponses.class);
    private static final Class<?> HTTP = Forwarding.http("HttpClientConnection");

    /// Below what Undertow reads, so that it sees nothing else. It offers no way to put a conduit there.
    private static final VarHandle RECEIVED =
            Http2Stream.field(HTTP, "pushBackStreamSourceConduit", PushBackStreamSourceConduit.class);
    private static final VarHandle SOURCE =
            Http2Stream.field(PushBackStreamSourceConduit.class, "current", StreamSourceConduit.class);

    /// What has been received and not been looked at, or not been read.
    private final ByteBuffer received = ByteBuffer.allocate(1024).flip();

    /// What is read first.
    private ByteBuffer interim = ByteBuffer.allocate(0);

    private State state = State.PASSING;
    private boolean continued;
    private int skipped;

    /// Of the present line of an interim response, without its end.
    private int lineLength;

    private enum State {
        /// The first bytes of a response.
        BEGINNING,
        /// An interim response.
        SKIPPING,
        /// The final response, or nothing is asked.
        PASSING
    }

    private InterimResponses(StreamSourceConduit next) {
        super(next);
    }

    /// Connections on which interim responses are skipped.
    static ProxyClient on(ProxyClient client) {
        return new ProxyClient() {
            @Override
            public ProxyTarget findTarget(HttpServerExchange exchange) {
                return client.findTarget(exchange);
            }

            @Override
            public List<ProxyTarget> getAllTargets() {
                return client.getAllTargets();
            }

            @Override
            public void getConnection(
                    ProxyTarget target,
                    HttpServerExchange exchange,
                    ProxyCallback<ProxyConnection> callback,
                    long timeout,
                    TimeUnit unit) {
                client.getConnection(target, exchange, new Skipping(callback), timeout, unit);
            }
        };
    }

    private record Skipping(ProxyCallback<ProxyConnection> then) implements ProxyCallback<ProxyConnection> {
        @Override
        public void completed(HttpServerExchange exchange, ProxyConnection connection) {
            if (HTTP.isInstance(connection.getConnection())) {
                of(connection.getConnection()).begin();
            }
            then.completed(exchange, connection);
        }

        @Override
        public void failed(HttpServerExchange exchange) {
            then.failed(exchange);
        }

        @Override
        public void couldNotResolveBackend(HttpServerExchange exchange) {
            then.couldNotResolveBackend(exchange);
        }

        @Override
        public void queuedRequestFailed(HttpServerExchange exchange) {
            then.queuedRequestFailed(exchange);
        }
    }

    private static InterimResponses of(ClientConnection connection) {
        var attachable = (AbstractAttachable) connection;
        var known = attachable.getAttachment(OF_CONNECTION);
        if (known != null) {
            return known;
        }
        var received = RECEIVED.get(connection);
        var responses = new InterimResponses((StreamSourceConduit) SOURCE.get(received));
        SOURCE.set(received, responses);
        attachable.putAttachment(OF_CONNECTION, responses);
        return responses;
    }

    /// A request is sent next.
    private void begin() {
        state = State.BEGINNING;
        continued = false;
        skipped = 0;
    }

    @Override
    public int read(ByteBuffer bytes) throws IOException {
        int n = readFinal(bytes);
        if (n > 0 && holdsBytes() && isReadResumed()) {
            wakeupReads(); // the socket may have no more
        }
        return n;
    }

    @Override
    public void resumeReads() {
        if (holdsBytes()) {
            wakeupReads();
        } else {
            super.resumeReads();
        }
    }

    private boolean holdsBytes() {
        return interim.hasRemaining() || received.hasRemaining();
    }

    private int readFinal(ByteBuffer bytes) throws IOException {
        while (true) {
            if (interim.hasRemaining()) {
                return move(interim, bytes);
            }
            if (state == State.PASSING) {
                return received.hasRemaining() ? move(received, bytes) : next.read(bytes);
            }
            if (!advance()) {
                int n = next.read(received.compact());
                received.flip();
                if (n == 0) {
                    return 0;
                }
                if (n < 0) {
                    state = State.PASSING; // Undertow reports what is missing
                }
            }
        }
    }

    private static int move(ByteBuffer from, ByteBuffer to) {
        int n = Math.min(from.remaining(), to.remaining());
        to.put(to.position(), from, from.position(), n).position(to.position() + n);
        from.position(from.position() + n);
        return n;
    }

    /// Looks at what has been received.
    ///
    /// @return whether something was found out; otherwise more has to be received
    private boolean advance() throws IOException {
        if (state == State.BEGINNING) {
            return begins();
        }
        while (received.hasRemaining()) {
            if (++skipped > MOST_BYTES) {
                throw new IOException("a target of a proxy sends too many interim responses");
            }
            byte b = received.get();
            if (b == '\n' && lineLength == 0) {
                state = State.BEGINNING;
                return true;
            }
            lineLength = b == '\n' ? 0 : b == '\r' ? lineLength : lineLength + 1;
        }
        return false;
    }

    private boolean begins() {
        int begin = received.position();
        for (int i = 0; i < INTERIM.length(); i++) {
            if (begin + i == received.limit()) {
                return false;
            }
            if (!matches(received.get(begin + i), INTERIM.charAt(i))) {
                state = State.PASSING;
                return true;
            }
        }
        state = State.SKIPPING;
        lineLength = 0;
        boolean continues = received.get(begin + 10) == '0' && received.get(begin + 11) == '0';
        if (continues && !continued) {
            continued = true;
            interim = ByteBuffer.wrap(CONTINUE);
        }
        return true;
    }

    private static boolean matches(byte b, char expected) {
        return switch (expected) {
            case 'x' -> b >= '0' && b <= '9';
            case ' ' -> b == ' ' || b == '\r' || b == '\n';
            default -> b == expected;
        };
    }
}
