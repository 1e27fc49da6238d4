package org.restheart.core.server;

import io.undertow.protocols.ssl.UndertowXnioSsl;
import io.undertow.server.DelegateOpenListener;
import io.undertow.server.HttpHandler;
import io.undertow.server.OpenListener;
import io.undertow.server.handlers.HttpContinueReadHandler;
import io.undertow.server.protocol.http.AlpnOpenListener;
import io.undertow.server.protocol.http.HttpOpenListener;
import io.undertow.server.protocol.http2.Http2OpenListener;
import io.undertow.server.protocol.http2.Http2UpgradeHandler;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.ListenerConfig;
import org.restheart.core.config.ListenerConfig.Keystore;
import org.restheart.core.observation.Observer;
import org.restheart.core.routing.Router;
import org.restheart.core.tracing.Tracing;
import org.restheart.http.access.FairShares;
import org.restheart.security.ClientAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.ChannelListener;
import org.xnio.ChannelListeners;
import org.xnio.IoUtils;
import org.xnio.OptionMap;
import org.xnio.Options;
import org.xnio.StreamConnection;
import org.xnio.Xnio;
import org.xnio.XnioWorker;
import org.xnio.channels.AcceptingChannel;

/// The HTTP server: I/O threads that accept connections and read requests, and the sockets they listen on.
/// Start it once with [#start], stop it once with [#stop(Duration)].
public final class UndertowListener {
    private static final Logger LOG = LoggerFactory.getLogger(UndertowListener.class);
    private static final int BACKLOG = 1_000;

    /// How long a stop waits for listeners to receive the close frame.
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    /// A grace period ends early after this time without requests.
    private static final Duration QUIET = Duration.ofMillis(500);

    /// Threads for Undertow's tasks that must not run on I/O threads, such as TLS handshakes.
    private static final int HELPER_THREADS = 2;

    private final ServerSettings settings;
    private final Admission admission;
    private final IoThreadBufferPool buffers;
    private final XnioWorker worker;
    private final UnreadRequests unread;
    private final ConnectionLimit connections;

    /// Meters refer to it weakly.
    private final ServerLoad load;
    private final Http2Connections http2 = new Http2Connections();
    private final ConnectionCloser closer = ConnectionCloser.start();
    private final PushConnections pushes = PushConnections.start(closer);
    private final HttpHandler handler;
    private final Map<String, ReverseProxy> proxies = new HashMap<>();
    private final List<AcceptingChannel<? extends StreamConnection>> sockets = new ArrayList<>();
    private boolean stopped;

    private volatile @Nullable UndertowXnioSsl tls;

    private UndertowListener(
            ServerSettings settings, Router router, Observer observer, Optional<Tracing> tracing, XnioWorker worker) {
        this.settings = settings;
        this.admission = new Admission(settings.limits().maxRequestsInFlight());
        this.connections = new ConnectionLimit(
                settings.limits().maxConnections(),
                settings.limits().maxConnectionsPerAddress(),
                !(settings.clients() instanceof ClientAddress.Forwarded));
        this.load = new Load(admission, connections);
        this.buffers = new IoThreadBufferPool(
                settings.core().directBuffers(), settings.core().bufferSize());
        this.worker = worker;
        var reader = new RequestReader();
        this.unread = new UnreadRequests(reader, observer, settings.connection());
        var threads = virtualThreads();
        for (var proxy : settings.proxies()) {
            proxies.putIfAbsent(proxy.location(), ReverseProxy.open(proxy, worker.getXnio(), settings));
        }
        var bodies = new BodyLimits(
                settings.connection().maxEntitySize().orElse(Long.MAX_VALUE),
                settings.limits().maxBodiesInMemory(),
                settings.limits().maxAnonymousBodies(),
                settings.limits().maxStreamedContent(),
                settings.limits().contentTimeout());
        var parts = new ServerParts(
                admission,
                bodies,
                new FairShares(admission.limit(), 0),
                new HeldResponses(settings.limits().maxResponsesInMemory()),
                settings.clients(),
                new ResponseWriter(
                        threads,
                        pushes,
                        bodies,
                        admission,
                        proxies,
                        settings.limits().responseTimeout()),
                threads,
                observer,
                tracing);
        this.handler =
                new HttpContinueReadHandler(new RootHandler(router, parts, reader, http2, settings.connection()));
    }

    /// Starts listening as configured and serving the routes.
    ///
    /// @throws StartException naming what to correct: a port in use, a keystore that cannot be read
    public static UndertowListener start(
            ServerSettings settings, Router router, Observer observer, Optional<Tracing> tracing) {
        var listener = new UndertowListener(settings, router, observer, tracing, worker(settings));
        try {
            listener.listen();
        } catch (StartException e) {
            listener.stop(Duration.ZERO);
            throw e;
        }
        return listener;
    }

    /// Opens the keystore of a listener that is enabled, and no sockets.
    ///
    /// @throws StartException naming what to correct
    public static void check(ListenerConfig.Tls https) {
        if (https.enabled()) {
            https.keys().filter(keys -> Files.isReadable(Path.of(keys.path()))).ifPresent(Tls::context);
        }
    }

