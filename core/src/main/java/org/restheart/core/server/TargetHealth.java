package org.restheart.core.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.restheart.core.config.ProxyConfig.HealthCheck;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Probes the targets of a proxy, each on a virtual thread of its own, and excludes those that fail. Close it to
/// end the probes.
final class TargetHealth implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TargetHealth.class);
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
