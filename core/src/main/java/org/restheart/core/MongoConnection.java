package org.restheart.core;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoConfigurationException;
import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.MongoTimeoutException;
import com.mongodb.ReadPreference;
import com.mongodb.ServerAddress;
import com.mongodb.client.MongoClient;
import com.mongodb.client.internal.MongoClientImpl;
import com.mongodb.connection.ClusterDescription;
import com.mongodb.connection.ClusterId;
import com.mongodb.connection.ClusterSettings;
import com.mongodb.connection.ClusterType;
import com.mongodb.connection.ServerDescription;
import com.mongodb.connection.ServerType;
import com.mongodb.event.ClusterDescriptionChangedEvent;
import com.mongodb.event.ClusterListener;
import com.mongodb.event.CommandListener;
import com.mongodb.event.ServerDescriptionChangedEvent;
import com.mongodb.event.ServerListener;
import com.mongodb.internal.TimeoutContext;
import com.mongodb.internal.async.SingleResultCallback;
import com.mongodb.internal.connection.ClientMetadata;
import com.mongodb.internal.connection.Cluster;
import com.mongodb.internal.connection.ClusterClock;
import com.mongodb.internal.connection.OperationContext;
import com.mongodb.internal.connection.ServerTuple;
import com.mongodb.internal.time.Timeout;
import com.mongodb.selector.ServerSelector;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.mongodb.MongoMetricsConnectionPoolListener;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.bson.Document;
import org.jspecify.annotations.Nullable;
import org.restheart.core.accounts.MongoFailures;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.MclientConfig;
import org.restheart.core.server.Pem;
import org.restheart.core.server.StartException;
import org.restheart.http.RequestStart;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.concern.DefaultConcern;
import org.restheart.mongo.error.UnsatisfiedPreferenceException;
import org.restheart.mongo.error.WrongDeploymentException;
import org.restheart.mongo.find.LargeReplies;

/// A MongoDB client of this process, whose operations end when their server does not respond or the client is closed.
final class MongoConnection implements AutoCloseable {
    private static final int MAX_POOL_SIZE = 128;

    /// The server selection timeout unless the connection string has `serverSelectionTimeoutMS`: longer than an
    /// election takes.
    private static final Duration SERVER_SELECTION = BoundedConcern.LIMIT;

    /// How often the driver checks each server, and how long it waits for one that does not respond, unless the
    /// connection string has `heartbeatFrequencyMS` and `connectTimeoutMS`. For as long as both together a frozen
    /// server goes unnoticed.
    private static final Duration HEARTBEAT = Duration.ofSeconds(1);

    private static final Duration CONNECT = Duration.ofSeconds(5);

    /// How often it looks for a server, or a primary, that operations wait for. The driver's own 500 ms are longer than
    /// most interruptions of a connection, and each of them would delay what needs several operations by that much.
    static final Duration SEARCH = Duration.ofMillis(200);

    /// How long a request waits for a connection while all are in use, unless the connection string has
    /// `waitQueueTimeoutMS`.
    private static final Duration POOL_WAIT = Duration.ofSeconds(10);

    /// After which a connection of streams that have ended is closed: there were perhaps thousands of them.
    private static final Duration STREAM_IDLE = Duration.ofSeconds(10);

    /// How long closing waits for the driver to end its sessions on the servers. They expire anyway.
    private static final Duration CLOSE = Duration.ofSeconds(2);

    /// Additional connections of change streams for closing cursors and reading definitions.
    private static final int SPARE = 16;

    private final SilentServers silentServers;
    private final Function<GatewayConfig, MongoClientSettings> settings;
    private final MongoClient client;
    private final ReplaceableCluster cluster;

    private MongoConnection(
            GatewayConfig config,
            SilentServers silentServers,
            DefaultConcern concern,
            Function<GatewayConfig, MongoClientSettings> settings) {
        this.silentServers = silentServers;
        this.settings = settings;
        var opened = LargeReplies.client(settings.apply(config), ReplaceableCluster::new);
        this.client = opened;
        this.cluster = (ReplaceableCluster) opened.getCluster();
        concern.askedBy(client);
    }

    /// A second client for change streams only: each occupies a connection, and requests must not run out of them.
    static MongoConnection openForStreams(GatewayConfig config, int maxStreams) {
        var silentServers = new SilentServers();
        var concern = new DefaultConcern();
        return new MongoConnection(
                config,
                silentServers,
                concern,
                current -> settings(current, "streams", silentServers, concern)
                        .applyToConnectionPoolSettings(pool -> pool.minSize(0)
                                .maxSize(maxStreams + SPARE)
                                .maxConnectionIdleTime(STREAM_IDLE.toMillis(), TimeUnit.MILLISECONDS)
                                .maintenanceFrequency(STREAM_IDLE.toMillis(), TimeUnit.MILLISECONDS))
                        .build());
    }

