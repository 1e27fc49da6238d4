package org.restheart.core;

import com.mongodb.MongoTimeoutException;
import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ServerDescription;
import com.mongodb.event.ClusterDescriptionChangedEvent;
import com.mongodb.event.ClusterListener;
import com.mongodb.selector.ServerSelector;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/// Fails server selection at once while the whole deployment is known to be unreachable, instead of letting every
/// request
/// wait for the selection time-out. A deployment that has members but elects a primary is waited for. Thread-safe.
final class Reachability implements ServerSelector, ClusterListener {
    /// Long enough for a member to restart, so that requests that waited for it are served.
    private static final Duration GRACE = Duration.ofSeconds(3);

    /// One selection in this time waits all the same: only a selection that waits makes the driver look for servers
    /// more often than its heartbeats do.
    private static final Duration PROBE = Duration.ofSeconds(1);

    private static final long REACHABLE = Long.MAX_VALUE;

    private final AtomicLong unreachableSince = new AtomicLong(REACHABLE);
    private final AtomicLong lastProbe = new AtomicLong(System.nanoTime());

    @Override
    public void clusterDescriptionChanged(ClusterDescriptionChangedEvent event) {
        var servers = event.getNewDescription().getServerDescriptions();
        boolean unreachable = !servers.isEmpty()
                && servers.stream().allMatch(server -> !server.isOk() && server.getException() != null);
        if (unreachable) {
            unreachableSince.compareAndSet(REACHABLE, System.nanoTime());
        } else if (servers.stream().anyMatch(ServerDescription::isOk)) {
            unreachableSince.set(REACHABLE);
        }
    }

    @Override
    public List<ServerDescription> select(ClusterDescription cluster) {
        long since = unreachableSince.get();
        long now = System.nanoTime();
        if (since != REACHABLE && now - since > GRACE.toNanos() && !isProbe(now)) {
            throw new MongoTimeoutException("no member of the MongoDB deployment can be reached");
        }
        return cluster.getServerDescriptions();
    }

    private boolean isProbe(long now) {
        long last = lastProbe.get();
        return now - last > PROBE.toNanos() && lastProbe.compareAndSet(last, now);
    }
}
