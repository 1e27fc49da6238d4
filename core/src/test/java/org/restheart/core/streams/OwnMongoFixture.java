package org.restheart.core.streams;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/// A gateway with the collection `t`, and a MongoDB for this class alone, which may be made to fail.
@TestInstance(Lifecycle.PER_CLASS)
abstract class OwnMongoFixture {
    private final String database;

    OwnReplicaSet mongo;
    MongoClient client;
    StreamsGateway gateway;

    OwnMongoFixture(String database) {
        this.database = database;
    }

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        mongo = OwnReplicaSet.start(1, folder);
        client = MongoClients.create(mongo.connectionString());
        gateway = StreamsGateway.start(client, mongo.connectionString(), database, "");
        gateway.define("t", """
                {"streams": [{"uri": "all", "stages": []}], "aggrs": [{"uri": "kept", "stages": [{"$match": {"_id": "kept"}}]}]}
                """);
    }

    @AfterAll
    void stop() {
        gateway.close();
        client.close();
        mongo.close();
    }
}
