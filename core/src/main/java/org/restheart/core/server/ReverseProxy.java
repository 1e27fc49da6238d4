package org.restheart.core.server;

import io.undertow.UndertowOptions;
import io.undertow.predicate.IdempotentPredicate;
import io.undertow.protocols.ssl.UndertowXnioSsl;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.handlers.proxy.LoadBalancingProxyClient;
import io.undertow.server.handlers.proxy.ProxyHandler;
import io.undertow.util.HeaderMap;
import io.undertow.util.Headers;
import io.undertow.util.HttpString;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.restheart.core.config.ProxyConfig;
import org.restheart.core.config.ProxyConfig.HealthCheck;
import org.restheart.http.Content;
import org.restheart.http.access.FairShares;
import org.restheart.security.ClientAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.xnio.OptionMap;
import org.xnio.Xnio;
import org.xnio.XnioIoThread;
import org.xnio.ssl.XnioSsl;

/// Hands requests on to the targets of one entry of `proxies`, in turn. A target that cannot be reached is left
/// out for a while; where there is a health check, also one that fails it. Thread-safe.
///
/// @param connections to all targets, which each I/O thread has for itself
record ReverseProxy(
        ProxyHandler handler,
        ServerSettings.Limits limits,
        int connectionsPerThread,
        Optional<TargetHealth> health,
        TargetFailures failures,
        ConcurrentMap<XnioIoThread, FairShares> connections)
        implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ReverseProxy.class);

    /// Header fields that determine where the request ends, and its host.
    private static final Set<HttpString> FRAMING =
            Set.of(Headers.CONTENT_LENGTH, Headers.TRANSFER_ENCODING, Headers.HOST, Headers.EXPECT);

    /// Header fields about one connection (RFC 9110, 7.6.1).
    private static final List<HttpString> HOP_BY_HOP = List.of(
            Headers.CONNECTION,
            new HttpString("Keep-Alive"),
            Headers.PROXY_AUTHENTICATE,
            new HttpString("Proxy-Connection"),
            Headers.TE,
            Headers.UPGRADE);

    /// @throws StartException if TLS is not available
    static ReverseProxy open(ProxyConfig config, Xnio xnio, ServerSettings settings) {
        var client = new LoadBalancingProxyClient()
                .setConnectionsPerThread(config.connectionsPerThread())
                .setSoftMaxConnectionsPerThread(config.softMaxConnectionsPerThread())
                .setMaxQueueSize(config.maxQueueSize())
                .setTtl(config.connectionsTtl()
                        .map(Duration::toMillis)
                        .orElse(-1L)
                        .intValue())
                .setProblemServerRetry((int) config.problemServerRetry().toSeconds());
        var targets = config.targets().stream().map(ReverseProxy::target).toList();
        targets.forEach(target -> add(client, target, xnio));
        var handler = ProxyHandler.builder()
                .setProxyClient(TargetResponses.on(client))
                .setRewriteHostHeader(config.rewriteHostHeader())
                .setReuseXForwarded(settings.clients() instanceof ClientAddress.Forwarded)
                .setMaxConnectionRetries(targets.size())
                .setIdempotentRequestPredicate(ReverseProxy::maySendAgain)
                .setMaxRequestTime(config.requestTimeout()
                        .map(Duration::toMillis)
                        .orElse(-1L)
                        .intValue())
                .build();
        return new ReverseProxy(
                handler,
                settings.limits(),
                config.connectionsPerThread() * targets.size(),
                config.healthCheck()
                        .map(check -> TargetHealth.watch(
                                targets, check, target -> add(client, target, xnio), client::removeHost)),
                TargetFailures.of(config, settings.core().errorBodies()),
                new ConcurrentHashMap<>());
    }

    /// Whether another connection may be used if the present one breaks.
    private static boolean maySendAgain(HttpServerExchange exchange) {
        return !Forwarding.isAbandoned(exchange) && IdempotentPredicate.INSTANCE.resolve(exchange);
    }

    /// Without the slash at its end: the rest of a request's path begins with one.
    private static URI target(String url) {
        return URI.create(url.replaceFirst("/+$", ""));
    }

    private static void add(LoadBalancingProxyClient client, URI target, Xnio xnio) {
        if (target.getScheme().equals("https")) {
            client.addHost(
                    target,
                    null,
                    tls(xnio),
                    OptionMap.create(UndertowOptions.ENDPOINT_IDENTIFICATION_ALGORITHM, "HTTPS"));
        } else {
            client.addHost(target);
        }
    }

    private static XnioSsl tls(Xnio xnio) {
        try {
            return new UndertowXnioSsl(xnio, OptionMap.EMPTY, SSLContext.getDefault());
        } catch (NoSuchAlgorithmException e) {
            throw new StartException("proxies: TLS is not available: " + e.getMessage(), e);
        }
    }

    /// Hands the request on, with its content, when its caller may have another connection. The exchange
    /// ends with the target's response, or with 503 if there is no target or no connection, 504 if it takes
    /// too long. Blocks until it ends.
    void forward(HttpServerExchange exchange, Content.Forwarded forwarded) {
        if (RequestHead.contentLength(exchange) > limits.maxStreamedContent()) {
            failures.refuseContent(exchange, limits.maxStreamedContent());
            return;
        }
        var caller = forwarded.caller();
        var shares = connections.computeIfAbsent(exchange.getIoThread(), _ -> new FairShares(connectionsPerThread));
        var forwarding = new Forwarding(exchange);
        if (!forwarding.awaitConnection(shares, caller)) {
            forwarding.onIoThread(() -> refuse(exchange, forwarding));
            return;
        }
        forwarding.onIoThread(() -> {
            // until the exchange ends: slow uploads and endless responses of one caller would leave none for others
            Exchanges.onComplete(exchange, () -> shares.release(caller));
            handOn(exchange, forwarded, forwarding);
        });
        forwarding.endWith(forwarded.standing());
    }

    private void refuse(HttpServerExchange exchange, Forwarding forwarding) {
        if (forwarding.isGone()) {
            Exchanges.endClientGone(exchange);
        } else {
            failures.refuseConnection(exchange);
        }
    }

    private void handOn(HttpServerExchange exchange, Content.Forwarded forwarded, Forwarding forwarding) {
        ForwardedContent.watch(exchange, limits.contentTimeout(), limits.maxStreamedContent());
        forwarding.begin(limits.responseTimeout());
        RequestHead.replace(exchange, fields(exchange, forwarded));
        exchange.setRequestURI(forwarded.path(), false);
        exchange.addResponseCommitListener(ReverseProxy::keepConnectionsApart);
        exchange.addDefaultResponseListener(failures);
        try {
            handler.handleRequest(exchange);
        } catch (Exception e) {
            LOG.error("a request could not be handed on to {}", forwarded.proxy(), e);
            exchange.setStatusCode(500);
            exchange.endExchange();
        }
    }

    private static HeaderMap fields(HttpServerExchange exchange, Content.Forwarded forwarded) {
        var received = RequestHead.of(exchange);
        var fields = new HeaderMap();
        for (var name : FRAMING) {
            var values = received.get(name);
            if (values != null) {
                fields.putAll(name, values);
            }
        }
        forwarded.headers().forEach((name, value) -> fields.add(new HttpString(name), UndertowHeaders.value(value)));
        return fields;
    }

    private static void keepConnectionsApart(HttpServerExchange exchange) {
        var fields = exchange.getResponseHeaders();
        var ofConnection = fields.get(Headers.CONNECTION);
        if (ofConnection != null) {
            ofConnection.stream()
                    .flatMap(line -> Stream.of(line.split(",", -1)))
                    .map(name -> new HttpString(name.strip()))
                    .filter(name -> !FRAMING.contains(name))
                    .toList()
                    .forEach(fields::remove);
        }
        HOP_BY_HOP.forEach(fields::remove);
        if (!exchange.isHttp11()) {
            fields.remove(Headers.TRANSFER_ENCODING);
        }
    }

    /// Ends health checks. Connections end with the I/O threads.
    @Override
    public void close() {
        health.ifPresent(TargetHealth::close);
    }

    /// Probes the targets of a proxy, each on a virtual thread of its own, and excludes those that fail. Close it to
    /// end the probes.
    static final class TargetHealth implements AutoCloseable {
        private static final Duration LONGEST_PROBE = Duration.ofSeconds(5);

        private final HealthCheck check;
        private final Consumer<URI> include;
        private final Consumer<URI> leaveOut;
        private final HttpClient client = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(LONGEST_PROBE)
                .build();
        private final List<Thread> threads;

        private TargetHealth(List<URI> targets, HealthCheck check, Consumer<URI> include, Consumer<URI> leaveOut) {
            this.check = check;
            this.include = include;
            this.leaveOut = leaveOut;
            this.threads = targets.stream()
                    .map(target -> Thread.ofVirtual().name("proxy-health").unstarted(() -> watch(target)))
                    .toList();
        }

        /// @param targets all of which requests are sent to until their first probe fails
        static TargetHealth watch(List<URI> targets, HealthCheck check, Consumer<URI> include, Consumer<URI> leaveOut) {
            var health = new TargetHealth(targets, check, include, leaveOut);
            health.threads.forEach(Thread::start);
            return health;
        }

        private void watch(URI target) {
            boolean included = true;
            try {
                while (true) {
                    boolean well = isWell(target);
                    if (well && !included) {
                        include.accept(target);
                        LOG.info("the proxy target {} passes its health check again", target);
                    } else if (!well && included) {
                        leaveOut.accept(target);
                        LOG.warn("the proxy target {} fails its health check and gets no requests", target);
                    }
                    included = well;
                    Thread.sleep(check.interval());
                }
            } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
            }
        }

        private boolean isWell(URI target) throws InterruptedException {
            var probe = HttpRequest.newBuilder(URI.create(target + check.path()))
                    .timeout(LONGEST_PROBE)
                    .build();
            try {
                int status = client.send(probe, BodyHandlers.discarding()).statusCode();
                return status >= 200 && status < 400;
            } catch (IOException _) {
                return false;
            }
        }

        @Override
        public void close() {
            threads.forEach(Thread::interrupt);
            client.shutdownNow();
        }
    }
}