    /// Uses another certificate for the connections that come; does nothing without a listener for TLS.
    ///
    /// @throws StartException if it cannot be used; the one before is kept
    public void useCertificate(Keystore keys) {
        var ssl = tls;
        if (ssl != null) {
            ssl.updateSSLContext(Tls.context(keys));
        }
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

    private void listen() {
        if (settings.http().enabled()) {
            open(
                    "http-listener",
                    settings.http(),
                    address -> worker.createStreamConnectionServer(
                            address, ChannelListeners.openListenerAdapter(patient(plain())), socketOptions()));
        }
        if (settings.https().enabled()) {
            var keys = settings.https().keys().orElseThrow();
            var ssl = new UndertowXnioSsl(worker.getXnio(), OptionMap.EMPTY, Tls.context(keys));
            tls = ssl;
            open(
                    "https-listener",
                    settings.https().listener(),
                    address -> ssl.createSslConnectionServer(
                            worker,
                            address,
                            ChannelListeners.openListenerAdapter(watched(secure())),
                            OptionMap.builder()
                                    .addAll(socketOptions())
                                    .addAll(Tls.OPTIONS)
                                    .getMap()));
        }
    }

    private void open(String name, ListenerConfig config, Opener opener) {
        try {
            var address = new InetSocketAddress(config.host(), config.port());
            if (address.isUnresolved()) {
                throw new IOException("unknown host");
            }
            var socket = opener.open(address);
            sockets.add(socket);
            socket.resumeAccepts();
            LOG.info("{} accepts connections on {}", name, socket.getLocalAddress());
        } catch (IOException e) {
            throw new StartException(
                    name + ": cannot listen on " + config.host() + ":" + config.port() + ": " + e.getMessage()
                            + "; for another port start with "
                            + (name.equals("http-listener") ? "--port N" : "RHO='/" + name + "/port -> N'"),
                    e);
        }
    }

    @FunctionalInterface
    private interface Opener {
        AcceptingChannel<? extends StreamConnection> open(InetSocketAddress address) throws IOException;
    }

    private ChannelListener<StreamConnection> patient(OpenListener listener) {
        return connection -> {
            if (!connections.admit(connection)) {
                return;
            }
            LazyReadSuspension.on(connection);
            var idle = IdleConnection.on(connection, closer);
            unread.watch(connection);
            http2.accepted(connection);
            listener.handleEvent(connection);
            idle.awaitsRequest();
        };
    }

    private ChannelListener<StreamConnection> watched(ChannelListener<StreamConnection> listener) {
        return connection -> {
            if (!connections.admit(connection)) {
                return;
            }
            IdleConnection.on(connection, closer);
            unread.watch(connection);
            http2.accepted(connection);
            listener.handleEvent(connection);
        };
    }

    private OpenListener plain() {
        var listener = new HttpOpenListener(buffers, options());
        listener.setRootHandler(settings.connection().http2() ? new Http2UpgradeHandler(handler) : handler);
        return listener;
    }

    private ChannelListener<StreamConnection> secure() {
        var http1 = new HttpOpenListener(buffers, options());
        http1.setRootHandler(handler);
        if (!settings.connection().http2()) {
            return http1;
        }
        var overTls = new Http2OpenListener(buffers, options());
        overTls.setRootHandler(handler);
        var timeout = settings.connection().requestParseTimeout().map(HandshakeTimeout::new);
        var alpn = new AlpnOpenListener(
                buffers,
                options(),
                timeout.<DelegateOpenListener>map(t -> t.begun(http1)).orElse(http1));
        alpn.addProtocol(
                "h2", timeout.<DelegateOpenListener>map(t -> t.begun(overTls)).orElse(overTls), 10);
        return timeout.<ChannelListener<StreamConnection>>map(t -> t.within(alpn))
                .orElse(alpn);
    }

    private OptionMap options() {
        return ConnectionOptionMap.of(settings.connection(), settings.core().allowUnescapedCharactersInUrl());
    }

    private static OptionMap socketOptions() {
        return OptionMap.builder()
                .set(Options.TCP_NODELAY, true)
                .set(Options.REUSE_ADDRESSES, true)
                .set(Options.BACKLOG, BACKLOG)
                .getMap();
    }

    /// The first listener's address, with its actual port.
    public InetSocketAddress address() {
        return sockets.getFirst().getLocalAddress(InetSocketAddress.class);
    }

    public ServerLoad load() {
        return load;
    }

    private record Load(Admission admission, ConnectionLimit clients) implements ServerLoad {
        @Override
        public int inFlight() {
            return admission.inFlight();
        }

        @Override
        public int limit() {
            return admission.limit();
        }

        @Override
        public long rejected() {
            return admission.rejected();
        }

        @Override
        public int connections() {
            return clients.open();
        }

        @Override
        public long refusedConnections() {
            return clients.refused();
        }
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
    ///
    /// @param timeout how long requests in flight may take
    public synchronized void stop(Duration timeout) {
        if (stopped) {
            return;
        }
        stopped = true;
        admission.close();
        sockets.forEach(IoUtils::safeClose);
        pushes.close();
        proxies.values().forEach(ReverseProxy::close);
        try {
            if (!admission.awaitEmpty(timeout)) {
                LOG.warn("{} requests are aborted: they took longer than {}", admission.inFlight(), timeout);
            }
            pushes.awaitEmpty(timeout.compareTo(CLOSE_TIMEOUT) < 0 ? timeout : CLOSE_TIMEOUT);
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
}
