package org.restheart.core;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.mongodb.MongoMetricsConnectionPoolListener;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.restheart.core.config.GatewayConfig;

/// Opens the MongoDB clients of this process.
final class MongoConnection {
    private static final int MAX_POOL_SIZE = 128;

    /// The server selection timeout unless the connection string has `serverSelectionTimeoutMS`: longer than an
    /// election takes.
    private static final Duration SERVER_SELECTION = Duration.ofSeconds(10);

    /// How often the driver looks after each server, and how long it waits for one that is silent, unless the
    /// connection string has `heartbeatFrequencyMS` and `connectTimeoutMS`. For as long as both together a frozen
    /// server goes unnoticed.
    private static final Duration HEARTBEAT = Duration.ofSeconds(1);

    private static final Duration CONNECT = Duration.ofSeconds(5);

    /// Additional connections of change streams for closing cursors and reading definitions.
    private static final int SPARE = 16;

    private MongoConnection() {}

    /// A second client for change streams only: each occupies a connection, and requests must not run out of them.
    ///
    /// @param maxStreams most cursors at once
    static MongoClient openForStreams(GatewayConfig config, int maxStreams) {
        return MongoClients.create(settings(config, "streams")
                .applyToConnectionPoolSettings(pool -> pool.minSize(0).maxSize(maxStreams + SPARE))
                .build());
    }

    /// Does not wait for MongoDB; the first operation connects.
    static MongoClient open(GatewayConfig config, MeterRegistry meters) {
        var connectionString = new ConnectionString(config.mclient().connectionString());
        return MongoClients.create(settings(config, "sync")
                .applyToConnectionPoolSettings(pool -> pool.maxSize(MAX_POOL_SIZE)
                        .applyConnectionString(connectionString)
                        .addConnectionPoolListener(new MongoMetricsConnectionPoolListener(meters)))
                .build());
    }

    /// Options of the connection string take precedence over the defaults.
    private static MongoClientSettings.Builder settings(GatewayConfig config, String purpose) {
        var reachability = new Reachability();
        return MongoClientSettings.builder()
                .applicationName("restheart " + config.core().name() + " (" + purpose + ")")
                .applyToClusterSettings(
                        cluster -> cluster.serverSelectionTimeout(SERVER_SELECTION.toMillis(), TimeUnit.MILLISECONDS)
                                .serverSelector(reachability)
                                .addClusterListener(reachability))
                .applyToServerSettings(server -> server.heartbeatFrequency(HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS))
                .applyToSocketSettings(socket -> socket.connectTimeout(CONNECT.toMillis(), TimeUnit.MILLISECONDS))
                .applyConnectionString(new ConnectionString(config.mclient().connectionString()));
    }
}
