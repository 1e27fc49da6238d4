package org.restheart.core;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.mongodb.MongoMetricsConnectionPoolListener;
import org.restheart.core.config.GatewayConfig;

/// The one client through which this process talks to MongoDB.
final class MongoConnection {
    private static final int MAX_POOL_SIZE = 128;

    /// For what change streams do besides following: closing cursors, reading definitions.
    private static final int SPARE = 16;

    private MongoConnection() {}

    /// A second client, for change streams alone: each keeps a connection busy, which requests must not lack.
    ///
    /// @param maxStreams most cursors at once
    static MongoClient openForStreams(GatewayConfig config, int maxStreams) {
        return MongoClients.create(MongoClientSettings.builder()
                .applyConnectionString(new ConnectionString(config.mclient().connectionString()))
                .applicationName("restheart " + config.core().name() + " (streams)")
                .applyToConnectionPoolSettings(pool -> pool.minSize(0).maxSize(maxStreams + SPARE))
                .build());
    }

    /// Does not wait for MongoDB: the first operation does. What the connection string says comes first.
    static MongoClient open(GatewayConfig config, MeterRegistry meters) {
        return MongoClients.create(MongoClientSettings.builder()
                .applicationName("restheart " + config.core().name() + " (sync)")
                .applyToConnectionPoolSettings(pool -> pool.maxSize(MAX_POOL_SIZE)
                        .addConnectionPoolListener(new MongoMetricsConnectionPoolListener(meters)))
                .applyConnectionString(new ConnectionString(config.mclient().connectionString()))
                .build());
    }
}
