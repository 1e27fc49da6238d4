package org.restheart.core.data;

import static org.awaitility.Awaitility.await;

import com.mongodb.MongoException;
import com.mongodb.client.MongoClients;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.bson.BsonDocument;
import org.restheart.testkit.OwnMongod;

/// A mongod of a test's own that is no member of a replica set: without change streams, transactions and cluster time.
public final class OwnStandalone implements AutoCloseable {
    private final OwnMongod mongod;

    private OwnStandalone(OwnMongod mongod) {
        this.mongod = mongod;
    }

    /// Aborts the test where there is no mongod.
    public static OwnStandalone start(Path folder) throws IOException {
        for (int attempt = 0; attempt < 3; attempt++) { // another process may take the port
            var mongod = OwnMongod.launch(Files.createDirectory(folder.resolve("data" + attempt)));
            var started = new OwnStandalone(mongod);
            await().until(() -> !mongod.process().isAlive() || started.answers());
            if (mongod.process().isAlive()) {
                return started;
            }
        }
        throw new AssertionError("no mongod started: see " + folder);
    }

    private boolean answers() {
        try (var client = MongoClients.create(connectionString() + "/?serverSelectionTimeoutMS=500")) {
            client.getDatabase("admin").runCommand(BsonDocument.parse("{ping: 1}"));
            return true;
        } catch (MongoException _) {
            return false;
        }
    }

    public String connectionString() {
        return "mongodb://127.0.0.1:" + mongod.port();
    }

    /// @param name `STOP` or `CONT`
    public void signal(String name) throws IOException, InterruptedException {
        mongod.signal(name);
    }

    @Override
    public void close() {
        mongod.close();
    }
}
