package org.restheart.core.streams;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.restheart.core.data.OwnStandalone;

/// Gateways over a server that has no change streams.
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ManyGatewaysWithoutStreamsTest extends ManyGateways {
    private OwnStandalone mongod;
    private MongoClient client;
    private int databases;

    @BeforeAll
    void startMongo(@TempDir Path folder) throws IOException {
        mongod = OwnStandalone.start(folder);
        client = MongoClients.create(mongod.connectionString());
    }

    @AfterAll
    void stopMongo() {
        if (mongod != null) {
            client.close();
            mongod.close();
        }
    }

    @BeforeEach
    void start() {
        var uri = mongod.connectionString();
        start(StreamsGateway.startSecured(client, uri, "many" + databases++, CACHES, SECURITY), uri, SECURITY);
    }
}
