package org.restheart.perftest.experiment;

import com.mongodb.client.MongoClient;
import com.mongodb.client.MongoClients;
import java.io.Closeable;
import java.util.List;
import org.bson.Document;
import org.restheart.perftest.deploy.Mongo;

/// Makes MongoDB wait before each `find` and `insert`, by the fail point `failCommand`. Needs a mongod that was started
/// with `enableTestCommands=1`.
final class DelayedCommands implements Closeable {
    private final MongoClient client;
    private boolean delayed;

    DelayedCommands(Mongo mongo) {
        client = MongoClients.create(mongo.connectionString());
    }

    /// @param millis 0 ends it
    /// @throws com.mongodb.MongoCommandException when this MongoDB has no fail points
    void by(int millis) {
        if (millis == 0) {
            off();
            return;
        }
        delayed = true;
        configure(
                "alwaysOn",
                new Document("failCommands", List.of("find", "insert"))
                        .append("blockConnection", true)
                        .append("blockTimeMS", millis));
    }

    private void off() {
        if (delayed) {
            configure("off", new Document());
            delayed = false;
        }
    }

    private void configure(String mode, Document data) {
        client.getDatabase("admin")
                .runCommand(new Document("configureFailPoint", "failCommand")
                        .append("mode", mode)
                        .append("data", data));
    }

    @Override
    public void close() {
        off();
        client.close();
    }
}
