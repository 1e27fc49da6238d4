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
import org.restheart.http.RequestStart;

/// Fails server selection at once while the whole deployment is known to be unreachable, instead of letting every
/// request wait for the selection time-out. A deployment that has members but elects a primary is waited for, for the
/// selection time-out from the start of the request, not of each of its attempts. Thread-safe.
final class Reachability implements ServerSelector, ClusterListener {
    /// Long enough for a member to restart, so that requests that waited for it are served.
    private static final Duration GRACE = Duration.ofSeconds(3);

    /// One selection in this time waits all the same: only a selection that waits makes the driver look for servers
    /// more often than its heartbeats do.
    private static final Duration PROBE = Duration.ofSeconds(1);

    /// The driver asks again twice a second while it waits.
    private static final Duration ROUND = Duration.ofMillis(500);

    private static final long REACHABLE = Long.MAX_VALUE;

    private final AtomicLong unreachableSince = new AtomicLong(REACHABLE);
    private final AtomicLong lastProbe = new AtomicLong(System.nanoTime());
    private final Duration limit;

    /// @param limit the selection time-out
    Reachability(Duration limit) {
        this.limit = limit;
    }

    @Override
    public void clusterDescriptionChanged(ClusterDescriptionChangedEvent event) {
        var servers = event.getNewDescription().getServerDescriptions();
        boolean unreachable = servers.isEmpty()
                ? isWithoutMembers(event.getNewDescription())
                : servers.stream().allMatch(server -> !server.isOk() && server.getException() != null);
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
        if (since != REACHABLE && now - since > GRACE.toNanos() && (isWithoutMembers(cluster) || !isProbe(now))) {
            throw new MongoTimeoutException("no member of the MongoDB deployment can be reached");
        }
        var suitable = cluster.getServerDescriptions();
        if (suitable.isEmpty() && RequestStart.left(limit).compareTo(ROUND) < 0) {
            throw new MongoTimeoutException("no member of the MongoDB deployment can serve the request in time");
        }
        return suitable;
    }

    /// Whether the DNS names no members (`mongodb+srv`). The driver asks it again every ten seconds, whoever waits.
    private static boolean isWithoutMembers(ClusterDescription cluster) {
        return cluster.getServerDescriptions().isEmpty() && cluster.getSrvResolutionException() != null;
    }

    private boolean isProbe(long now) {
        long last = lastProbe.get();
        return now - last > PROBE.toNanos() && lastProbe.compareAndSet(last, now);
    }
}
