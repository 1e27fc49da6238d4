package org.restheart.core.service;

import java.io.IOException;
import java.net.ConnectException;
import java.net.ProtocolException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
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
    private static final long RENEW_AGAIN = Duration.ofSeconds(1).toNanos();

    private final ProxyConfig config;
    private final List<Target> targets;
    private final AtomicInteger turn = new AtomicInteger();
    private final FairShares connections;
    private volatile HttpClient client = newClient();

    /// When the last one was made in place of another. Guarded by this.
    private long renewed = System.nanoTime() - RENEW_AGAIN;

    private final List<Thread> checks;
    private boolean isClosed;

    /// One of them.
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
        this.connections = new FairShares((int)
                Math.min(Integer.MAX_VALUE, (long) config.connectionsPerThread() * core.ioThreads() * targets.size()));
        this.checks = config.healthCheck().stream()
                .flatMap(check -> targets.stream()
                        .map(target -> Thread.ofVirtual().name("proxy-health").start(() -> watch(target, check))))
                .toList();
    }

    private static HttpClient newClient() {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(LONGEST_CONNECT)
                .executor(Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("proxy").factory()))
                .build();
    }

    HttpClient client() {
        return client;
    }

    /// Of all targets.
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
        if (failure instanceof ProtocolException) {
            LOG.warn("the proxy target {} does not answer as HTTP requires: {}", target.url, failure.getMessage());
            renewClient();
        }
        boolean isUnreachable = failure instanceof ConnectException || failure instanceof HttpConnectTimeoutException;
        if (isUnreachable) {
            LOG.debug("the proxy target {} cannot be reached", target.url, failure);
            target.leftOutUntil =
                    System.nanoTime() + config.problemServerRetry().toNanos();
        }
        return isUnreachable;
    }

    /// The JDK leaves a connection open on which it has received something else than HTTP; it closes all of a client
    /// that ends.
    private synchronized void renewClient() {
        long now = System.nanoTime();
        if (now - renewed >= RENEW_AGAIN && !isClosed) {
            renewed = now;
            client.shutdown();
            client = newClient();
        }
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
        var probe = HttpRequest.newBuilder(URI.create(target.url + check.path()))
                .timeout(LONGEST_CONNECT)
                .build();
        try {
            int status = client.send(probe, BodyHandlers.discarding()).statusCode();
            return status >= 200 && status < 400;
        } catch (IOException _) {
            return false;
        }
    }

    /// How long a request may take, response included.
    Optional<Duration> requestTimeout() {
        return config.requestTimeout();
    }

    @Override
    public synchronized void close() {
        isClosed = true;
        checks.forEach(Thread::interrupt);
        client.shutdownNow();
    }
}