    /// Does not wait for MongoDB; the first operation connects.
    static MongoConnection open(GatewayConfig config, MeterRegistry meters, List<CommandListener> listeners) {
        var silentServers = new SilentServers();
        var concern = new DefaultConcern();
        return new MongoConnection(
                config,
                silentServers,
                concern,
                current -> settings(current, "sync", silentServers, concern)
                        .commandListenerList(listeners)
                        .applyToConnectionPoolSettings(pool -> pool.maxSize(MAX_POOL_SIZE)
                                .maxWaitTime(POOL_WAIT.toMillis(), TimeUnit.MILLISECONDS)
                                .applyConnectionString(parse(current.mclient()))
                                .connectionPoolListenerList(List.of(new ConnectionShares(
                                        List.of(silentServers, new MongoMetricsConnectionPoolListener(meters))))))
                        .build());
    }

    MongoClient client() {
        return client;
    }

    /// Has all that begins from now on use the credentials of the connection string as it is now.
    ///
    /// @throws StartException if MongoDB does not accept them, or does not answer; nothing has changed then
    static void renew(List<MongoConnection> connections, GatewayConfig changed) {
        var renewed = new ArrayList<MongoClientImpl>();
        boolean usable = false;
        try {
            for (var connection : connections) {
                renewed.add(LargeReplies.client(connection.settings.apply(changed), UnaryOperator.identity()));
                requirePrivileges(renewed.getLast());
            }
            usable = true;
        } finally {
            if (!usable) {
                renewed.forEach(MongoClientImpl::close);
            }
        }
        for (int i = 0; i < renewed.size(); i++) {
            connections.get(i).cluster.replace(renewed.get(i).getCluster());
        }
    }

    /// Accounts can log in without privileges, and every request would get 403 then.
    private static void requirePrivileges(MongoClient client) {
        Document answer;
        try {
            answer = client.getDatabase("admin")
                    .runCommand(new Document("connectionStatus", 1).append("showPrivileges", true));
        } catch (MongoException e) {
            throw new StartException(
                    switch (e) {
                        case MongoSecurityException _ -> MongoFailures.REFUSED;
                        case MongoCommandException refusal -> MongoFailures.reason(refusal);
                        default -> MongoFailures.unreachable(client.getClusterDescription());
                    },
                    e);
        }
        var status = answer.get("authInfo", Document.class);
        if (Stream.of("authenticatedUsers", "authenticatedUserPrivileges")
                .anyMatch(part -> status.getList(part, Object.class, List.of()).isEmpty())) {
            throw new StartException("the account of /mclient/connection-string has no privileges in MongoDB");
        }
    }

