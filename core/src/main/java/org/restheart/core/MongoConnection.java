package org.restheart.core;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.MongoCommandException;
import com.mongodb.MongoConfigurationException;
import com.mongodb.MongoException;
import com.mongodb.MongoSecurityException;
import com.mongodb.ReadPreference;
import com.mongodb.client.MongoClient;
import com.mongodb.client.internal.MongoClientImpl;
import com.mongodb.event.CommandListener;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.mongodb.MongoMetricsConnectionPoolListener;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import org.bson.Document;
import org.restheart.core.accounts.MongoFailures;
import org.restheart.core.config.GatewayConfig;
import org.restheart.core.config.MclientConfig;
import org.restheart.core.server.Pem;
import org.restheart.core.server.StartException;
import org.restheart.mongo.concern.BoundedConcern;
import org.restheart.mongo.concern.DefaultConcern;
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

    /// How long closing waits for the driver to end its sessions on the servers. They expire anyway.
    private static final Duration CLOSE = Duration.ofSeconds(2);

    /// Additional connections of change streams for closing cursors and reading definitions.
    private static final int SPARE = 16;

    private final SilentServers silentServers;
    private final Function<GatewayConfig, MongoClientSettings> settings;
    private final MongoClient client;
    private final ReplaceableCluster cluster;

    /// @param concern that the settings refer to
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
    ///
    /// @param maxStreams most cursors at once
    static MongoConnection openForStreams(GatewayConfig config, int maxStreams) {
        var silentServers = new SilentServers();
        var concern = new DefaultConcern();
        return new MongoConnection(
                config,
                silentServers,
                concern,
                current -> settings(current, "streams", silentServers, concern)
                        .applyToConnectionPoolSettings(pool -> pool.minSize(0).maxSize(maxStreams + SPARE))
                        .build());
    }

    /// Does not wait for MongoDB; the first operation connects.
    ///
    /// @param listeners of its commands
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
}
