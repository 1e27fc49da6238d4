package org.restheart.core;

import com.mongodb.ConnectionString;
import com.mongodb.MongoClientSettings;
import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import org.restheart.core.config.GatewayConfig;

/// The one client through which this process talks to MongoDB.
final class MongoConnection {
    private static final int MAX_POOL_SIZE = 128;

    private MongoConnection() {}

    /// Does not wait for MongoDB: the first operation does. What the connection string says comes first.
    static MongoClient open(GatewayConfig config) {
        return MongoClients.create(MongoClientSettings.builder()
                .applicationName("restheart " + config.core().name() + " (sync)")
                .applyToConnectionPoolSettings(pool -> pool.maxSize(MAX_POOL_SIZE))
                .applyConnectionString(new ConnectionString(config.mclient().connectionString()))
                .build());
    }
}