    /// Ends running operations. The driver ends its sessions on the servers when it is closed, and waits for
    /// the replies without a limit: it is closed on another thread, for which this one waits for a limited
    /// time.
    @Override
    public void close() {
        silentServers.endAll();
        var closing = Thread.ofVirtual().name("close-mongo").start(client::close);
        try {
            if (!closing.join(CLOSE)) {
                silentServers.endAll();
                closing.join(CLOSE);
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /// Parses the connection string; for `mongodb+srv` this asks the DNS.
    ///
    /// @throws StartException if the DNS does not answer, or the string is invalid
    static ConnectionString parse(MclientConfig mclient) {
        try {
            return new ConnectionString(mclient.connectionString());
        } catch (MongoConfigurationException e) {
            throw new StartException(
                    "/mclient/connection-string: the DNS does not say where " + mclient.masked() + " is: "
                            + e.getMessage(),
                    e);
        } catch (IllegalArgumentException e) {
            throw new StartException(mclient.invalid(e), e);
        }
    }

    /// Options of the connection string take precedence over the defaults.
    private static MongoClientSettings.Builder settings(
            GatewayConfig config, String purpose, SilentServers silentServers, DefaultConcern concern) {
        var uri = parse(config.mclient());
        var chosen = uri.getServerSelectionTimeout();
        var writeConcern = uri.getWriteConcern();
        var preference = uri.getReadPreference();
        var reachability = new Reachability(
                chosen == null ? SERVER_SELECTION : Duration.ofMillis(chosen),
                preference == null ? ReadPreference.primary() : preference,
                uri.getRequiredReplicaSetName());
        return MongoClientSettings.builder()
                .applicationName("restheart " + config.core().name() + " (" + purpose + ")")
                .applyToClusterSettings(
                        cluster -> cluster.serverSelectionTimeout(SERVER_SELECTION.toMillis(), TimeUnit.MILLISECONDS)
                                .serverSelector(reachability)
                                .addClusterListener(reachability))
                .applyToServerSettings(server -> server.heartbeatFrequency(HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS)
                        .addServerListener(reachability)
                        .minHeartbeatFrequency(SEARCH.toMillis(), TimeUnit.MILLISECONDS)
                        .addServerMonitorListener(silentServers))
                .applyToConnectionPoolSettings(pool -> pool.addConnectionPoolListener(silentServers))
                .applyToSocketSettings(socket -> socket.connectTimeout(CONNECT.toMillis(), TimeUnit.MILLISECONDS))
                .applyConnectionString(uri)
                .compressorList(uri.getCompressorList().stream()
                        .filter(each -> MclientConfig.isAvailable(each.getName()))
                        .toList())
                .applyToSslSettings(tls -> tls(config.mclient()).ifPresent(tls::context))
                .writeConcern(writeConcern == null ? BoundedConcern.of(concern) : BoundedConcern.of(writeConcern));
    }

    /// @throws StartException if a file of the connection string cannot be used
    private static Optional<SSLContext> tls(MclientConfig mclient) {
        if (mclient.authorities().isEmpty() && mclient.certificate().isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(Pem.client(mclient.authorities(), mclient.certificate()));
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            throw new StartException(
                    "/mclient/connection-string: cannot use tlsCAFile or tlsCertificateKeyFile: " + e.getMessage(), e);
        }
    }

    /// Fails server selection at once while the whole deployment is known to be unreachable, instead of
    /// letting every request wait for the selection time-out. A deployment that has members but elects a
    /// primary is waited for, for the selection time-out from the start of the request, not of each of its
    /// attempts. Fails it, too, while all members are of another replica set than the connection string
    /// names: the driver drops these and never looks again; and a read whose preference no member
    /// satisfies while there is a primary. Thread-safe.
    static final class Reachability implements ServerSelector, ClusterListener, ServerListener {
        /// Long enough for a member to restart, so that requests that waited for it are served.
        private static final Duration GRACE = Duration.ofSeconds(3);

        /// One selection in this time waits all the same: only a selection that waits makes the driver
        /// look for servers more often than its heartbeats do.
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

        /// Whether the DNS names no members (`mongodb+srv`). The driver asks it again every ten seconds,
        /// in any case.
        private static boolean isWithoutMembers(ClusterDescription cluster) {
            return cluster.getServerDescriptions().isEmpty() && cluster.getSrvResolutionException() != null;
        }

        private boolean isProbe(long now) {
            long last = lastProbe.get();
            return now - last > PROBE.toNanos() && lastProbe.compareAndSet(last, now);
        }
    }

    /// The connections of a client. The driver reads a password once, so they are replaced as a whole.
    /// What has begun goes on with the former ones, such as cursors; change streams resume when these are
    /// closed. Thread-safe.
    static final class ReplaceableCluster implements Cluster {
        /// How long what has begun with former credentials may go on with them.
        private static final Duration RETIREMENT = Duration.ofMinutes(10);

        private final CountDownLatch closed = new CountDownLatch(1);
        private volatile Cluster current;

        ReplaceableCluster(Cluster first) {
            this.current = first;
        }

        synchronized void replace(Cluster next) {
            if (closed.getCount() == 0) {
                next.close();
                return;
            }
            var former = current;
            current = next;
            Thread.ofVirtual().name("close-mongo").start(() -> {
                try {
                    var _ = closed.await(RETIREMENT.toSeconds(), TimeUnit.SECONDS);
                } catch (InterruptedException _) {
                    Thread.currentThread().interrupt();
                }
                former.close();
            });
        }

        @Override
        public synchronized void close() {
            closed.countDown();
            current.close();
        }

        @Override
        public ServerTuple selectServer(ServerSelector selector, OperationContext context) {
            return current.selectServer(selector, context);
        }

        @Override
        public void selectServerAsync(
                ServerSelector selector, OperationContext context, SingleResultCallback<ServerTuple> callback) {
            current.selectServerAsync(selector, context, callback);
        }

        @Override
        public ClusterSettings getSettings() {
            return current.getSettings();
        }

        @Override
        public ClusterId getClusterId() {
            return current.getClusterId();
        }

        @Override
        public ServersSnapshot getServersSnapshot(Timeout timeout, TimeoutContext context) {
            return current.getServersSnapshot(timeout, context);
        }

        @Override
        public ClusterDescription getCurrentDescription() {
            return current.getCurrentDescription();
        }

        @Override
        public ClusterClock getClock() {
            return current.getClock();
        }

        @Override
        public ClientMetadata getClientMetadata() {
            return current.getClientMetadata();
        }

        @Override
        public boolean isClosed() {
            return current.isClosed();
        }

        @Override
        public void withLock(Runnable action) {
            current.withLock(action);
        }

        @Override
        public void onChange(ServerDescriptionChangedEvent event) {
            current.onChange(event);
        }
    }
}
