package org.restheart.core.server;

import io.undertow.server.HttpHandler;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.HttpContinueReadHandler;
import io.undertow.util.SameThreadExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.ConnectionOptions;
import org.restheart.core.config.ListenerConfig;
import org.restheart.core.config.ListenerConfig.TlsKeys;
import org.restheart.core.observation.Observation;
import org.restheart.core.observation.Observer;
import org.restheart.core.routing.Router;
import org.restheart.core.tracing.Tracing;
import org.restheart.http.Fields;
import org.restheart.http.MemoryBudget;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.Response;
import org.restheart.http.access.FairShares;
import org.restheart.security.ClientAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.OptionMap;
import org.xnio.Options;
import org.xnio.StreamConnection;
import org.xnio.Xnio;
import org.xnio.XnioWorker;
import org.xnio.conduits.AbstractStreamSinkConduit;
import org.xnio.conduits.StreamSinkConduit;

/// The HTTP server: I/O threads that accept connections and read requests, and what all requests share.
/// Start it once with [#start], stop it once with [#stop(Duration)].
public final class UndertowListener {
    private static final Logger LOG = LoggerFactory.getLogger(UndertowListener.class);

    /// How long a stop waits for listeners to receive the close frame.
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    /// How long it waits until clients of HTTP/2 were told which requests were served.
    private static final Duration LAST_WORD = Duration.ofMillis(500);

    /// A grace period ends early after this time without requests.
    private static final Duration QUIET = Duration.ofMillis(500);

    /// Threads for Undertow's tasks that must not run on I/O threads.
    private static final int HELPER_THREADS = 2;

    private final Admission admission;
    private final IoThreadBufferPool buffers;
    private final XnioWorker worker;
    private final UnreadRequests unread;
    private final ConnectionLimit connections;

    private final Http2Connections http2 = new Http2Connections();
    private final ConnectionCloser closer;
    private final PushConnections pushes;
    private final ListenerSockets sockets;
    private final ArrivingHeads heads;
    private boolean stopped;

    private UndertowListener(
            ServerSettings settings, Router router, Observer observer, Optional<Tracing> tracing, XnioWorker worker) {
        var limits = settings.limits();
        var options = settings.connection();
        var core = settings.core();
        this.admission = new Admission(limits.maxRequestsInFlight());
        this.connections = new ConnectionLimit(
                limits.maxConnections(),
                limits.maxConnectionsPerAddress(),
                !(settings.clients() instanceof ClientAddress.Forwarded));
        this.closer = new ConnectionCloser(connections::tidy);
        this.pushes = PushConnections.start(closer);
        this.heads = new ArrivingHeads(limits.maxArrivingHeads(), options.requestParseTimeout());
        this.buffers = new IoThreadBufferPool(core.directBuffers(), core.bufferSize());
        this.worker = worker;
        var reader = new RequestReader(settings.clients(), core.baseUrl());
        this.unread = new UnreadRequests(reader, observer, options);
        var threads = virtualThreads();
        var bodies = new BodyLimits(
                options.maxEntitySize().orElse(Long.MAX_VALUE),
                limits.maxBodiesInMemory(),
                limits.maxAnonymousBodies(),
                limits.maxStreamedContent(),
                limits.contentTimeout());
        var waiting = new FairShares(Math.max(1, admission.limit() / 2));
        var heads = new HeadMemory(MemoryBudget.Part.HEADS.bytes() / 2);
        var parts = new RequestExecution.Parts(
                admission,
                bodies,
                waiting,
                limits.memory(),
                heads,
                new UntakenResponses(waiting, heads, limits.responseTimeout()),
                settings.clients(),
                new ResponseWriter(threads, pushes, bodies, admission, limits.responseTimeout()),
                threads,
                observer,
                tracing);
        var root = new RootHandler(router, parts, reader, http2, options);
        var handler = new HttpContinueReadHandler(new PipelinedRequests(root));
        this.sockets = new ListenerSockets(settings, worker, buffers, connections, closer, this::prepare, handler);
    }

    /// Prepares a connection before its first request is read.
    private ReceivedBytes prepare(StreamConnection connection) {
        var received = ReceivedBytes.on(connection, heads, closer);
        unread.watch(received);
        return received;
    }

