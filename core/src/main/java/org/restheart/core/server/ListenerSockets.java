package org.restheart.core.server;

import io.undertow.protocols.ssl.UndertowXnioSsl;
import io.undertow.server.HttpHandler;
import io.undertow.server.protocol.http.AlpnOpenListener;
import io.undertow.server.protocol.http.HttpOpenListener;
import io.undertow.server.protocol.http2.Http2OpenListener;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.ListenerConfig;
import org.restheart.http.Fatal;
import org.restheart.http.access.CallerScope;
import org.restheart.http.access.FairShares;
import org.restheart.http.access.FairThreads;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.ChannelListener;
import org.xnio.ChannelListeners;
import org.xnio.IoUtils;
import org.xnio.OptionMap;
import org.xnio.Options;
import org.xnio.StreamConnection;
import org.xnio.XnioWorker;
import org.xnio.channels.AcceptingChannel;
import org.xnio.conduits.AbstractStreamSourceConduit;
import org.xnio.conduits.ReadReadyHandler;
import org.xnio.conduits.StreamSourceConduit;

/// The sockets that the server listens on, and the protocols of their connections: HTTP/1.1 and HTTP/2, with
/// and without TLS. Opened once, closed once.
final class ListenerSockets {
    private static final Logger LOG = LoggerFactory.getLogger(ListenerSockets.class);

    private static final int BACKLOG = 1_000;

    private final ServerSettings settings;
    private final XnioWorker worker;
    private final IoThreadBufferPool buffers;
    private final ConnectionLimit connections;
    private final ConnectionCloser closer;
    private final Function<StreamConnection, ReceivedBytes> prepare;
    private final HttpHandler handler;
    private final List<AcceptingChannel<? extends StreamConnection>> sockets = new ArrayList<>();

    private volatile @Nullable Tls tls;
    private @Nullable Handshakes handshakes;

    /// @param prepare called with each connection that the limit admits, before its first request is read
    ListenerSockets(
            ServerSettings settings,
            XnioWorker worker,
            IoThreadBufferPool buffers,
            ConnectionLimit connections,
            ConnectionCloser closer,
            Function<StreamConnection, ReceivedBytes> prepare,
            HttpHandler handler) {
        this.settings = settings;
        this.worker = worker;
        this.buffers = buffers;
        this.connections = connections;
        this.closer = closer;
        this.prepare = prepare;
        this.handler = handler;
    }

    /// @throws StartException naming what to correct: a port in use, a keystore that cannot be read
    void open() {
        if (settings.http().enabled()) {
            open(settings.http(), plain());
        }
        if (settings.https().enabled()) {
            var keys = settings.https().keys().orElseThrow();
            var computed = new Handshakes();
            handshakes = computed;
            var certificate = new Tls(keys);
            tls = certificate;
            open(settings.https().listener(), encrypted(computed, certificate));
        }
    }

    private void open(ListenerConfig config, ChannelListener<StreamConnection> protocol) {
        try {
            var address = new InetSocketAddress(config.host(), config.port());
            if (address.isUnresolved()) {
                throw new IOException("unknown host");
            }
            var socket = worker.createStreamConnectionServer(
                    address, ChannelListeners.openListenerAdapter(admitted(config, protocol)), socketOptions());
            sockets.add(socket);
            socket.resumeAccepts();
            LOG.info("{} accepts connections on {}", config.name(), socket.getLocalAddress());
        } catch (IOException e) {
            throw cannotListen(config, e);
        }
    }

