package org.restheart.core.service;

import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.eclipse.jetty.client.Connection;
import org.eclipse.jetty.client.Destination;
import org.eclipse.jetty.client.DuplexConnectionPool;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.client.HttpResponseException;
import org.eclipse.jetty.client.ProcessingProtocolHandler;
import org.eclipse.jetty.client.Request;
import org.eclipse.jetty.client.Response;
import org.eclipse.jetty.client.transport.HttpClientTransportOverHTTP;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpCompliance.Violation;
import org.eclipse.jetty.http.HttpCookieStore;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.ClientConnector;
import org.eclipse.jetty.util.BufferUtil;
import org.eclipse.jetty.util.SocketAddressResolver;
import org.eclipse.jetty.util.component.LifeCycle;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.restheart.core.config.CoreConfig;
import org.restheart.core.config.ProxyConfig;
import org.restheart.core.config.ProxyConfig.HealthCheck;
import org.restheart.http.Problem;
import org.restheart.http.ProblemCode;
import org.restheart.http.access.FairShares;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The targets of one entry of `proxies`, which requests are sent to in turn. A target that cannot be reached is left
/// out for a while; where there is a health check, also one that fails it. Thread-safe; close it to end the checks.
final class ProxyTargets implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ProxyTargets.class);
    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(5);

    /// Of a connection that is kept for further requests: less than many targets wait before they close it, which a
    /// request that is on its way might meet.
    private static final Duration LONGEST_IDLE = Duration.ofSeconds(4);

    /// Bytes of a response's head.
    private static final int LONGEST_HEAD = 384 << 10;

    private final ProxyConfig config;
    private final List<Target> targets;
    private final AtomicInteger turn = new AtomicInteger();
    private final FairShares connections;
    private final HttpClient client;
    private final List<Thread> checks;

    static final class Target {
        private final String url;
        private volatile boolean isWell = true;
        private volatile long leftOutUntil = System.nanoTime();

        private Target(String url) {
            this.url = url.replaceFirst("/+$", ""); // the rest of a request's path begins with a slash
        }

        private boolean isUsable() {
            return isWell && System.nanoTime() - leftOutUntil >= 0;
        }

        String url() {
            return url;
        }
    }

    ProxyTargets(ProxyConfig config, CoreConfig core) {
        this.config = config;
        this.targets = config.targets().stream().map(Target::new).toList();
        int connections = (int) Math.min(
                Integer.MAX_VALUE / 2, (long) config.connectionsPerThread() * core.ioThreads() * targets.size());
        this.connections = new FairShares(connections);
        this.client = newClient(connections + targets.size()); // health checks among them
        this.checks = config.healthCheck().stream()
                .flatMap(check -> targets.stream()
                        .map(target -> Thread.ofVirtual().name("proxy-health").start(() -> watch(target, check))))
                .toList();
    }

    private static HttpClient newClient(int connections) {
        var threads = new QueuedThreadPool(8, 1);
        threads.setName("proxy");
        threads.setDaemon(true);
        var connector = new ClientConnector();
        connector.setSelectors(1);
        var tls = new SslContextFactory.Client();
        connector.setSslContextFactory(tls);
        var transport = new HttpClientTransportOverHTTP(connector);
        transport.setConnectionPoolFactory(destination -> new KeptConnections(destination, connections));
        var client = new HttpClient(transport);
        client.setExecutor(threads);
        client.setConnectTimeout(LONGEST_CONNECT.toMillis());
        client.setIdleTimeout(LONGEST_IDLE.toMillis());
        client.setMaxConnectionsPerDestination(connections);
        client.setMaxRequestsQueuedPerDestination(connections);
        client.setMaxResponseHeadersSize(LONGEST_HEAD);
        client.setHttpCompliance(
                HttpCompliance.RFC7230.with("targets", Violation.MULTIPLE_CONTENT_LENGTHS)); // equal ones
        client.setHttpCookieStore(new HttpCookieStore.Empty());
        client.setUserAgentField(new HttpField(HttpHeader.USER_AGENT, "RESTHeart"));
        client.setDefaultRequestContentType(null);
        client.setSocketAddressResolver(new SocketAddressResolver.Sync());
        try {
            tls.setSslContext(SSLContext.getDefault());
            client.start();
        } catch (Exception e) {
            throw new IllegalStateException("the HTTP client of proxies does not start", e);
        }
        client.getContentDecoderFactories().clear();
        client.getProtocolHandlers().clear();
        client.getProtocolHandlers().put(new InterimResponses());
        return client;
    }

    /// Connections that are looked at before each further request: a target may have closed one, or have sent what
    /// nobody asked for.
    private static final class KeptConnections extends DuplexConnectionPool {
        KeptConnections(Destination destination, int most) {
            super(destination, most);
        }

        @Override
        protected @Nullable Connection activate() {
            while (true) {
                var connection = super.activate();
                if (connection == null || !isStale(connection)) {
                    return connection;
                }
                remove(connection); // before it is closed, which would begin the waiting requests from here
                connection.close();
            }
        }

        private static boolean isStale(Connection kept) {
            if (!(kept instanceof org.eclipse.jetty.io.Connection connection) || connection.getMessagesIn() == 0) {
                return false;
            }
            try {
                return connection.getEndPoint().fill(BufferUtil.allocate(1)) != 0; // does not wait
            } catch (IOException e) {
                LOG.debug("a connection to a proxy target has failed", e);
                return true;
            }
        }
    }

    /// Skips them, a few for each request.
    private static final class InterimResponses extends ProcessingProtocolHandler {
        private static final int MOST = 8;
        private static final String COUNT = InterimResponses.class.getName();

        @Override
        public String getName() {
            return "interim";
        }

        @Override
        public boolean accept(Request request, Response response) {
            boolean isInterim = response.getStatus() < 200 && response.getStatus() != 101;
            if (isInterim) {
                int before = request.getAttributes().get(COUNT) instanceof Integer n ? n : 0;
                request.attribute(COUNT, before + 1);
                if (before == MOST) {
                    var _ = request.abort(new IllegalStateException("more than " + MOST + " interim responses"));
                }
            }
            return isInterim;
        }
    }

    HttpClient client() {
        return client;
    }

    FairShares connections() {
        return connections;
    }

    /// The next one, but for those that were tried.
    ///
    /// @throws org.restheart.http.ProblemException 503 if there is none
    Target next(List<Target> tried) {
        for (int i = 0; i < targets.size(); i++) {
            var target = targets.get(Math.floorMod(turn.getAndIncrement(), targets.size()));
            if (target.isUsable() && !tried.contains(target)) {
                return target;
            }
        }
        throw unavailable();
    }

    /// No target has answered.
    RuntimeException unavailable() {
        return Problem.helpful(
                        ProblemCode.TARGET_UNAVAILABLE, "no server behind this proxy can be reached at the moment")
                .with("Retry-After", Long.toString(nextTry().toSeconds()))
                .raise();
    }

    /// When targets that are left out are tried again.
    private Duration nextTry() {
        var retry = config.healthCheck()
                .map(HealthCheck::interval)
                .filter(interval -> interval.compareTo(config.problemServerRetry()) < 0)
                .orElse(config.problemServerRetry());
        return retry.isPositive() ? retry : Duration.ofSeconds(1);
    }

    /// Whether a request has failed since its target could not be reached, which is left out then.
    boolean isUnreachable(Target target, Throwable failure) {
        if (failure instanceof HttpResponseException response) {
            var reason = response.getResponse().getReason();
            LOG.warn("the proxy target {} does not answer as HTTP requires: {}", target.url, reason);
        }
        boolean isUnreachable = failure instanceof ConnectException
                || failure instanceof NoRouteToHostException
                || failure instanceof SocketTimeoutException
                || failure instanceof UnknownHostException
                || failure instanceof UnresolvedAddressException;
        if (isUnreachable) {
            LOG.debug("the proxy target {} cannot be reached", target.url, failure);
            target.leftOutUntil =
                    System.nanoTime() + config.problemServerRetry().toNanos();
        }
        return isUnreachable;
    }

    private void watch(Target target, HealthCheck check) {
        try {
            while (true) {
                boolean isWell = isWell(target, check);
                if (isWell && !target.isWell) {
                    LOG.info("the proxy target {} passes its health check again", target.url);
                } else if (!isWell && target.isWell) {
                    LOG.warn("the proxy target {} fails its health check and gets no requests", target.url);
                }
                target.isWell = isWell;
                Thread.sleep(check.interval());
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isWell(Target target, HealthCheck check) throws InterruptedException {
        var status = new CompletableFuture<Integer>();
        client.newRequest(URI.create(target.url() + check.path()))
                .idleTimeout(0, TimeUnit.MILLISECONDS)
                .timeout(LONGEST_CONNECT.toMillis(), TimeUnit.MILLISECONDS)
                .send(result -> status.complete(
                        result.isFailed() ? 0 : result.getResponse().getStatus()));
        try {
            return status.get() >= 200 && status.get() < 400;
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    Optional<Duration> requestTimeout() {
        return config.requestTimeout();
    }

    @Override
    public void close() {
        checks.forEach(Thread::interrupt);
        LifeCycle.stop(client);
    }
}
