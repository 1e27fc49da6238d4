package org.restheart.core.server;

import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.protocol.http.HttpServerConnection;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.xnio.ChannelListener;
import org.xnio.IoUtils;
import org.xnio.StreamConnection;
import org.xnio.XnioIoThread;
import org.xnio.conduits.StreamSourceConduit;

/// The received bytes of one connection, of any protocol. Those of heads are bounded by [ArrivingHeads].
///
/// If the client closes a connection of HTTP/1.1 that has no request in progress, [ConnectionCloser] closes it here.
/// Undertow would close it on the I/O thread, with a selection over all other connections: when ten thousand clients
/// disconnected at once, requests waited for 16 seconds.
///
/// Reads happen on the connection's I/O thread, or on the one thread that handles its request of HTTP/1.1.
final class ReceivedBytes extends BufferedSourceConduit {
    /// Bytes that a client may still send when its connection is being closed.
    private static final long MAX_DISCARDED = 64L << 20;

    /// Requests of a connection that are handled without a look at others.
    private static final int REQUESTS_IN_TURN = 16;

    private static final int BUFFER = 1 << 14;
    private static final int DISCARDING_READS = 64;

    private final StreamConnection connection;
    private final ArrivingHeads.Head head;

    private HeadLines lines = new HeadLines();

    /// Of the request that was read last, as the next field.
    private boolean isFolded;

    private boolean isVersionUnknown;

    /// Since bytes were read with which a request begins: others come from these bytes.
    private int requests;

    private final ConnectionCloser closer;
    private final Http2Reads frames;

    /// Undertow's reader of request heads, once it is known; other protocols replace it by theirs.
    private volatile @Nullable Object reader;

    private volatile @Nullable HttpServerExchange current;

    /// After an upgrade to another protocol.
    private volatile boolean upgraded;

    /// After the last exchange of the connection: Undertow has sent the response, and waits for the client's end.
    private volatile boolean closing;

    /// The host in the target of the request that is being read.
    private volatile @Nullable String authority;

    private long discarded;

    /// Whether an empty line before the request was left out, as some clients send one (RFC 9112, 2.2).
    private boolean skipped;

    /// Whether only the carriage return of one has arrived, which is read again with what follows it.
    private boolean isHalfLine;

    private volatile boolean ended;

    /// While the connection is being accepted.
    private boolean accepting;

    private ReceivedBytes(
            StreamConnection connection, StreamSourceConduit next, ArrivingHeads.Head head, ConnectionCloser closer) {
        super(next);
        this.connection = connection;
        this.head = head;
        this.closer = closer;
        this.frames = new Http2Reads(connection.getIoThread(), next);
    }

    /// To be called last before Undertow uses the connection.
    static ReceivedBytes on(StreamConnection connection, ArrivingHeads heads, ConnectionCloser closer) {
        var source = connection.getSourceChannel();
        var received = new ReceivedBytes(connection, source.getConduit(), heads.head(connection), closer);
        source.setConduit(received);
        return received;
    }

    /// A root handler for requests of HTTP/1.1 that tells their connections about them.
    static HttpHandler told(HttpHandler handler) {
        return exchange -> {
            var received = of(exchange);
            if (received != null) {
                received.requested(exchange, (HttpServerConnection) exchange.getConnection());
            }
            handler.handleRequest(exchange);
        };
    }

    /// Whether so many requests of HTTP/1.1 have come together that other connections must have their turn.
    static boolean isTurnOver(HttpServerExchange exchange) {
        var received = of(exchange);
        return received != null && received.requests % REQUESTS_IN_TURN == 0;
    }

    /// Those of a request of HTTP/1.1.
    private static @Nullable ReceivedBytes of(HttpServerExchange exchange) {
        return exchange.getConnection() instanceof HttpServerConnection http1
                        && http1.getOriginalSourceConduit() instanceof ReceivedBytes received
                ? received
                : null;
    }

    /// Whether the head of a request of HTTP/1.1 has a line that continues the one before it.
    static boolean isFolded(HttpServerExchange exchange) {
        var received = of(exchange);
        return received != null && received.isFolded;
    }