    static void requireFree(ListenerConfig config) {
        try (var socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(config.host(), config.port()));
        } catch (IOException e) {
            throw cannotListen(config, e);
        }
    }

    private static StartException cannotListen(ListenerConfig config, IOException e) {
        return new StartException(
                config.name() + ": cannot listen on " + config.host() + ":" + config.port() + ": " + e.getMessage()
                        + "; for another port start with "
                        + (config.name().equals("http-listener")
                                ? "--port N"
                                : "RHO='/" + config.name() + "/port -> N'"),
                e);
    }

    private ChannelListener<StreamConnection> admitted(
            ListenerConfig config, ChannelListener<StreamConnection> protocol) {
        return accepted -> {
            if (!connections.admit(accepted)) {
                return;
            }
            if (!config.proxyProtocol()) {
                protocol.handleEvent(accepted);
            } else if (settings.clients()
                    .trusts(accepted.getPeerAddress(InetSocketAddress.class).getAddress())) {
                ProxyProtocol.receive(accepted, protocol);
            } else {
                IoUtils.safeClose(accepted);
            }
        };
    }

    private ChannelListener<StreamConnection> plain() {
        var protocol = http();
        return connection -> {
            LazyReadSuspension.on(connection);
            prepare.apply(connection).begin(protocol);
        };
    }

    private ChannelListener<StreamConnection> encrypted(Handshakes handshakes, Tls certificate) {
        var protocol = httpOverTls();
        return accepted -> {
            var address = CallerScope.address(ConnectionLimit.address(accepted));
            Runnable close = () -> closer.add(() -> IoUtils.safeClose(accepted));
            if (!handshakes.mayBegin(address)) {
                close.run();
                return;
            }
            // one for each connection, since Undertow does not tell an executor whose task it has
            var ssl = new UndertowXnioSsl(
                    worker.getXnio(), OptionMap.EMPTY, certificate.context(), handshakes.client(address, close));
            StreamConnection connection = ssl.wrapExistingConnection(accepted, Tls.OPTIONS, false);
            if (settings.connection().http2()) {
                settings.connection().requestParseTimeout().ifPresent(time -> limitHandshake(connection, time));
            }
            var _ = prepare.apply(connection);
            protocol.handleEvent(connection);
        };
    }

    private HttpOpenListener http() {
        var listener = new HttpOpenListener(buffers, settings.options());
        // HTTP/2 begins by prior knowledge only. An upgrade of HTTP/1.1 (withdrawn by RFC 9113, section 3.1) is
        // ignored: through a proxy that forwards upgrades, as WebSockets need, it would be a tunnel past its rules.
        listener.setRootHandler(ReceivedBytes.told(handler));
        return listener;
    }

    private ChannelListener<StreamConnection> httpOverTls() {
        var http1 = http();
        if (!settings.connection().http2()) {
            return http1;
        }
        var overTls = new Http2OpenListener(buffers, settings.options());
        overTls.setRootHandler(handler);
        var alpn = new AlpnOpenListener(buffers, settings.options(), http1);
        alpn.addProtocol("h2", overTls, 10);
        return alpn;
    }

    /// Closes a TLS connection whose protocol is not known in time: Undertow's timeouts apply only from then on. With
    /// HTTP/1.1 alone it is known at once. The timer always runs out, and refers to the connection weakly, since
    /// clients may open and close very many in its time.
    private static void limitHandshake(StreamConnection connection, Duration timeout) {
        var weak = new WeakReference<>(connection);
        var _ = Exchanges.executeAfter(
                connection.getIoThread(),
                () -> {
                    var late = weak.get();
                    if (late != null && awaitsProtocol(late)) {
                        IoUtils.safeClose(late);
                    }
                },
                timeout.toMillis());
    }

    /// Whether Undertow still reads to find out which protocol the connection has.
    private static boolean awaitsProtocol(StreamConnection connection) {
        var listener = connection.getSourceChannel().getReadListener();
        return listener != null && listener.getClass().getDeclaringClass() == AlpnOpenListener.class;
    }

    private static OptionMap socketOptions() {
        return OptionMap.builder()
                .set(Options.TCP_NODELAY, true)
                .set(Options.REUSE_ADDRESSES, true)
                .set(Options.BACKLOG, BACKLOG)
                .getMap();
    }

    Optional<Tls> certificate() {
        return Optional.ofNullable(tls);
    }

    InetSocketAddress address() {
        return sockets.getFirst().getLocalAddress(InetSocketAddress.class);
    }

    void close() {
        sockets.forEach(IoUtils::safeClose);
        certificate().ifPresent(Tls::close);
        var ending = handshakes;
        if (ending != null) {
            ending.close();
        }
    }

    /// Computes the handshakes of TLS on threads of their own. A signature takes a millisecond or more,
    /// and a client needs no computation to ask for one. Addresses take turns. One whose share of the
    /// queue is full begins no other handshake: its connections are closed. Thread-safe.
    static final class Handshakes {
        private static final Logger LOG = LoggerFactory.getLogger(Handshakes.class);
        static final int THREADS = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);

        /// Handshakes that wait: about as many as are computed within a second.
        private static final int WAITING = 1_000;

        private static final FairShares.Patience ENDLESS = new FairShares.Patience(Long.MAX_VALUE);

        private final FairShares places = FairShares.ofAddresses(WAITING);
        private final FairThreads threads = new FairThreads("tls-handshake-", THREADS);

        /// Whether a handshake of this address may wait. Otherwise its connection should be closed before
        /// its bytes are read.
        boolean mayBegin(String address) {
            if (!places.tryTake(address)) {
                return false;
            }
            places.release(address);
            return true;
        }

        /// Computes the tasks of one connection, or closes it if too many of its address wait: Undertow
        /// reads nothing more of it, since its task is not run. After the first, its next tasks are
        /// accepted too, of which there is one at a time: else what has been computed would be of no use.
        ///
        /// @param close not on the I/O thread, which would select over all its connections for each
        Executor client(String address, Runnable close) {
            var isAccepted = new AtomicBoolean();
            return task -> {
                boolean isCounted = places.tryTake(address);
                if (isCounted || isAccepted.get()) {
                    isAccepted.set(true);
                    Thread.ofVirtual().name("tls-handshake").start(() -> compute(address, task, isCounted));
                } else {
                    close.run();
                }
            };
        }

        private void compute(String address, Runnable task, boolean counted) {
            try {
                var _ = threads.compute(address, ENDLESS, () -> {
                    if (counted) {
                        places.release(address);
                    }
                    task.run();
                    return task;
                });
            } catch (RejectedExecutionException | InterruptedException e) {
                LOG.debug("the server stops", e);
            } catch (ExecutionException e) {
                Fatal.exitOn(Objects.requireNonNull(e.getCause()));
                LOG.warn("a TLS handshake failed", e);
            }
        }

        void close() {
            threads.close();
        }
    }

    /// Suspends reads of a connection only when bytes arrive in the meantime. Undertow suspends reads
    /// while it processes a request and resumes them afterwards: two system calls per request, although
    /// clients rarely send anything in between.
    ///
    /// Thread-safe as the conduit below it is: reads may be resumed from any thread.
    static final class LazyReadSuspension extends AbstractStreamSourceConduit<StreamSourceConduit> {
        private volatile boolean wanted;

        private LazyReadSuspension(StreamSourceConduit next) {
            super(next);
        }

        /// Called before any other use of the connection.
        static void on(StreamConnection connection) {
            var source = connection.getSourceChannel();
            var lazy = new LazyReadSuspension(source.getConduit());
            source.setConduit(lazy);
            // the channel has set its handler below, where every suspension would be without effect
            lazy.setReadReadyHandler(new ReadReadyHandler.ChannelListenerHandler<>(source));
        }

        @Override
        public void suspendReads() {
            wanted = false;
        }

        @Override
        public void resumeReads() {
            wanted = true;
            if (!next.isReadResumed()) {
                next.resumeReads();
            }
        }

        @Override
        public void wakeupReads() {
            wanted = true;
            next.wakeupReads();
        }

        @Override
        public boolean isReadResumed() {
            return wanted;
        }

        @Override
        public void setReadReadyHandler(ReadReadyHandler handler) {
            next.setReadReadyHandler(new Gate(handler));
        }

        private final class Gate implements ReadReadyHandler {
            private final ReadReadyHandler handler;

            Gate(ReadReadyHandler handler) {
                this.handler = handler;
            }

            @Override
            public void readReady() {
                if (wanted) {
                    handler.readReady();
                    return;
                }
                next.suspendReads();
                if (wanted) { // resumed in the meantime by a thread that still saw them resumed below
                    next.resumeReads();
                }
            }

            @Override
            public void forceTermination() {
                handler.forceTermination();
            }

            @Override
            public void terminated() {
                handler.terminated();
            }
        }
    }
}