    /// Starts listening as configured and serving the routes.
    public static UndertowListener start(
            ServerSettings settings, Router router, Observer observer, Optional<Tracing> tracing) {
        var listener = new UndertowListener(settings, router, observer, tracing, worker(settings));
        try {
            listener.sockets.open();
        } catch (StartException e) {
            listener.stop(Duration.ZERO);
            throw e;
        }
        return listener;
    }

    public static void requireFreePorts(ListenerConfig http, ListenerConfig.Tls https, ListenerConfig management) {
        Stream.of(http, https.listener(), management)
                .filter(ListenerConfig::enabled)
                .forEach(ListenerSockets::requireFree);
    }

    /// Connections that are in memory, open or closed.
    int knownConnections() {
        return connections.known();
    }

    public static void check(ListenerConfig.Tls https) {
        if (https.enabled()) {
            https.keys()
                    .filter(keys -> keys.files().stream().allMatch(file -> Files.isReadable(Path.of(file))))
                    .ifPresent(Tls::check);
        }
    }

    public void useCertificate(TlsKeys keys) {
        sockets.certificate().ifPresent(certificate -> certificate.use(keys));
    }

    public Optional<Instant> certificateExpiry() {
        return sockets.certificate().map(Tls::expiry);
    }

    /// Whether the certificate is that of the configured files: false if they have changed and cannot be used.
    public boolean isCertificateCurrent() {
        return sockets.certificate().map(Tls::isCurrent).orElse(true);
    }

    private static XnioWorker worker(ServerSettings settings) {
        try {
            return Xnio.getInstance(UndertowListener.class.getClassLoader())
                    .createWorker(OptionMap.builder()
                            .set(Options.WORKER_NAME, "http")
                            .set(Options.WORKER_IO_THREADS, settings.core().ioThreads())
                            .set(Options.WORKER_TASK_CORE_THREADS, HELPER_THREADS)
                            .set(Options.WORKER_TASK_MAX_THREADS, HELPER_THREADS)
                            .set(Options.TCP_NODELAY, true)
                            .getMap());
        } catch (IOException e) {
            throw new StartException("cannot start I/O threads: " + e.getMessage(), e);
        }
    }

    /// Not an executor service, which would keep a set of all threads.
    private static Executor virtualThreads() {
        var factory = Thread.ofVirtual().name("worker").factory();
        return task -> factory.newThread(task).start();
    }

    public InetSocketAddress address() {
        return sockets.address();
    }

    public int inFlight() {
        return admission.inFlight();
    }

    public int maxInFlight() {
        return admission.limit();
    }

    /// Requests refused with 503 since the start, because of overload or because the server stops.
    public long rejected() {
        return admission.rejected();
    }

    public int connections() {
        return connections.open();
    }

    public long refusedConnections() {
        return connections.refused();
    }