    /// Whether a request line names another version than 1.0 and 1.1, which Undertow takes for 1.1.
    static boolean isVersionUnknown(HttpServerExchange exchange) {
        var received = of(exchange);
        return received != null && received.isVersionUnknown;
    }

    StreamConnection connection() {
        return connection;
    }

    /// Whether Undertow reads the head of a request of HTTP/1.1, so that what it writes is a refusal of its own.
    boolean awaitsHead() {
        var exchange = current;
        return (exchange == null || (exchange.isComplete() && !exchange.isUpgrade())) && !upgraded && !head.isHttp2();
    }

    long headBytes() {
        return head.bytes();
    }

    /// Reads and forgets what has arrived, within bounds. Closing a connection whose input has not been read
    /// would reset it: the client might lose the response.
    ///
    /// @return 0 if no more has arrived, -1 at the end of the input, else the last number of bytes
    int discard() throws IOException {
        var buffer = ByteBuffer.allocate(BUFFER);
        int read = 0;
        for (int reads = 0; reads < DISCARDING_READS; reads++) {
            read = next.read(buffer.clear());
            if (read <= 0) {
                return read;
            }
            discarded += read;
        }
        return read;
    }

    private void requested(HttpServerExchange exchange, HttpServerConnection http1) {
        head.complete();
        requests++;
        isFolded = lines.areFolded;
        isVersionUnknown = lines.isVersionUnknown;
        lines = new HeadLines();
        skipped = false;
        current = exchange;
        var host = authority;
        if (host != null) {
            RequestHead.setHost(exchange, host);
            authority = null;
        }
        if (reader == null) {
            awaitsRequest();
        }
        if (http1.getExtraBytes() != null || !exchange.isRequestComplete()) {
            exchange.addExchangeCompleteListener((_, after) -> {
                var extra = http1.getExtraBytes();
                if (extra != null && !exchange.isUpgrade()) {
                    skipEmptyLine(extra.getBuffer());
                    if (!extra.getBuffer().hasRemaining()) {
                        http1.setExtraBytes(null);
                        extra.close();
                        extra = null;
                    }
                }
                if (extra != null) {
                    head.begins(extra.getBuffer().remaining());
                    if (!lines.arrived(extra.getBuffer().duplicate())) {
                        http1.setExtraBytes(null);
                        extra.close();
                        end();
                    }
                }
                after.proceed();
            });
        }
    }

    /// Begins HTTP/1.1. The first request is read when the thread finds the connection ready, as all others are: else
    /// clients that use a connection for each request would keep the thread, which accepts in tasks ([ReadTurn]).
    void begin(ChannelListener<StreamConnection> protocol) {
        accepting = true;
        protocol.handleEvent(connection);
        accepting = false;
        awaitsRequest();
    }

    private void awaitsRequest() {
        reader = connection.getSourceChannel().getReadListener();
    }

    @Override
    public int read(ByteBuffer to) throws IOException {
        if (ended || accepting) {
            return 0;
        }
        if (upgraded || isRequestInProgress()) {
            return next.read(to);
        }
        if (closing) { // Undertow would close the connection at the first byte, with others unread
            return discard() < 0 || discarded > MAX_DISCARDED ? -1 : 0;
        }
        head.requireInBounds();
        if (head.isHttp2() && !frames.mayRead()) {
            return 0;
        }
        int at = to.position();
        if (isHalfLine) {
            to.put((byte) '\r');
        }
        int read = readUnlessClosed(to);
        if (read <= 0) {
            to.position(at);
            return read;
        }
        isHalfLine = false;
        boolean begins = head.bytes() == 0 && !head.isHttp2();
        if (begins) {
            requests = 0;
            var line = to.duplicate().flip().position(at);
            skipEmptyLine(line);
            to.put(at, to, line.position(), line.remaining()).position(at + line.remaining());
        }
        read = to.position() - at;
        if (read == 0) {
            return 0;
        }
        head.arrived(to.duplicate().limit(at + read).position(at));
        if (!head.isHttp2() && !lines.arrived(to.duplicate().limit(at + read).position(at)) && !head.mayBecomeHttp2()) {
            to.position(at);
            end();
            return 0;
        }
        if (!begins) {
            return read;
        }
        var arrived = to.duplicate().limit(at + read).position(at);
        authority = AbsoluteTargets.reduce(arrived).orElse(null);
        to.position(arrived.limit());
        return arrived.remaining();
    }

