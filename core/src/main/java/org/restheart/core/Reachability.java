package org.restheart.core;

import com.mongodb.MongoTimeoutException;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ClusterType;
import com.mongodb.connection.ServerDescription;
import com.mongodb.connection.ServerType;
import com.mongodb.event.ClusterDescriptionChangedEvent;
import com.mongodb.event.ClusterListener;
import com.mongodb.event.ServerDescriptionChangedEvent;
import com.mongodb.event.ServerListener;
import com.mongodb.selector.ServerSelector;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.restheart.http.RequestStart;
import org.restheart.mongo.error.UnsatisfiedPreferenceException;
import org.restheart.mongo.error.WrongDeploymentException;

/// Fails server selection at once while the whole deployment is known to be unreachable, instead of
/// letting every request wait for the selection time-out. A deployment that has members but elects a
/// primary is waited for, for the selection time-out from the start of the request, not of each of its
/// attempts. Fails it, too, while all members are of another replica set than the connection string
/// names: the driver drops these and never looks again; and a read whose preference no member satisfies
/// while there is a primary. Thread-safe.
final class Reachability implements ServerSelector, ClusterListener, ServerListener {
    /// Long enough for a member to restart, so that requests that waited for it are served.
    private static final Duration GRACE = Duration.ofSeconds(3);

    /// One selection in this time waits all the same: only a selection that waits makes the driver look
    /// for servers more often than its heartbeats do.
    private static final Duration PROBE = Duration.ofSeconds(1);

    /// How late this may hear of a change. After a broken connection the driver searches without the
    /// server at once, and must not be told that there is a primary.
    private static final Duration NEWS = Duration.ofMillis(100);

    private static final long REACHABLE = Long.MAX_VALUE;
    private static final long NO_PRIMARY = Long.MAX_VALUE;

    private final AtomicLong unreachableSince = new AtomicLong(REACHABLE);
    private final AtomicLong lastProbe = new AtomicLong(System.nanoTime());
    private final Duration limit;
    private final @Nullable String replicaSet;

    /// Members of other replica sets, and servers of none, by what they are.
    private final Map<ServerAddress, String> otherDeployments = new ConcurrentHashMap<>();

    private volatile Set<ServerAddress> members = Set.of();
    private volatile long primarySince = NO_PRIMARY;
    private final ReadPreference preference;

    /// @param limit the selection time-out
    /// @param preference that the connection string names
    /// @param replicaSet that the connection string names
    Reachability(Duration limit, ReadPreference preference, @Nullable String replicaSet) {
        this.preference = preference;
        this.limit = limit;
        this.replicaSet = replicaSet;
    }

    @Override
    public void serverDescriptionChanged(ServerDescriptionChangedEvent event) {
        var server = event.getNewDescription();
        // A member of a set that is not initiated yet has no name either.
        if (replicaSet == null || !server.isOk() || server.getType() == ServerType.REPLICA_SET_GHOST) {
            return;
        }
        if (replicaSet.equals(server.getSetName())) {
            otherDeployments.remove(server.getAddress());
        } else {
            otherDeployments.put(
                    server.getAddress(),
                    server.getSetName() == null
                            ? "belongs to no replica set: leave out replicaSet"
                            : "belongs to the replica set " + server.getSetName());
        }
    }

    /// Why no member will ever be used, if that is so.
    Optional<String> wrongDeployment() {
        var known = members;
        return known.isEmpty() || !otherDeployments.keySet().containsAll(known)
                ? Optional.empty()
                : otherDeployments.entrySet().stream()
                        .findFirst()
                        .map(other -> "/mclient/connection-string has replicaSet=" + replicaSet + ", but "
                                + other.getKey() + " " + other.getValue());
    }

    @Override
    public void clusterDescriptionChanged(ClusterDescriptionChangedEvent event) {
        var servers = event.getNewDescription().getServerDescriptions();
        members = servers.stream().map(ServerDescription::getAddress).collect(Collectors.toUnmodifiableSet());
        boolean hasPrimary = event.getNewDescription().getType() == ClusterType.REPLICA_SET
                && servers.stream().allMatch(server -> server.isOk() || server.getException() != null)
                && servers.stream().anyMatch(server -> server.getType() == ServerType.REPLICA_SET_PRIMARY);
        if (!hasPrimary) {
            primarySince = NO_PRIMARY;
        } else if (primarySince == NO_PRIMARY) {
            primarySince = System.nanoTime();
        }
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
        var wrong = wrongDeployment();
        if (wrong.isPresent()) {
            throw new WrongDeploymentException(wrong.get());
        }
        long since = unreachableSince.get();
        long now = System.nanoTime();
        if (since != REACHABLE && now - since > GRACE.toNanos() && (isWithoutMembers(cluster) || !isProbe(now))) {
            throw new MongoTimeoutException("no member of the MongoDB deployment can be reached");
        }
        var suitable = cluster.getServerDescriptions();
        if (suitable.isEmpty() && keepsPrimary(RequestStart.or(now - GRACE.toNanos()))) {
            // of those that clients can name, a primary satisfies all others
            throw new UnsatisfiedPreferenceException(
                    preference.isSecondaryOk()
                            ? preference.getName()
                            : ReadPreference.secondary().getName());
        }
        if (suitable.isEmpty() && RequestStart.left(limit).compareTo(MongoConnection.SEARCH) < 0) {
            throw new MongoTimeoutException("no member of the MongoDB deployment can serve the request in time");
        }
        return suitable;
    }

    /// Whether there has been a primary all the time, so that a search without result is not for one.
    ///
    /// @param begun before the search took its description of the cluster, which may be old
    private boolean keepsPrimary(long begun) {
        if (primarySince == NO_PRIMARY) {
            return false;
        }
        LockSupport.parkNanos(NEWS.toNanos());
        long since = primarySince;
        return since != NO_PRIMARY && since - begun < 0;
    }

    /// Whether the DNS names no members (`mongodb+srv`). The driver asks it again every ten seconds, in
    /// any case.
    private static boolean isWithoutMembers(ClusterDescription cluster) {
        return cluster.getServerDescriptions().isEmpty() && cluster.getSrvResolutionException() != null;
    }

    private boolean isProbe(long now) {
        long last = lastProbe.get();
        return now - last > PROBE.toNanos() && lastProbe.compareAndSet(last, now);
    }
}