    /// Continues serving while load balancers and clients are informed of the stop: each response ends its
    /// HTTP/1.1 connection, and clients of HTTP/2 get a `GOAWAY`. Returns after the grace period, or when there
    /// has been no request for a while.
    public void announceStop(Duration grace) {
        admission.announceStop();
        http2.sendGoAway();
        long end = System.nanoTime() + grace.toNanos();
        try {
            while (System.nanoTime() < end
                    && (admission.inFlight() > 0 || admission.sinceLastRequest().compareTo(QUIET) < 0)) {
                Thread.sleep(QUIET.dividedBy(20));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Stops accepting connections, refuses new requests on old ones, waits for the requests in flight, then
    /// closes all connections. A second call does nothing.
    public synchronized void stop(Duration timeout) {
        if (stopped) {
            return;
        }
        stopped = true;
        admission.close();
        http2.refuse(); // after the former: what is not counted as served was refused
        sockets.close();
        pushes.close();
        try {
            if (!admission.awaitEmpty(timeout)) {
                LOG.warn("{} requests are aborted: they took longer than {}", admission.inFlight(), timeout);
            }
            pushes.awaitEmpty(timeout.compareTo(CLOSE_TIMEOUT) < 0 ? timeout : CLOSE_TIMEOUT);
            http2.sendLastGoAway(LAST_WORD);
            worker.shutdownNow();
            if (!worker.awaitTermination(5, TimeUnit.SECONDS)) {
                LOG.warn("the I/O threads did not end in time");
            }
        } catch (InterruptedException _) {
            worker.shutdownNow();
            Thread.currentThread().interrupt();
        }
        closer.stop();
        buffers.close();
    }

    /// Requests that Undertow refuses by itself, because it cannot parse them or their head is too large:
    /// explains the refusal in a body and reports it to the observer. Such a refusal is recognized by the
    /// bytes that Undertow writes while no request is in progress. Thread-safe.
    private record UnreadRequests(RequestReader reader, Observer observer, ConnectionOptions limits) {
        private static final ByteBuffer REFUSAL =
                ByteBuffer.wrap("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                        .getBytes(StandardCharsets.US_ASCII));
        private static final int BAD_REQUEST = 400;

        /// The least bytes of a header field, `a:` with a line end, and of a parameter, `a&`.
        private static final int LEAST_FIELD = 4;

        private static final int LEAST_PARAMETER = 2;

        /// To be called before other code uses the connection.
        void watch(ReceivedBytes received) {
            var sink = received.connection().getSinkChannel();
            sink.setConduit(new Refusals(received, sink.getConduit()));
        }

        private Problem problem(long bytes) {
            if (bytes > limits.maxHeaderSize()) {
                return problem("the head of the request is larger than connection-options.MAX_HEADER_SIZE, "
                        + limits.maxHeaderSize() + " bytes");
            }
            long fields = LEAST_FIELD * (long) ServerSettings.most(limits.maxHeaders());
            long parameters = LEAST_PARAMETER * (long) ServerSettings.most(limits.maxParameters());
            return problem("the head of the request is not valid HTTP"
                    + (bytes < Math.min(fields, parameters)
                            ? ""
                            : ", or exceeds connection-options.MAX_HEADERS, " + limits.maxHeaders()
                                    + ", or MAX_PARAMETERS, " + limits.maxParameters() + ", by far"));
        }

        private static Problem problem(String message) {
            return Problem.of(ProblemCode.BAD_REQUEST, message);
        }

        private final class Refusals extends AbstractStreamSinkConduit<StreamSinkConduit> {
            private final ReceivedBytes received;

            /// What is sent instead of Undertow's refusal, as far as it is not sent yet.
            private @Nullable ByteBuffer refusal;

            Refusals(ReceivedBytes received, StreamSinkConduit next) {
                super(next);
                this.received = received;
            }

            @Override
            public int write(ByteBuffer bytes) throws IOException {
                return bytes.remaining() == REFUSAL.capacity() && bytes.equals(REFUSAL) && received.awaitsHead()
                        ? refuse(bytes)
                        : super.write(bytes);
            }

            /// Counts as written what stands for Undertow's bytes, when all of it is sent.
            private int refuse(ByteBuffer original) throws IOException {
                if (refusal == null) {
                    refusal = begin();
                }
                super.write(refusal);
                if (refusal.hasRemaining()) {
                    return 0;
                }
                int length = original.remaining();
                original.position(original.limit());
                return length;
            }

            private ByteBuffer begin() throws IOException {
                var body = RootHandler.text(problem(received.headBytes())).getBytes(StandardCharsets.UTF_8);
                observer.completed(new Observation(
                        reader.unread(received.connection()),
                        "",
                        BAD_REQUEST,
                        Fields.NONE,
                        body.length,
                        0,
                        Optional.empty(),
                        Optional.empty()));
                received.discard();
                var head = "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: " + Response.JSON
                        + "\r\nContent-Length: " + body.length + "\r\n\r\n";
                var response = ByteBuffer.allocate(head.length() + body.length);
                return response.put(head.getBytes(StandardCharsets.US_ASCII))
                        .put(body)
                        .flip();
            }
        }
    }

    /// Handles requests on their I/O thread, and lets a client that sends requests of HTTP/1.1 without awaiting
    /// responses have its turn like others: Undertow handles each such request in a task of its own ([ReadTurn]).
    record PipelinedRequests(HttpHandler next) implements HttpHandler {
        @Override
        public void handleRequest(HttpServerExchange exchange) throws Exception {
            if (!exchange.isInIoThread()) { // read where the one before it was answered
                exchange.dispatch(exchange.getIoThread(), this);
            } else if (ReceivedBytes.isTurnOver(exchange)) {
                exchange.dispatch(
                        SameThreadExecutor.INSTANCE,
                        () -> ReadTurn.later(
                                exchange.getIoThread(), () -> exchange.dispatch(SameThreadExecutor.INSTANCE, next)));
            } else {
                next.handleRequest(exchange);
            }
        }
    }
}