    private void skipEmptyLine(ByteBuffer arrived) {
        int at = arrived.position();
        if (skipped || arrived.get(at) != '\r') {
            return;
        }
        if (arrived.remaining() == 1) {
            isHalfLine = true;
            arrived.position(at + 1);
        } else if (arrived.get(at + 1) == '\n') {
            skipped = true;
            arrived.position(at + 2);
        }
    }

    private boolean isRequestInProgress() {
        var exchange = current;
        if (exchange == null) {
            return false;
        }
        if (!exchange.isComplete()) {
            return true;
        }
        upgraded = exchange.isUpgrade();
        closing = !upgraded && !exchange.isPersistent();
        current = null; // an idle connection does not need its memory
        return upgraded;
    }

    private int readUnlessClosed(ByteBuffer to) throws IOException {
        try {
            int read = next.read(to);
            if (read >= 0 || !isIdle()) {
                return read;
            }
        } catch (IOException e) { // the client has reset the connection
            if (!isIdle()) {
                throw e;
            }
        }
        end();
        return 0;
    }

    /// Whether Undertow waits for a request of HTTP/1.1, where none is in progress.
    @SuppressWarnings("ReferenceEquality") // whether it is the same listener
    private boolean isIdle() {
        var known = reader;
        return known != null && known == connection.getSourceChannel().getReadListener();
    }

    void end() {
        if (!ended) {
            ended = true;
            next.suspendReads();
            closer.add(() -> IoUtils.safeClose(connection));
        }
    }

    /// Undertow does this after each request, too.
    @Override
    public void resumeReads() {
        isRequestInProgress();
        if (!ended && !frames.resume()) {
            next.resumeReads();
        }
    }

    @Override
    public void wakeupReads() {
        isRequestInProgress();
        if (!ended && !frames.resume()) {
            next.wakeupReads();
        }
    }

    @Override
    public void suspendReads() {
        frames.suspend();
        next.suspendReads();
    }

    @Override
    public boolean isReadResumed() {
        return ended || (frames.isWaiting() ? frames.isResumed() : next.isReadResumed());
    }

    /// The lines of one head of HTTP/1.1. Undertow joins those that begin with a blank to the one before, where other
    /// servers read two fields or one without a value (RFC 9112, 5.2).
    private static final class HeadLines {
        private static final long HTTP_1_0 =
                ByteBuffer.wrap("HTTP/1.0".getBytes(StandardCharsets.US_ASCII)).getLong();
        private static final long HTTP_1_1 = HTTP_1_0 + 1;

        /// `PRI `, in any case.
        private static final int PREFACE = 'p' << 24 | 'r' << 16 | 'i' << 8 | ' ';

        private boolean areFolded;
        private boolean areComplete;
        private boolean isVersionUnknown;

        /// Whether the first line begins with the method of the preface.
        private boolean isPreface;

        /// The end of the first line so far.
        private long version;

        private boolean isFirst = true;

        /// Except carriage returns, of which Undertow refuses those that end no line; 0 at the beginning.
        private byte last;

        /// @return false if Undertow would change to HTTP/2 here, which it does also after requests of HTTP/1.1, and
        ///     by other requests than the preface: then nothing would look at the frames
        boolean arrived(ByteBuffer received) {
            while (!areComplete && received.hasRemaining()) {
                byte next = received.get();
                if (next == '\r' || (next == '\n' && last == 0)) {
                    continue;
                }
                if (last == '\n') {
                    areComplete = next == '\n';
                    areFolded |= next == ' ' || next == '\t';
                }
                last = next;
                if (isFirst) {
                    first(next);
                }
            }
            return !isVersionUnknown || !isPreface;
        }

