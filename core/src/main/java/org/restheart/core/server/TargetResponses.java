package org.restheart.core.server;

import io.undertow.client.ClientConnection;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.proxy.ProxyCallback;
import io.undertow.server.handlers.proxy.ProxyClient;
import io.undertow.server.handlers.proxy.ProxyConnection;
import io.undertow.util.AbstractAttachable;
import io.undertow.util.AttachmentKey;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.xnio.conduits.PushBackStreamSourceConduit;
import org.xnio.conduits.StreamSourceConduit;

/// What a target sends, as Undertow's client understands it. Confined to the connection's I/O thread.
///
/// Interim responses (RFC 9110, 15.2) are left out: Undertow takes every one but `100` for the final response, so that
/// the client hangs and the next one on this connection gets a response that is not its own. The first `100` of a
/// request is kept, for clients that wait for it.
///
/// Where the final response ends is said once (RFC 9112, 6.3): Undertow waits for the content that a `304` describes,
/// takes the first of two lengths and hands on both, and does not know of other transfer codings. What cannot be
/// understood in one way only breaks the connection.
final class TargetResponses extends BufferedSourceConduit {
    /// Of the interim responses to one request. One each twenty seconds, as servers send them to show that they live,
    /// makes that in twelve hours.
    private static final int MOST_INTERIM = 64 * 1024;

    /// Of the head of a final response.
    private static final int LONGEST_HEAD = 128 * 1024;

    private static final Pattern BEGINNING = Pattern.compile("HTTP/1\\.\\d [1-9]\\d{2}(?: .*)?", Pattern.DOTALL);

    /// Where the status begins.
    private static final int STATUS = "HTTP/1.1 ".length();

    private static final byte[] CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final AttachmentKey<TargetResponses> OF_CONNECTION = AttachmentKey.create(TargetResponses.class);
    private static final Class<?> HTTP = Forwarding.http("HttpClientConnection");

    /// Below what Undertow reads, so that it sees nothing else. It offers no way to put a conduit there.
    private static final VarHandle RECEIVED =
            Http2Stream.field(HTTP, "pushBackStreamSourceConduit", PushBackStreamSourceConduit.class);
    private static final VarHandle SOURCE =
            Http2Stream.field(PushBackStreamSourceConduit.class, "current", StreamSourceConduit.class);

    /// What has been received and not been looked at, or not been read.
    private final ByteBuffer received = ByteBuffer.allocate(1024).flip();

    /// What is read first.
    private ByteBuffer ready = ByteBuffer.allocate(0);

    /// Of the present response, as far as it has arrived; null while content is read, or nothing is asked.
    private @Nullable ByteArrayOutputStream head;

    private boolean continued;
    private int skipped;

    /// Of the present line of the head, without its end.
    private int lineLength;

    private TargetResponses(StreamSourceConduit next) {
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

    private static TargetResponses of(ClientConnection connection) {
        var attachable = (AbstractAttachable) connection;
        var known = attachable.getAttachment(OF_CONNECTION);
        if (known != null) {
            return known;
        }
        var received = RECEIVED.get(connection);
        var responses = new TargetResponses((StreamSourceConduit) SOURCE.get(received));
        SOURCE.set(received, responses);
        attachable.putAttachment(OF_CONNECTION, responses);
        return responses;
    }

    /// A request is sent next.
    private void begin() {
        beginHead();
        continued = false;
        skipped = 0;
    }

    private void beginHead() {
        head = new ByteArrayOutputStream();
        lineLength = 0;
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
        return ready.hasRemaining() || received.hasRemaining();
    }

    private int readFinal(ByteBuffer bytes) throws IOException {
        while (true) {
            if (ready.hasRemaining()) {
                return move(ready, bytes);
            }
            var arriving = head;
            if (arriving == null) {
                return received.hasRemaining() ? move(received, bytes) : next.read(bytes);
            }
            if (received.hasRemaining()) {
                collect(arriving);
                continue;
            }
            int n = next.read(received.compact());
            received.flip();
            if (n == 0) {
                return 0;
            }
            if (n < 0) {
                ready = ByteBuffer.wrap(arriving.toByteArray());
                head = null; // Undertow reports what is missing
            }
        }
    }

    private static int move(ByteBuffer from, ByteBuffer to) {
        int n = Math.min(from.remaining(), to.remaining());
        to.put(to.position(), from, from.position(), n).position(to.position() + n);
        from.position(from.position() + n);
        return n;
    }

    /// Takes what has been received, up to the end of the head.
    private void collect(ByteArrayOutputStream arriving) throws IOException {
        while (received.hasRemaining()) {
            byte b = received.get();
            arriving.write(b);
            if (b == '\n' && lineLength == 0) {
                end(arriving.toString(StandardCharsets.ISO_8859_1));
                return;
            }
            lineLength = b == '\n' ? 0 : b == '\r' ? lineLength : lineLength + 1;
        }
        if (arriving.size() > LONGEST_HEAD) {
            throw new IOException("a target of a proxy sends too long a head");
        }
    }

    private void end(String whole) throws IOException {
        var lines = whole.lines().toList();
        if (!BEGINNING.matcher(lines.getFirst()).matches()) {
            throw new IOException("a target of a proxy does not answer in HTTP");
        }
        int status = Integer.parseInt(lines.getFirst(), STATUS, STATUS + 3, 10);
        if (status >= 200) {
            ready = ByteBuffer.wrap(framedOnce(lines, status == 204 || status == 304));
            head = null;
            return;
        }
        skipped += whole.length();
        if (skipped > MOST_INTERIM) {
            throw new IOException("a target of a proxy sends too many interim responses");
        }
        if (status == 100 && !continued) {
            continued = true;
            ready = ByteBuffer.wrap(CONTINUE);
        }
        beginHead();
    }

    /// @param lines with the empty one at the end
    /// @param isEmpty whether no content follows, whatever the fields say
    private static byte[] framedOnce(List<String> lines, boolean isEmpty) throws IOException {
        var kept = new ArrayList<String>();
        var lengths = new TreeSet<String>();
        var codings = new ArrayList<String>();
        boolean framing = false;
        for (var line : lines.subList(0, lines.size() - 1)) {
            boolean continues = line.startsWith(" ") || line.startsWith("\t");
            var field = line.split(":", 2);
            var name = continues ? "" : field[0].strip().toLowerCase(Locale.ROOT);
            requireUnambiguous(!continues || !framing);
            framing = field.length == 2 && (name.equals("content-length") || name.equals("transfer-encoding"));
            if (!framing) {
                kept.add(line);
            } else if (name.equals("content-length")) {
                lengths.add(field[1].strip());
            } else {
                codings.add(field[1].strip().toLowerCase(Locale.ROOT));
            }
        }
        if (!isEmpty && !codings.isEmpty()) {
            requireUnambiguous(codings.equals(List.of("chunked")));
            kept.add("Transfer-Encoding: chunked");
        } else if (!isEmpty && !lengths.isEmpty()) {
            requireUnambiguous(lengths.size() == 1 && lengths.first().matches("\\d{1,18}"));
            kept.add("Content-Length: " + lengths.first());
        }
        return (String.join("\r\n", kept) + "\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    private static void requireUnambiguous(boolean is) throws IOException {
        if (!is) {
            throw new IOException("a target of a proxy does not say in one way where its response ends");
        }
    }
}