        private void first(byte next) {
            if (next == '\n') {
                isFirst = false;
                isVersionUnknown = version != HTTP_1_0 && version != HTTP_1_1;
            } else {
                version = version << Byte.SIZE | (next & 0xff);
                if (version >>> 24 != 0 && version >>> 32 == 0) { // its first four bytes
                    isPreface = ((int) version | 0x20202000) == PREFACE;
                }
            }
        }
    }

    /// Divides the reads of a connection of HTTP/2 into turns ([ReadTurn]). Undertow reads its frames as long as some
    /// have arrived, through TLS in tasks that follow each other. Any thread may resume and suspend reads.
    private static final class Http2Reads {
        private final XnioIoThread thread;
        private final StreamSourceConduit source;
        private @Nullable ReadTurn turn;
        private volatile boolean waits;

        /// Whether reads were resumed while they wait.
        private volatile boolean wanted;

        Http2Reads(XnioIoThread thread, StreamSourceConduit source) {
            this.thread = thread;
            this.source = source;
        }

        /// Whether it is the turn of this connection. If not, no bytes arrive until it is again.
        boolean mayRead() {
            if (waits) {
                return false;
            }
            if (turn == null || !turn.isUninterrupted(thread)) {
                turn = ReadTurn.begin(thread);
            }
            if (!turn.isLong()) {
                return true;
            }
            if (source.isReadResumed()) {
                wanted = true; // another thread that resumes meanwhile must not be overwritten
            }
            waits = true;
            source.suspendReads();
            ReadTurn.later(thread, this::goOn);
            return false;
        }

        private void goOn() {
            turn = null;
            waits = false;
            if (wanted) {
                source.wakeupReads(); // TLS may have read bytes that are not announced again
            }
        }

        boolean resume() {
            wanted = true;
            return waits;
        }

        void suspend() {
            wanted = false;
        }

        boolean isWaiting() {
            return waits;
        }

        boolean isResumed() {
            return wanted;
        }
    }

    /// Requests whose target is a whole URI (RFC 9112, 3.2.2): its host counts, whatever the header `Host`
    /// says. Undertow refuses those whose two hosts differ, so such a target is replaced by its path before
    /// Undertow reads it.
    private static final class AbsoluteTargets {
        private static final Pattern HEAD = Pattern.compile(
                "([!-~]{1,20} )(https?://([A-Za-z0-9.\\-_]+(?::\\d{1,5})?|\\[[0-9A-Fa-f:.]+](?::\\d{1,5})?))([/? ])",
                Pattern.CASE_INSENSITIVE);

        /// Longer names are none (RFC 1035, 2.3.4).
        private static final int LONGEST = 20 + 8 + 255 + 8;

        private AbsoluteTargets() {}

        /// Removes scheme and host of the target at the beginning of a head, if they have arrived as a
        /// whole.
        ///
        /// @return the host
        static Optional<String> reduce(ByteBuffer head) {
            if (!mayBe(head)) {
                return Optional.empty();
            }
            var bytes = new byte[Math.min(head.remaining(), LONGEST)];
            head.get(head.position(), bytes);
            var parts = HEAD.matcher(new String(bytes, StandardCharsets.ISO_8859_1));
            if (!parts.lookingAt()) {
                return Optional.empty();
            }
            var path = parts.group(4).equals("/") ? "" : "/";
            var kept = (parts.group(1) + path).getBytes(StandardCharsets.ISO_8859_1);
            int removed = parts.end(2) - kept.length;
            int from = head.position();
            head.put(from, kept);
            head.put(from + kept.length, head.duplicate(), from + parts.end(2), head.remaining() - parts.end(2));
            head.limit(head.limit() - removed);
            return Optional.of(parts.group(3));
        }

        /// A fast check: most targets begin with a slash.
        private static boolean mayBe(ByteBuffer head) {
            int at = head.position();
            while (at < head.limit() && at < head.position() + 20 && head.get(at) != ' ') {
                at++;
            }
            return at + 1 < head.limit() && (head.get(at + 1) | 0x20) == 'h';
        }
    }
}
